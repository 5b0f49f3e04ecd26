"""Ctrl-C: the first ends the execution at its next scheduling point, the second at once.

So does SIGTERM where a command has taken it for that: `timeout` and build servers send it.
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
    """While this lasts, SIGTERM is as good as Ctrl-C; not where somebody has another handler.

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
    """While entered, SIGINT is ours (in the main thread; elsewhere nothing can be done about it)."""

    def __init__(self) -> None:
        self.seen = False
        self.engine: Engine | None = None
        self.at_once: Callable[[], bool] = lambda: False  # whether the first Ctrl-C ends the execution where it is
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        if _in_main_thread():
            # An ignored SIGINT (a job in the background) stays ignored.
            if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
                self._take(signal.SIGINT)
            if signal.getsignal(signal.SIGTERM) is _terminated:
                self._take(signal.SIGTERM)
        return self

    def _take(self, number: signal.Signals) -> None:
        self._before[number] = signal.signal(number, self._handle)

    def __exit__(self, *exc: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            raise KeyboardInterrupt
        self.seen = True
        if self.engine is not None:
            self.engine.interrupt()
        if self.at_once():
            raise KeyboardInterrupt
