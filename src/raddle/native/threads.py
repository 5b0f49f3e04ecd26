"""Patches `threading.Thread` and `_thread.start_new_thread` to record when threads are started, begin to run, end and
are joined.

A start is recorded before the thread starts. The first step in a thread is its beginning, and the last step is its end.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from typing import Any

from raddle.inspection import function_name
from raddle.native.primitives import Patch
from raddle.native.recorder import KeyedReference, Recorder, ThreadRecord
from raddle.operation import JOIN, JOIN_IN_TIME, START
from raddle.threads.data_model.identity import thread_type

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks

OPERATIONS: dict[type, frozenset[str]] = {threading.Thread: frozenset({"start", "join"})}


class ThreadNumbers:
    """Maps `Thread` objects, held weakly, to their numbers in the stream."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[int, KeyedReference]] = {}

    def __setitem__(self, thread: threading.Thread, number: int) -> None:
        reference = KeyedReference(thread, self._forget)
        reference.key = id(thread)
        self._numbers[id(thread)] = (number, reference)

    def _forget(self, reference: KeyedReference) -> None:
        self._numbers.pop(reference.key, None)

    def clear(self) -> None:
        self._numbers.clear()

    def get(self, thread: threading.Thread) -> int | None:
        found = self._numbers.get(id(thread))
        return found[0] if found is not None else None


def patches(recorder: Recorder) -> list[Patch]:
    """Return the patches of `threading.Thread`."""
    Thread: Any = threading.Thread  # noqa: N806 -- holds a class
    real_start, real_join, real_inner = Thread.start, Thread.join, Thread._bootstrap_inner
    numbers = ThreadNumbers()
    starting: dict[int, ThreadRecord] = {}  # keyed by the id of the Thread object, which lives until the thread begins
    recorder.reset_callbacks += [numbers.clear, starting.clear]

    def start(self: Any) -> None:
        _, site = recorder.enter_primitive()
        can_start = getattr(self, "_initialized", False) and not self._started.is_set()
        child = recorder.new_child(thread_type(self, self.run)) if can_start else None
        if child is None:
            real_start(self)
            return
        numbers[self] = child.number
        starting[id(self)] = child
        recorder.record(START, child.number, site)
        try:
            real_start(self)
        finally:
            starting.pop(id(self), None)  # the entry is still there if the thread could not be started

    def inner(self: Any) -> None:
        recorder.begin_thread(starting.pop(id(self), None))
        try:
            real_inner(self)
        finally:
            recorder.end_thread()

    def join(self: Any, timeout: float | None = None) -> None:
        _, site = recorder.enter_primitive()
        real_join(self, timeout)
        number = numbers.get(self)
        if number is not None and not self.is_alive():
            recorder.record(JOIN if timeout is None else JOIN_IN_TIME, number, site)

    return [(Thread, "start", start), (Thread, "_bootstrap_inner", inner), (Thread, "join", join)]


def make_start_new_thread(recorder: Recorder) -> Callable[..., int]:
    """Return the replacement for `_thread.start_new_thread`."""
    real = _thread.start_new_thread

    def start_new_thread(function: Any, args: Any, *kwargs: Any) -> int:
        if not callable(function):
            return real(function, args, *kwargs)  # raises TypeError
        child = recorder.new_child(function_name(function))
        if child is None:
            return real(function, args, *kwargs)

        def run(*args: Any, **kwargs: Any) -> None:
            recorder.begin_thread(child)
            try:
                function(*args, **kwargs)
            finally:
                recorder.end_thread()

        recorder.record(START, child.number, 0)
        return real(run, args, *kwargs)

    return start_new_thread
