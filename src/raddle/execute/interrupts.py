"""Ctrl-C: the first ends the execution at its next scheduling point, the second at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from raddle.execute.controller import Controller


class Interrupts:
    """While entered, SIGINT is ours (in the main thread; elsewhere nothing can be done about it)."""

    def __init__(self) -> None:
        self.seen = False
        self.controller: Controller | None = None
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
            # An ignored SIGINT (a job in the background) stays ignored.
            if self._before not in (signal.SIG_IGN, None):
                signal.signal(signal.SIGINT, self._handle)
            else:
                self._before = None
        return self

    def __exit__(self, *exc: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            raise KeyboardInterrupt
        self.seen = True
        if self.controller is not None:
            self.controller.interrupt()
