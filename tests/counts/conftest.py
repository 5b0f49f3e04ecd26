"""Makes the random programs of the differential tests importable for the counting tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "differential"))
