"""Loads a class with locks that do nothing, which adds bugs to it (research question 3 of the MAPTest paper)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar

PACKAGE = "raddle_lab.classes"  # the modules that get other locks


class NoLock:
    """Has the methods of a lock and of a condition, and lets every thread pass.

    >>> with NoLock() as acquired, NoLock():
    ...     acquired
    True
    """

    made: ClassVar[int] = 0  # number of locks made so far

    def __init__(self, *_arguments: object) -> None:
        NoLock.made += 1

    def acquire(self, *_arguments: object, **_options: object) -> bool:
        return True

    def release(self) -> None:
        pass

    def __enter__(self) -> bool:
        return True

    def __exit__(self, *_exc: object) -> None:
        pass

    def locked(self) -> bool:
        return False

    def wait(self, timeout: float | None = None) -> bool:
        return True

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        return predicate()

    def notify(self, n: int = 1) -> None:
        pass

    def notify_all(self) -> None:
        pass


def load_without_locks(target: str) -> type:
    """Import the class `module:Class` of the lab again, together with the modules that it uses, without locks.

    The modules stay replaced, so call this only in a process of its own.
    """
    name, _, class_name = target.partition(":")
    import_module(name)  # now all modules that are not replaced are loaded
    for other in [other for other in sys.modules if other.partition(".")[0] == PACKAGE.partition(".")[0]]:
        if other == PACKAGE or other.startswith(f"{PACKAGE}."):
            del sys.modules[other]
    stand_in = ModuleType("threading")
    vars(stand_in).update(vars(threading))
    vars(stand_in).update(Lock=NoLock, RLock=NoLock, Condition=NoLock)
    sys.modules["threading"] = stand_in
    try:
        found = getattr(import_module(name), class_name)
    finally:
        sys.modules["threading"] = threading
    assert isinstance(found, type)
    return found
