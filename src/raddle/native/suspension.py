"""Controlled executions inside a watched program, as of tests that explore: the watch steps aside meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from raddle.inspection import resource_kind
from raddle.site import SiteTable

MODULE = "raddle.execute.installation"


class Suspension:
    """Suspends the watch while anything is installed to run code under control.

    An installation knows nothing of a watch, and is not imported for it: its class is patched when it is imported.
    """

    def __init__(self, table: SiteTable, twins: dict[type, str], suspend: Callable[[], None], resume: Any) -> None:
        self._table = table
        self._twins = twins  # by class of ours: the name of the class that stands in for it under control
        self._suspend = suspend
        self._resume = resume
        self._undo: list[Callable[[], None]] = []

    def follow(self, module: ModuleType) -> None:
        installation: Any = module.Installation
        real_enter, real_exit = installation.__enter__, installation.__exit__

        def enter(this: Any) -> Any:
            self._suspend()
            try:
                this.table.add_all(self._table)  # modules that have probes already are not given any again
                return real_enter(this)
            except BaseException:
                self._resume()
                raise

        def leave(this: Any, *exc: Any) -> Any:
            try:
                return real_exit(this, *exc)
            finally:
                self._table.add_all(this.table)  # modules that were imported meanwhile stay probed
                self._resume()

        installation.__enter__, installation.__exit__ = enter, leave
        self._undo += [
            lambda: setattr(installation, "__enter__", real_enter),
            lambda: setattr(installation, "__exit__", real_exit),
        ]
        self._know_locks()

    def _know_locks(self) -> None:
        """Locks made while the program was watched have twins, too, when it is controlled."""
        adopt: Any = sys.modules["raddle.threads.twins.adopt"]
        twins = {resource_kind(twin): twin for twin in adopt.TWINS.values()}
        adopt.TWINS.update({id(ours): twins[name] for ours, name in self._twins.items()})

        def forget() -> None:
            for ours in self._twins:
                adopt.TWINS.pop(id(ours), None)

        self._undo.append(forget)

    def end(self) -> None:
        while self._undo:
            self._undo.pop()()
