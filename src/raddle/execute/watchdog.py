"""Notices when an execution stops coming to scheduling points: it blocks, or spins, outside our control.

A thread of its own looks at the controller's count of steps. When nothing has moved for a while it takes
the stack of the stuck thread, and has an exception raised there by a signal: that also gets through to
most calls that block in C. A thread that computes gets ten times the patience of one that sleeps, unless the time for
the whole search is over: then the execution ends, and nobody says that it would not have ended by itself.
"""

from __future__ import annotations

import _thread
import ctypes
import signal
import sys
import time
from types import FrameType
from typing import Any

from raddle.checks.crash import stack_lines
from raddle.execute.controller import Controller
from raddle.outcome import Outcome
from raddle.sync.carrier import Abort, Carrier, getcurrent

_start_thread = _thread.start_new_thread
_sleep = time.sleep
_monotonic = time.monotonic
_cpu = time.process_time
_allocate = _thread.allocate_lock
# Ignored unless somebody asks for it, and hardly anybody does.
_SIGNAL = getattr(signal, "SIGURG", None)


class Watchdog:
    """Watches the controller it is given, while entered."""

    def __init__(self, patience_seconds: float) -> None:
        self._patience = patience_seconds
        self.controller: Controller | None = None
        self._before: Any = None
        self._stack: tuple[str, ...] = ()
        self._busy = False
        self._late = False
        self._watched = 0
        self.deadline = float("inf")  # of the search

    def __enter__(self) -> Watchdog:
        import threading

        if _SIGNAL is not None and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(_SIGNAL, self._handle)
        self.start()
        return self

    def start(self) -> None:
        """Begin to watch; needed again in a forked child, which has none of its parent's threads."""
        self._stop = _allocate()
        self._stop.acquire()
        self._watched = _thread.get_ident()
        _start_thread(self._watch, ())

    def __exit__(self, *exc: object) -> None:
        self._stop.release()
        if self._before is not None and _SIGNAL is not None:
            signal.signal(_SIGNAL, self._before)

    def _watch(self) -> None:
        seen: tuple[int, int] = (-1, -1)
        since, cpu_since = _monotonic(), _cpu()
        pause = min(0.5, self._patience / 5)
        stop = self._stop
        while not stop.acquire(timeout=pause):
            controller = self.controller
            if controller is None or not controller.running:
                seen = (-1, -1)
                continue
            now = (controller.executions, controller.steps)
            if now != seen:
                seen, since, cpu_since = now, _monotonic(), _cpu()
                continue
            waited = _monotonic() - since
            busy = _cpu() - cpu_since > waited / 10  # a share, as others may want the processor too
            self._late = busy and _monotonic() > self.deadline
            if waited > self._patience * (10 if busy and not self._late else 1):
                self._bark(controller, busy)
                seen = (-1, -1)
        stop.release()

    def _bark(self, controller: Controller, busy: bool) -> None:
        frame = sys._current_frames().get(self._watched)
        self._stack = tuple(stack_lines(frame))
        self._busy = busy
        if self._before is not None and _SIGNAL is not None:
            signal.pthread_kill(self._watched, _SIGNAL)
        else:
            controller.outcome = controller.outcome or self._outcome(controller)
            controller.aborting = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._watched), ctypes.py_object(Abort))

    def _handle(self, number: int, frame: FrameType | None) -> None:
        controller = self.controller
        me = getcurrent()
        if controller is None or not controller.running or not isinstance(me, Carrier):
            return
        controller.finish(self._outcome(controller), me)

    def _outcome(self, controller: Controller) -> Outcome:
        where = next((line.strip() for line in reversed(self._stack) if line.lstrip().startswith("File ")), "")
        if self._late:
            return Outcome("interrupted", where.partition(", in ")[0])
        if self._busy:
            message = "a thread computes without end and comes to no scheduling point: a loop that never ends?"
            kind = "step-limit"
        else:
            message = (
                "a call blocks outside raddle's control: replace it in the scenario (a fake, a queue), "
                "or instrument the code that makes it with source="
            )
            kind = "uncontrolled"
        return Outcome(kind, message, "", (kind, where), ("It stood here:", *self._stack))
