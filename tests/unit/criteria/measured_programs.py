"""Programs whose coverage is known by hand: `tests/programs/measured`."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "programs" / "measured"


@cache
def program(name: str) -> ModuleType:
    """Import one of them."""
    spec = importlib.util.spec_from_file_location(f"measured_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
