"""The watchdog: detects executions that block or spin outside raddle's control and reach no scheduling point.

A separate OS thread monitors the engine's step count. If the count does not change for a while, the watchdog captures
the stack of the stuck thread and sends a signal that raises an exception there. The signal also interrupts most
blocking calls in C. A busy thread gets several times as much time as a blocked thread.

When the search's deadline passes, the running execution is ended at its next scheduling point. If a thread reaches no
scheduling point, the watchdog raises the same exception there. An execution ended by the deadline does not count,
because it might have completed with more time. Ctrl-C does the same.

No execution is ended while a debugger is active. If there is no limit, as in a replay started by the user, a notice
says where the execution is blocked, and only Ctrl-C ends it.
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
# SIGURG is ignored by default, and few programs use it.
_SIGNAL = getattr(signal, "SIGURG", None)

NOTICE_SECONDS = 5.0  # time after which a notice reports that an execution without a limit is stuck
INTERRUPTED_SECONDS = 0.5  # time without a scheduling point after which Ctrl-C ends an execution immediately
BUSY_FACTOR = 10  # how many times as much time a busy thread gets as a blocked one, by default
SHORT_PAUSE_SECONDS = 0.02  # time between two checks of an execution whose deadline has passed


class Watchdog:
    """A context manager that monitors an engine.

    An execution that is blocked for `patience_seconds`, or busy for `busy_factor` times as long, is ended. If
    `patience_seconds` is None, a notice is printed instead, once each time the execution gets stuck.
    """

    def __init__(self, patience_seconds: float | None, *, busy_factor: float = BUSY_FACTOR) -> None:
        self._busy_factor = busy_factor
        self.is_limited = patience_seconds is not None
        self._patience = NOTICE_SECONDS if patience_seconds is None else patience_seconds
        self.notified = False  # True if a notice was printed and the execution has made no progress since
        self.engine: Engine | None = None
        self._previous_handler: Any = None
        self._stack = StackSummary()
        self._details: tuple[str, ...] = ()
        self._busy = False
        self._late = False
        self._watched = self._watched_task = 0  # identifier and native identifier of the monitored OS thread
        self.deadline = float("inf")  # deadline of the search, by the monotonic clock

    def __enter__(self) -> Watchdog:
        import threading

        if _SIGNAL is not None and threading.current_thread() is threading.main_thread():
            self._previous_handler = signal.signal(_SIGNAL, self._handle)
        self.start()
        return self

    def start(self) -> None:
        """Start the monitoring thread; needed again in a forked child, which does not inherit its parent's threads."""
        self._stop = _allocate()
        self._stop.acquire()
        self._watched = _thread.get_ident()
        self._watched_task = _thread.get_native_id()
        _start_thread(self._watch, ())

    def __exit__(self, *exc: object) -> None:
        self._stop.release()
        if self._previous_handler is not None and _SIGNAL is not None:
            signal.signal(_SIGNAL, self._previous_handler)

    def _watch(self) -> None:
        last: tuple[int, int] = (-1, -1)  # numbers of executions and steps at the last check
        since, cpu_since = _monotonic(), _cpu()
        pause = min(0.5, self._patience / 5)
        stop = self._stop
        while not stop.acquire(timeout=min(pause, max(SHORT_PAUSE_SECONDS, self.deadline - _monotonic()))):
            engine = self.engine
            if engine is None or not engine.running:
                last = (-1, -1)
                continue
            frame = sys._current_frames().get(self._watched)
            debugged = is_debugged_at(frame)
            late = not debugged and _monotonic() > self.deadline
            if late:
                engine.expire()
            now = (engine.executions, engine.steps)
            if now != last or debugged:
                last, since, cpu_since = now, _monotonic(), _cpu()
                self.notified = False
                continue
            waited = _monotonic() - since
            # The process counts as busy if it used the CPU for more than a tenth of the time. The threshold is low
            # because other processes may compete for the CPU. A thread that is waiting for the CPU counts as busy, too.
            busy = _cpu() - cpu_since > waited / 10 or _is_runnable(self._watched_task)
            interrupted = engine.step_limit.interrupted
            self._late = (busy and late) or (interrupted and waited > INTERRUPTED_SECONDS)
            if not self._late and waited <= self._patience * (self._busy_factor if busy else 1):
                continue
            if self.is_limited or self._late:
                self._end_execution(engine, frame, busy=busy)
                last = (-1, -1)
            elif not self.notified:
                self.notified = True
                print(_notice(frame, waited, busy=busy), file=sys.stderr, flush=True)
        stop.release()

    def _end_execution(self, engine: Engine, frame: FrameType | None, *, busy: bool) -> None:
        self._stack = user_stack(frame)
        self._details = "The thread was here:", *lines_of(self._stack)  # computed outside the stuck thread
        self._busy = busy
        if self._previous_handler is not None and _SIGNAL is not None:
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
            message = "a thread is computing without reaching a scheduling point: it may be in an endless loop"
            kind = OutcomeKind.STEP_LIMIT
        else:
            message = (
                "a call blocks outside raddle's control: replace it in the scenario, for example with a fake or a "
                "queue, or use source= (--source) to instrument the code that makes the call"
            )
            kind = OutcomeKind.UNCONTROLLED
        return Outcome(kind, message, "", (kind, where + function), self._details, frames=frames_of(self._stack))


def _innermost(stack: StackSummary) -> tuple[str, str]:
    """Return the place and the function of the last frame: 'File "shop.py", line 9' and ', in buy'."""
    return next(((f'File "{f.filename}", line {f.lineno}', f", in {f.name}") for f in reversed(stack)), ("", ""))


def _notice(frame: FrameType | None, seconds: float, *, busy: bool) -> str:
    where = "".join(_innermost(user_stack(frame))).removeprefix("File ") or "an unknown place"
    state = "computing without reaching a scheduling point" if busy else "blocked outside raddle's control"
    return f"raddle: the execution has been {state} for {seconds:.0f} s, at {where}; press Ctrl-C to end it"


def _is_runnable(task: int) -> bool:
    """Return whether an OS thread of this process is running or ready to run; False if that is unknown."""
    try:
        with open(f"/proc/self/task/{task}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"R"
    except (OSError, IndexError):  # not on Linux
        return False
