"""Imports the scenario that a target names. A target has the form `file.py::function` or `package.module::function`."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from raddle.errors import UsageError
from raddle.execute.loading import load_module


def load_setup(name: str, target: str) -> Callable[[], Any]:
    """Return the function `name` from the file or module that contains the scenario `target`."""
    return load_scenario(f"{target.partition('::')[0]}::{name}")


def load_scenario(target: str) -> Callable[[], object]:
    """Import and return the scenario; raise a `UsageError` that explains any failure."""
    place, separator, name = target.partition("::")
    if not separator or not name:
        raise UsageError("bad-target", f"name a scenario as file.py::function, not {target!r}")
    found: Any = load_module(place)
    for part in name.split("::"):
        if not hasattr(found, part):
            raise UsageError("no-such-scenario", f"{place} has no function {name!r}{_near(part, found)}")
        found = getattr(found, part)
    if isinstance(found, type) or not callable(found):
        what = "it is a class" if isinstance(found, type) else f"{found!r:.60} (type {type(found).__name__})"
        raise UsageError("not-a-function", f"{target} is not a function: {what}")
    return found  # type: ignore[no-any-return]


def _near(name: str, module: Any) -> str:
    callables = [n for n, value in vars(module).items() if callable(value) and not n.startswith("_")]
    near = difflib.get_close_matches(name, callables, n=1)
    return f"; did you mean {near[0]}?" if near else ""
