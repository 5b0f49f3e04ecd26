"""The stream: what the threads did, in one order, on its way to whoever wants to know.

A step is one `append` to one list, next to what it tells of: atomic with and without the GIL, and taking no
lock. Whichever thread finds the list long hands it over. There is no thread of ours that would do it: a program
can tell how many threads it has (forking warns of them).
"""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Protocol, runtime_checkable

from raddle.checks.crash import is_raddle_file
from raddle.entities import Entities
from raddle.native.conflict_filter import Batch, ConflictFilter, FilteredBatch, normalize_join
from raddle.native.ids.registry import EntityRegistry
from raddle.native.signal_exceptions import SIGNALS, code_in, handlers
from raddle.step import Step
from raddle.threads.data_model.identity import is_stdlib

MAX_STEPS = 4096  # between two times that steps are handed over
MAX_SECONDS = 1.0
MAX_BACKLOG = 4  # times as many steps may wait while earlier ones are looked at: then whoever makes one waits as well
BACKOFF_SECONDS = 0.001
_sleep = time.sleep  # the program may have put another one there
SINK_STACK_DEPTH = 120  # calls inside each other that whoever gets the steps may need


class Sink(Protocol):
    """Receives the steps."""

    def begin(self, entities: Entities) -> None:
        """Begin an execution. The cast grows while steps come."""

    def feed(self, steps: Sequence[Step]) -> None:
        """Take the next steps, in the order in which they happened."""

    def end(self) -> None:
        """End the execution."""


@runtime_checkable
class ForgettingSink(Sink, Protocol):
    """A sink that can forget, so that its memory is bounded by what the program has in its own.

    It gets no steps at variables on which no two threads can conflict (see `raddle.native.conflict_filter`).
    """

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Forget what no further step is about."""


class NullSink:
    """A sink that ignores everything."""

    def ignore(self, *args: object) -> None:
        """Do nothing."""

    begin = feed = end = forget = ignore


class Stream:
    """Steps, buffered."""

    def __init__(self, registry: EntityRegistry, make_sink: Callable[[], Sink], *, max_steps: int = MAX_STEPS) -> None:
        self._registry = registry
        self._make_sink = make_sink
        self.max_steps = max_steps
        self.steps: list[Step] = []
        self.recording = False
        self.error: BaseException | None = None  # why recording stopped early
        self.learn: Callable[[Sequence[Step]], None] | None = None  # told of steps before the sink
        self.begin()

    def begin(self) -> None:
        """An execution begins, with a sink of its own."""
        self.steps.clear()
        self._flush_lock = _thread.allocate_lock()
        self.delivered_steps = 0
        self.due = time.monotonic() + MAX_SECONDS
        self._filter = ConflictFilter()
        self.sink = self._make_sink()
        self.sink.begin(self._registry.entities)

    def flush(self) -> None:
        """Give away what there is, unless somebody is at it, or the stack has no room for it.

        Looking at steps can take longer than making them. A thread that makes them while another looks is slowed
        down then, else there would be ever more of them; not stopped, as the other may be in a destructor of the
        program that wants what this one has.
        """
        if not self._flush_lock.acquire(False):
            if len(self.steps) > MAX_BACKLOG * self.max_steps:
                _sleep(BACKOFF_SECONDS)
            return
        try:
            if _has_stack_depth(SINK_STACK_DEPTH):
                with signals_deferred():
                    self._flush_batch()
        finally:
            self._flush_lock.release()

    def _flush_batch(self) -> None:
        self.due = time.monotonic() + MAX_SECONDS
        discarded = self._registry.take_discarded()  # first: then the steps about it are among these, or came before
        discarded_resources = self._registry.take_discarded_resources()
        count = len(self.steps)
        batch = self.steps[:count]
        del self.steps[:count]
        if not batch or self.error is not None:
            return
        batch = [step for step in batch if step[0] >= 0]  # without destructors of threads that are nobody
        try:
            self._registry.publish()
            if self.learn is not None:
                self.learn(batch)
            if isinstance(self.sink, ForgettingSink):
                self._feed(self.sink, self._filter.add(Batch(batch, discarded, discarded_resources)))
            else:
                self._registry.name_contents(batch)
                self.sink.feed([normalize_join(step) for step in batch])
            self.delivered_steps += len(batch)
        except Exception as error:
            self._stop(error)

    def _feed(self, sink: ForgettingSink, filtered: Iterable[FilteredBatch]) -> None:
        """Give steps to a sink that can forget."""
        for batch, forgotten, unreported in filtered:
            self._registry.name_contents(batch.steps)
            sink.feed(batch.steps)
            if forgotten or batch.discarded_resources:
                sink.forget(forgotten, batch.discarded_resources)
            self._registry.retire(batch.discarded, unreported)

    def fail(self, error: Exception) -> None:
        """Something was raised in the middle of recording. A fault of ours stops it, and the program goes on.

        It may also be what a handler of a signal has raised, which the program is to get; or have come from code of
        the program that we asked something, a `__class__` that is a property say: that is nobody's business.
        """
        places = list(code_in(error))
        known = handlers()
        if any(code in known for code in places):
            raise error
        if not places or is_raddle_file(places[-1].co_filename) or is_stdlib(places[-1].co_filename):
            self._stop(error)

    def _stop(self, error: Exception) -> None:
        if self.error is None:
            self.error = error
        self.recording = False

    def end(self) -> None:
        """Give away the rest."""
        with self._flush_lock, signals_deferred():
            self._flush_batch()
            if self.error is None:
                self._registry.publish()
                if isinstance(self.sink, ForgettingSink):
                    self._feed(self.sink, self._filter.drain())
                self.sink.end()


def _has_stack_depth(calls: int) -> bool:
    try:
        return calls == 0 or _has_stack_depth(calls - 1)
    except RecursionError:
        return False


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Handlers that the program has set run after the block: an exception of theirs must not end it halfway."""
    if threading.get_ident() != threading.main_thread().ident:
        yield  # handlers run in the main thread only
        return
    deferred: dict[int, Any] = {}
    came: list[tuple[int, FrameType | None]] = []
    try:
        for number in SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                deferred[number] = handler
                signal.signal(number, lambda number, frame: came.append((number, frame)))
        yield
    finally:
        for signum, handler in deferred.items():
            signal.signal(signum, handler)
        for signum, frame in came:
            deferred[signum](signum, frame)
