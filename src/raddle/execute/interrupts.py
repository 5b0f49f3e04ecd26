"""Handles Ctrl-C: the first press ends the execution at its next scheduling point, the second ends it immediately.

Inside `termination_interrupts`, SIGTERM does the same, because `timeout` and CI servers send it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from raddle.engine.engine import Engine


@contextmanager
def termination_interrupts() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C inside the `with` block, unless the program has installed its own handler.

    >>> with termination_interrupts():
    ...     signal.getsignal(signal.SIGTERM) is _terminated
    True
    """
    if not _in_main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminated(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class Interrupts:
    """A context manager that handles SIGINT.

    It has no effect outside the main thread, because only that thread can set signal handlers.
    """

    def __init__(self) -> None:
        self.seen = False  # True once Ctrl-C has been pressed
        self.engine: Engine | None = None
        # Returns whether the first Ctrl-C ends the execution immediately, as the second one always does.
        self.ends_immediately: Callable[[], bool] = lambda: False
        self._previous: dict[signal.Signals, Any] = {}  # the handlers to restore

    def __enter__(self) -> Interrupts:
        if _in_main_thread():
            # If SIGINT is ignored, as for a background job, it stays ignored.
            if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
                self._take(signal.SIGINT)
            if signal.getsignal(signal.SIGTERM) is _terminated:
                self._take(signal.SIGTERM)
        return self

    def _take(self, number: signal.Signals) -> None:
        self._previous[number] = signal.signal(number, self._handle)

    def __exit__(self, *exc: object) -> None:
        for number, previous in self._previous.items():
            signal.signal(number, previous)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            raise KeyboardInterrupt
        self.seen = True
        if self.engine is not None:
            self.engine.interrupt()
        if self.ends_immediately():
            raise KeyboardInterrupt
