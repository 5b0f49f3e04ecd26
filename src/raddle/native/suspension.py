"""Suspends the watch during controlled executions inside a measured program, such as those of marked tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from raddle.inspection import resource_kind
from raddle.site import SiteTable

MODULE = "raddle.execute.installation"


class Suspension:
    """Suspends the watch while an `Installation` is active.

    `Installation` does not know about watches, and the watch does not import it. Instead, the class is patched when its
    module is imported.
    """

    def __init__(self, table: SiteTable, twins: dict[type, str], suspend: Callable[[], None], resume: Any) -> None:
        self._table = table
        self._twins = twins  # maps a recording class to the name of its twin in controlled executions
        self._suspend = suspend
        self._resume = resume
        self._undo: list[Callable[[], None]] = []

    def patch_installation(self, module: ModuleType) -> None:
        installation: Any = module.Installation
        real_enter, real_exit = installation.__enter__, installation.__exit__

        def enter(this: Any) -> Any:
            self._suspend()
            try:
                this.table.add_all(self._table)  # so that modules that already have probes are not instrumented twice
                return real_enter(this)
            except BaseException:
                self._resume()
                raise

        def leave(this: Any, *exc: Any) -> Any:
            try:
                return real_exit(this, *exc)
            finally:
                self._table.add_all(this.table)  # modules imported in the meantime keep their probes
                self._resume()

        installation.__enter__, installation.__exit__ = enter, leave
        self._undo += [
            lambda: setattr(installation, "__enter__", real_enter),
            lambda: setattr(installation, "__exit__", real_exit),
        ]
        self._register_twins()

    def _register_twins(self) -> None:
        """Register a twin for each recording class, so that controlled executions can adopt existing locks."""
        adopt: Any = sys.modules["raddle.threads.twins.adopt"]
        twins = {resource_kind(twin): twin for twin in adopt.TWINS.values()}
        adopt.TWINS.update({id(recording): twins[name] for recording, name in self._twins.items()})

        def unregister() -> None:
            for recording in self._twins:
                adopt.TWINS.pop(id(recording), None)

        self._undo.append(unregister)

    def end(self) -> None:
        while self._undo:
            self._undo.pop()()
