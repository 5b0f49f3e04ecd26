"""The stream: buffers the steps of all threads in a single sequence and flushes them to a sink.

Recording a step takes one `append` to a shared list, directly before or after the operation. The append is atomic with
and without the GIL, and needs no lock. A thread that finds the list too long flushes it. raddle does not start a thread
for this, because a program can observe how many threads it has (`os.fork` warns if there are several).
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

MAX_STEPS = 4096  # number of recorded steps that triggers a flush
MAX_SECONDS = 1.0  # number of seconds after which recorded steps are flushed
MAX_BACKLOG = 4  # backlog during a flush, in multiples of `max_steps`, beyond which recording threads are slowed down
BACKOFF_SECONDS = 0.001  # how long a thread sleeps when the backlog is too long
_sleep = time.sleep  # saved, because the program may replace `time.sleep`
SINK_STACK_DEPTH = 120  # number of nested calls that a sink may need


class Sink(Protocol):
    """An object that receives the steps of an execution."""

    def begin(self, entities: Entities) -> None:
        """Begin an execution. More entities are added to `entities` while steps arrive."""

    def feed(self, steps: Sequence[Step]) -> None:
        """Process the next steps, in the order in which they happened."""

    def end(self) -> None:
        """End the execution."""


@runtime_checkable
class ForgettingSink(Sink, Protocol):
    """A sink that can drop the state of discarded entities, so that its memory use stays bounded.

    It receives no steps on variables without conflicting accesses (see `raddle.native.conflict_filter`).
    """

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Drop the state of variables and resources that no further step uses."""


class NullSink:
    """A sink that ignores everything."""

    def ignore(self, *args: object) -> None:
        """Ignore the call and its arguments."""

    begin = feed = end = forget = ignore


class Stream:
    """Buffers steps and flushes them to a sink."""

    def __init__(self, registry: EntityRegistry, make_sink: Callable[[], Sink], *, max_steps: int = MAX_STEPS) -> None:
        self._registry = registry
        self._make_sink = make_sink
        self.max_steps = max_steps
        self.steps: list[Step] = []
        self.recording = False
        self.error: BaseException | None = None  # the internal error that stopped recording
        self.learn: Callable[[Sequence[Step]], None] | None = None  # called with each batch before it is filtered
        self.begin()

    def begin(self) -> None:
        """Begin an execution with a new sink."""
        self.steps.clear()
        self._flush_lock = _thread.allocate_lock()
        self.delivered_steps = 0
        self.due = time.monotonic() + MAX_SECONDS
        self._filter = ConflictFilter()
        self.sink = self._make_sink()
        self.sink.begin(self._registry.entities)

    def flush(self) -> None:
        """Flush the recorded steps, unless another thread is flushing or the stack is nearly exhausted.

        Processing steps can take longer than recording them. A thread that records while another thread flushes is
        therefore slowed down, so that the backlog stays bounded. It is not blocked, because the flushing thread may be
        running a destructor of the program that needs a lock held by the recording thread.
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
        # Fetched before the steps, so that all steps on a discarded variable are in this batch or an earlier one.
        discarded = self._registry.take_discarded()
        discarded_resources = self._registry.take_discarded_resources()
        count = len(self.steps)
        batch = self.steps[:count]
        del self.steps[:count]
        if not batch or self.error is not None:
            return
        batch = [step for step in batch if step[0] >= 0]  # drop steps of NO_THREAD: destructors in unregistered threads
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
        """Pass filtered batches to the sink, and discard the entities that it no longer needs."""
        for batch, forgotten, unreported in filtered:
            self._registry.name_contents(batch.steps)
            sink.feed(batch.steps)
            if forgotten or batch.discarded_resources:
                sink.forget(forgotten, batch.discarded_resources)
            self._registry.retire(batch.discarded, unreported)

    def fail(self, error: Exception) -> None:
        """Handle an exception that was raised while recording.

        An internal error stops recording, and the program continues. An exception from a signal handler is raised
        again, so that it reaches the program. An exception from program code that the recorder called (such as a
        `__class__` property) is ignored.
        """
        codes = list(code_in(error))
        handler_codes = handlers()
        if any(code in handler_codes for code in codes):
            raise error
        if not codes or is_raddle_file(codes[-1].co_filename) or is_stdlib(codes[-1].co_filename):
            self._stop(error)

    def _stop(self, error: Exception) -> None:
        if self.error is None:
            self.error = error
        self.recording = False

    def end(self) -> None:
        """Flush the remaining steps and end the execution."""
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
    """Delay the program's signal handlers until after the block, so that their exceptions cannot interrupt it."""
    if threading.get_ident() != threading.main_thread().ident:
        yield  # nothing to delay: Python runs signal handlers only in the main thread
        return
    deferred: dict[int, Any] = {}
    pending: list[tuple[int, FrameType | None]] = []
    try:
        for number in SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                deferred[number] = handler
                signal.signal(number, lambda number, frame: pending.append((number, frame)))
        yield
    finally:
        for signum, handler in deferred.items():
            signal.signal(signum, handler)
        for signum, frame in pending:
            deferred[signum](signum, frame)
