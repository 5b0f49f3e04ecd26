"""Imports the programs in `tests/programs/measured`, whose coverage was derived by hand."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "programs" / "measured"


@cache
def program(name: str) -> ModuleType:
    """Import the measured program called `name`."""
    spec = importlib.util.spec_from_file_location(f"measured_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
