"""Notices when an execution stops coming to scheduling points: it blocks, or spins, outside our control.

A thread of its own looks at the engine's count of steps. When nothing has moved for a while it takes
the stack of the stuck thread, and has an exception raised there by a signal: that also gets through to
most calls that block in C. A thread that computes gets ten times the patience of one that sleeps.

When the time for the whole search is over, the running execution ends too: at its next scheduling point, or by that
exception where a thread computes without coming to one. Such an execution does not count, as it might have ended.

Nothing is ended while a debugger is active. Without a limit, as in a replay that a person has asked for, a notice says
where the execution is blocked, and it is ended only by Ctrl-C.
"""

from __future__ import annotations

import _thread
import ctypes
import signal
import sys
import time
from traceback import StackSummary
from types import FrameType
from typing import Any

from raddle.checks.crash import frames_of, lines_of, user_stack
from raddle.engine.carrier import Abort, Carrier, getcurrent
from raddle.engine.engine import Engine
from raddle.execute.debugging import is_debugged, is_debugged_at
from raddle.outcome import Outcome, OutcomeKind

_start_thread = _thread.start_new_thread
_sleep = time.sleep
_monotonic = time.monotonic
_cpu = time.process_time
_allocate = _thread.allocate_lock
# Ignored unless somebody asks for it, and hardly anybody does.
_SIGNAL = getattr(signal, "SIGURG", None)

NOTICE_SECONDS = 5.0  # without a limit, after which a notice says that an execution is blocked
SOON = 0.02  # seconds between two looks at an execution that should have ended


class Watchdog:
    """Watches the engine it is given, while entered.

    An execution that is blocked for `patience_seconds` is ended. If that is None, a sentence is printed instead, once
    each time that the execution gets stuck.
    """

    def __init__(self, patience_seconds: float | None) -> None:
        self.is_limited = patience_seconds is not None
        self._patience = NOTICE_SECONDS if patience_seconds is None else patience_seconds
        self.blocked = False  # was a notice given of where the execution is now?
        self.engine: Engine | None = None
        self._before: Any = None
        self._stack = StackSummary()
        self._details: tuple[str, ...] = ()
        self._busy = False
        self._late = False
        self._watched = self._watched_task = 0
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
        self._watched_task = _thread.get_native_id()
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
        while not stop.acquire(timeout=min(pause, max(SOON, self.deadline - _monotonic()))):
            engine = self.engine
            if engine is None or not engine.running:
                seen = (-1, -1)
                continue
            frame = sys._current_frames().get(self._watched)
            debugged = is_debugged_at(frame)
            late = not debugged and _monotonic() > self.deadline
            if late:
                engine.expire()
            now = (engine.executions, engine.steps)
            if now != seen or debugged:
                seen, since, cpu_since = now, _monotonic(), _cpu()
                self.blocked = False
                continue
            waited = _monotonic() - since
            # A share, as others may want the processor too; one that gets hardly any is still able to run.
            busy = _cpu() - cpu_since > waited / 10 or _is_runnable(self._watched_task)
            self._late = busy and late
            if not self._late and waited <= self._patience * (10 if busy else 1):
                continue
            if self.is_limited or self._late or engine.step_limit.interrupted:
                self._bark(engine, frame, busy=busy)
                seen = (-1, -1)
            elif not self.blocked:
                self.blocked = True
                print(_notice(frame, waited, busy=busy), file=sys.stderr, flush=True)
        stop.release()

    def _bark(self, engine: Engine, frame: FrameType | None, *, busy: bool) -> None:
        self._stack = user_stack(frame)
        self._details = "It stood here:", *lines_of(self._stack)  # not in the thread that is stuck
        self._busy = busy
        if self._before is not None and _SIGNAL is not None:
            signal.pthread_kill(self._watched, _SIGNAL)
        else:
            engine.outcome = engine.outcome or self._outcome(engine)
            engine.aborting = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._watched), ctypes.py_object(Abort))

    def _handle(self, number: int, frame: FrameType | None) -> None:
        engine = self.engine
        me = getcurrent()
        if engine is None or not engine.running or not isinstance(me, Carrier) or is_debugged():
            return
        engine.finish(self._outcome(engine), me)

    def _outcome(self, engine: Engine) -> Outcome:
        where, function = _innermost(self._stack)
        if self._late:
            return Outcome(OutcomeKind.INTERRUPTED, where)
        if self._busy:
            message = "a thread computes without end and comes to no scheduling point: a loop that never ends?"
            kind = OutcomeKind.STEP_LIMIT
        else:
            message = (
                "a call blocks outside raddle's control: replace it in the scenario (a fake, a queue), "
                "or instrument the code that makes it with source="
            )
            kind = OutcomeKind.UNCONTROLLED
        return Outcome(kind, message, "", (kind, where + function), self._details, frames=frames_of(self._stack))


def _innermost(stack: StackSummary) -> tuple[str, str]:
    """Return the place of the last frame, and its function: 'File "shop.py", line 9' and ', in buy'."""
    return next(((f'File "{f.filename}", line {f.lineno}', f", in {f.name}") for f in reversed(stack)), ("", ""))


def _notice(frame: FrameType | None, seconds: float, *, busy: bool) -> str:
    where = "".join(_innermost(user_stack(frame))).removeprefix("File ") or "code that is not Python"
    state = "computing without reaching a scheduling point" if busy else "blocked outside raddle's control"
    return f"raddle: the execution has been {state} for {seconds:.0f} s, at {where}; Ctrl-C ends it"


def _is_runnable(task: int) -> bool:
    """Return whether a thread of this process wants the processor, as far as the system can tell."""
    try:
        with open(f"/proc/self/task/{task}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"R"
    except (OSError, IndexError):  # no Linux
        return False
