"""Starts the watch in child processes of a measured program. Python imports this module at startup.

See `child_processes.py`.
"""

import os
import sys


def _import_hidden_sitecustomize() -> None:
    """Import the `sitecustomize` module that this one shadows."""
    local = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if not entry or os.path.abspath(entry) != local]
    this = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # type: ignore[import-not-found] # noqa: F401 -- the hidden module, if there is one
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", this)


def _watch() -> None:
    try:
        from raddle.native.child_processes import start_inherited_watch
    except ImportError:
        return  # raddle is not installed in this Python
    start_inherited_watch()


try:
    _import_hidden_sitecustomize()
finally:
    _watch()
