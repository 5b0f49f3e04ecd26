"""Published results of other tools for the MPI Bugs Initiative, with about 190 C programs per class of error.

They are from the project's README. They are not results for the scenarios of this folder.
"""

from __future__ import annotations

# recall and precision
PUBLISHED = {
    "MUST": (0.85, 0.89),
    "ISP": (0.78, 0.68),
    "Aislinn": (0.76, 0.80),
    "McSimGrid": (0.82, 0.83),
}
