"""Testing and coverage of message-passing programs: MPI ranks that raddle runs and controls in one process."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raddle.messages.exploring import explore
    from raddle.messages.replaying import replay
    from raddle.messages.running import run

_MODULES = {"explore": "exploring", "replay": "replaying", "run": "running"}

__all__ = ["explore", "replay", "run"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
