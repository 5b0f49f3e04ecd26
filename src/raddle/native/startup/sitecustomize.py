"""Imported by Python when it starts in a process that a watched program has started; see `children.py`."""

import os
import sys


def _import_the_other() -> None:
    """The `sitecustomize` that would have been found, had this folder not come first."""
    local = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if not entry or os.path.abspath(entry) != local]
    this = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # type: ignore[import-not-found] # noqa: F401 -- another one, if there is one
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", this)


def _watch() -> None:
    try:
        from raddle.native.child_processes import begin
    except ImportError:
        return  # this Python has no raddle
    begin()


try:
    _import_the_other()
finally:
    _watch()
