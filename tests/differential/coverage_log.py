"""The log that generated programs keep of their operations, and the locks that force a given order on a native run.

A program calls `at` before each operation and `note` right after it. Neither function is instrumented. A controlled
execution switches threads only within operations, before they take effect, so the order of notes is the order of
effects. In a native run, the order of an earlier log can be forced. Then `at` blocks until the next note of that log
belongs to the calling thread.
"""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Any, NamedTuple

from greenlet import getcurrent

BATON_SECONDS = 60.0  # a thread that waits longer for its turn has diverged from the log


class Entry(NamedTuple):
    """One entry of a log."""

    thread: str  # named by descent: T0, T1, T1.1
    kind: str
    target: str
    site: str  # the line number, followed by "r" or "w" if an attribute or item is read or written there


class Log:
    """The log of one execution. All programs call the methods of a single instance."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.lines: set[int] = set()  # lines of the program that called this log
        self._threads: dict[
            Any, str
        ] = {}  # maps greenlets to thread names; in a native run each thread has its own greenlet
        self._order: Sequence[str] = ()  # the threads in the order of their notes, if the order is forced
        self._done = 0  # number of notes made
        self._turns: dict[str, Any] = {}
        self._pool: Any = None
        self._workers = 0  # number of workers that the pool has started

    def begin(self) -> None:
        """Begin an execution whose order is not forced."""
        self.entries, self.lines = [], set()
        self._threads.clear()
        self._order, self._done, self._turns = (), 0, {}
        self._workers = 0

    def force(self, order: Sequence[str]) -> None:
        """Begin an execution in which the threads make their notes in the given order."""
        self.begin()
        self._order = order
        self._turns = {thread: _thread.allocate_lock() for thread in order}
        for turn in self._turns.values():
            turn.acquire()
        self._turns[order[0]].release()

    # -- called by the programs ---------------------------------------------------------------------

    def born(self, thread: str) -> None:
        """Record that the calling code runs in `thread` from now on."""
        self._note_line()
        self._threads[getcurrent()] = thread
        self._wait_for_turn()
        self._add("begin")

    def task(self, name: str) -> None:
        """Record that the calling pool worker runs the task `name` from now on."""
        self._note_line()
        worker = threading.current_thread().name.rpartition("_")[2]
        self._threads[getcurrent()] = f"T{int(worker) + 1}"
        self._wait_for_turn()
        self._add("task", name)

    def at(self, target: str = "", site: str = "") -> None:
        """Record that the thread is about to perform an operation.

        If `target` is given, the operation can block on it.
        """
        self._note_line()
        self._wait_for_turn()
        if target:
            self.entries.append(Entry(self._threads[getcurrent()], "reach", target, site))

    def note(self, kind: str, target: str = "", site: str = "") -> int:
        """Record the operation that the thread has just performed.

        Always return 1, so that the call can be part of an expression.
        """
        self._note_line()
        return self._add(kind, target, site)

    def between(self, kind: str, target: str, site: str) -> int:
        """Record that the first half of an expression was evaluated and the second half follows. Always return 1."""
        self._note_line()
        self._add(kind, target, site)
        self._wait_for_turn()
        return 1

    def pool(self, executor: Any) -> None:
        """Register the program's thread pool."""
        self._pool = executor

    def submitted(self, name: str, site: str) -> None:
        """Record that a task was submitted, and whether the pool started a worker for it."""
        self._note_line()
        is_new = len(self._pool._threads) > self._workers
        self._workers += is_new
        self._add("hired" if is_new else "submitted", f"T{self._workers}" if is_new else name, site)

    # -- internals ----------------------------------------------------------------------------------------

    def _note_line(self) -> None:
        """Record the lines of all frames of the program on the current call stack."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename.endswith("program.py"):
                self.lines.add(frame.f_lineno)
            frame = frame.f_back

    def _wait_for_turn(self) -> None:
        if self._turns:
            thread = self._threads[getcurrent()]
            if not self._turns[thread].acquire(timeout=BATON_SECONDS):
                raise AssertionError(f"{thread} never got its turn after {self.entries[-1]}")

    def _add(self, kind: str, target: str = "", site: str = "") -> int:
        self.entries.append(Entry(self._threads[getcurrent()], kind, target, site))
        if self._turns:
            self._done += 1
            if self._done < len(self._order):
                self._turns[self._order[self._done]].release()
        return 1


LOG = Log()
at, between, born, note = LOG.at, LOG.between, LOG.born, LOG.note
pool, submitted, task = LOG.pool, LOG.submitted, LOG.task
