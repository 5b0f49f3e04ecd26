"""Loads the programs in `faulty` and `correct`.

Each program is a file with a `scenario`. A faulty program states the expected kind of failure in `EXPECTED`.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from raddle import env

HERE = Path(__file__).parent

# The programs that cannot run on this interpreter, each with the reason.
SKIPPED: dict[str, str] = (
    {"cached_singleton": "greenlet cannot switch away from a cached function that is called while its cache is locked"}
    if env.CACHES_LOCK_CALLS
    else {}
)


def names(kind: str) -> list[str]:
    return sorted(path.stem for path in (HERE / kind).glob("*.py") if path.stem not in SKIPPED)


def program(kind: str, name: str) -> ModuleType:
    """Return the program's module, importing it first if necessary."""
    module_name = f"{kind}_{name}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, HERE / kind / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    return sys.modules[module_name]
