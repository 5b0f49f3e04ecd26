"""What generated programs log of themselves, from the inside, and the baton that repeats its order natively.

A program calls `at` before each operation and `note` right after it. Neither is instrumented. Under control a thread is
switched away from only within operations, before they take effect, so the order of notes is the order of effects.
Natively the order of an earlier log can be forced: `at` waits until the next note of that log is the thread's own.
"""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Any, NamedTuple

from greenlet import getcurrent

BATON_SECONDS = 60.0  # after which a native run has lost its way


class Entry(NamedTuple):
    """One line of a log."""

    thread: str  # by descent: T0, T1, T1.1
    kind: str
    target: str
    site: str  # the line, and "r" or "w" for an attribute or an item that is read or written there


class Log:
    """The log of one execution. All programs share one, as they import its methods."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.lines: set[int] = set()  # of the program, on which it called this log
        self._threads: dict[Any, str] = {}  # by greenlet; natively each thread has one of its own
        self._order: Sequence[str] = ()  # of the threads that make notes, if it is forced
        self._done = 0
        self._turns: dict[str, Any] = {}
        self._pool: Any = None
        self._workers = 0  # that it has started

    def begin(self) -> None:
        """Begin an execution that may run as it likes."""
        self.entries, self.lines = [], set()
        self._threads.clear()
        self._order, self._done, self._turns = (), 0, {}
        self._workers = 0

    def force(self, order: Sequence[str]) -> None:
        """Begin an execution in which threads make their notes in this order."""
        self.begin()
        self._order = order
        self._turns = {thread: _thread.allocate_lock() for thread in order}
        for turn in self._turns.values():
            turn.acquire()
        self._turns[order[0]].release()

    # -- what programs call -------------------------------------------------------------------------

    def born(self, thread: str) -> None:
        """Note that the code from here on is run by this thread."""
        self._note_line()
        self._threads[getcurrent()] = thread
        self._wait_for_turn()
        self._add("begin")

    def task(self, name: str) -> None:
        """Note that the code from here on is a task of a pool, which this worker has taken up."""
        self._note_line()
        worker = threading.current_thread().name.rpartition("_")[2]
        self._threads[getcurrent()] = f"T{int(worker) + 1}"
        self._wait_for_turn()
        self._add("task", name)

    def at(self, target: str = "", site: str = "") -> None:
        """Note that the thread is about to do something; with a target, to something that may make it wait."""
        self._note_line()
        self._wait_for_turn()
        if target:
            self.entries.append(Entry(self._threads[getcurrent()], "reach", target, site))

    def note(self, kind: str, target: str = "", site: str = "") -> int:
        """Note what the thread has just done; return 1, for use in expressions."""
        self._note_line()
        return self._add(kind, target, site)

    def between(self, kind: str, target: str, site: str) -> int:
        """Note what the first half of an expression has done; the second half is about to be done."""
        self._note_line()
        self._add(kind, target, site)
        self._wait_for_turn()
        return 1

    def pool(self, executor: Any) -> None:
        """Note which pool the program has."""
        self._pool = executor

    def submitted(self, name: str, site: str) -> None:
        """Note that a task was submitted, and whether a worker was started for it."""
        self._note_line()
        is_new = len(self._pool._threads) > self._workers
        self._workers += is_new
        self._add("hired" if is_new else "submitted", f"T{self._workers}" if is_new else name, site)

    # -- how ----------------------------------------------------------------------------------------

    def _note_line(self) -> None:
        """Note the lines of the program that the thread is at: of the call of this log, and of those around it."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename.endswith("program.py"):
                self.lines.add(frame.f_lineno)
            frame = frame.f_back

    def _wait_for_turn(self) -> None:
        if self._turns:
            thread = self._threads[getcurrent()]
            if not self._turns[thread].acquire(timeout=BATON_SECONDS):
                raise AssertionError(f"{thread} never had its turn after {self.entries[-1]}")

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
