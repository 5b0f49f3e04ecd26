"""The machine that an experiment runs on, which its times depend on."""

from __future__ import annotations

import os
import platform
import sys


def machine() -> dict[str, str | int]:
    """Return the number of processors, the interpreter and the kind of system, as JSON data.

    >>> sorted(machine())
    ['processors', 'python', 'switches', 'system']
    """
    return {
        "processors": os.cpu_count() or 1,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "switches": f"every {1000 * sys.getswitchinterval():g} ms",
        "system": f"{platform.system()} {platform.machine()}",
    }
