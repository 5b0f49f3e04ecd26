"""The harness: a scenario that makes concurrent calls and records how they end.

The harness never fails by itself: exceptions in calls are part of the history. If no thread can continue, the calls in
progress are pending. Nothing is recorded while raddle ends an execution, because calls can then raise exceptions that
they would not raise otherwise.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from raddle.engine import waits
from raddle.engine.carrier import Abort, Carrier, getcurrent
from raddle.linearizability.comparison import Forms, qualified_name
from raddle.linearizability.concurrent_calls import CallOn, ConcurrentCalls
from raddle.linearizability.history import NOT_MADE, OBSERVERS, PENDING, Ending, EndingKind, History, Position
from raddle.operation import CALL, SLEEP
from raddle.threads.twins.thread import CARRIER_KEY


@dataclass(slots=True)
class _Execution:
    """The state of one execution, as far as it has run."""

    returned: list[list[object]]  # the results of each thread's calls
    raised: list[BaseException | None]  # the exception that ended each thread's calls
    in_call: list[bool]  # whether each thread is making a call
    workers: dict[int, int] = field(default_factory=dict)  # maps the index of a participant to its thread
    shared: object = None
    set_up: bool = False  # whether the setup has ended without an exception
    complete: bool = False  # whether all threads have ended or are blocked
    observed: list[tuple[EndingKind, object]] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)  # the indices of the invariants that do not hold
    escaped: list[BaseException] = field(default_factory=list)  # from threads that the calls have started
    pauses: bool = False  # whether the setup is between two calls


class Harness:
    """A scenario for raddle. After each execution, `history` says how the calls ended.

    Outside of controlled executions, the calls run in native threads.

    >>> from raddle.linearizability.concurrent_calls import ConcurrentCalls
    >>> harness = Harness(ConcurrentCalls(list, [[lambda items: items.append(1)], [len]]))
    >>> harness()
    >>> harness.history().threads[0]
    (Ending(kind='returned', value=None),)
    """

    def __init__(self, calls: ConcurrentCalls) -> None:
        self.calls = calls
        self.pauses_between_calls = False  # whether threads may be switched between two calls of one thread
        self.check: Callable[[], None] = lambda: None  # called at the end of each execution; may raise
        # Called with the index of a thread, the index of its call and the exception that the call has raised. If it
        # returns true, the exception ends the execution and becomes its outcome.
        self.escapes: Callable[[int, int, BaseException], bool] = lambda thread, index, error: False
        # Called with an exception that ended a thread which the calls have started. If it returns true, the exception
        # ends the execution and becomes its outcome.
        self.escapes_own_thread: Callable[[BaseException], bool] = lambda error: False
        calls.pause.take = self._pause
        self.setup_error: BaseException | None = None  # the exception that the last setup raised
        self._execution = self._begin()

    def _begin(self) -> _Execution:
        threads = len(self.calls.threads)
        return _Execution([[] for _ in range(threads)], [None] * threads, [False] * threads)

    def __call__(self) -> None:
        execution = self._execution = self._begin()
        self.setup_error = None
        me = getcurrent()
        if isinstance(me, Carrier):
            me.own.world.absorbs = self._absorb
        try:
            execution.shared = self.calls.setup()
        except Exception as error:
            self.setup_error = error
            return
        execution.set_up = True
        threads = [
            threading.Thread(target=self._work, args=(execution, number, calls), daemon=True)
            for number, calls in enumerate(self.calls.threads)
        ]
        for thread in threads:
            thread.start()
        joined = [_join(thread) for thread in threads]
        ended = all(joined)
        execution.complete = True
        if ended:
            for observe in self.calls.observers:
                execution.observed.append(_observation(observe, execution.shared))
            execution.broken += [
                number
                for number, invariant in enumerate(self.calls.invariants)
                if _is_broken(invariant, execution.shared)
            ]
        self.check()

    def _pause(self) -> None:
        """Let other threads make whole calls in the middle of a call."""
        me, execution = getcurrent(), self._execution
        number = execution.workers.get(me.index) if isinstance(me, Carrier) else None
        if isinstance(me, Carrier) and me.index == 0 and self.pauses_between_calls and me.engine.queue.carriers[1:]:
            execution.pauses = True
            me.engine.operate(me, SLEEP, None)
            execution.pauses = False
        if number is not None and isinstance(me, Carrier) and self.pauses_between_calls:
            execution.in_call[number] = False
            me.engine.operate(me, SLEEP, None)
            execution.in_call[number] = True

    def _absorb(self, me: Carrier, error: BaseException) -> bool:
        """Record an exception that escapes from a thread; return whether the execution continues."""
        if self.is_worker(me.index) or not isinstance(error, Exception):
            return False
        if not me.engine.aborting:
            self._execution.escaped.append(error)
        return not self.escapes_own_thread(error)

    def wait_forever(self) -> None:
        """Wait for the blocked threads without a timer, so that the engine reports the deadlock."""
        me = getcurrent()
        assert isinstance(me, Carrier)
        blocked = [other for other in me.engine.queue.carriers if self.is_worker(other.index) and not other.done]
        for other in blocked:
            other.daemon = False  # the explanation of a deadlock leaves out daemons
        for other in blocked:
            waits.join(me, other, None)

    def _work(self, execution: _Execution, number: int, calls: tuple[CallOn, ...]) -> None:
        me = getcurrent()
        carrier = me if isinstance(me, Carrier) else None
        if carrier is not None:
            execution.workers[carrier.index] = number
            engine = carrier.engine
            # An eager start would run code without probes, up to the first scheduling point inside the call.
            if CALL.point_if_observed in engine.points.visible and not self.pauses_between_calls:
                engine.operate(carrier, CALL, None)
        for call in calls:
            if carrier is not None and self.pauses_between_calls:
                carrier.engine.operate(carrier, SLEEP, None)
            execution.in_call[number] = True
            try:
                result = call(execution.shared)
            except Abort:
                raise
            except BaseException as error:
                if not _is_aborting(carrier):
                    execution.raised[number] = error
                    execution.in_call[number] = False
                    if carrier is not None and self.escapes(number, len(execution.returned[number]), error):
                        carrier.engine.fail(carrier, error)
                return
            if _is_aborting(carrier):
                return
            execution.returned[number].append(result)
            execution.in_call[number] = False

    @contextmanager
    def keeping_history(self) -> Iterator[None]:
        """Make executions whose histories do not replace that of the last execution."""
        execution = self._execution
        try:
            yield
        finally:
            self._execution = execution

    @property
    def complete(self) -> bool:
        """Whether the last execution reached its end, so that its history is meaningful."""
        return self._execution.complete

    @property
    def error(self) -> BaseException | None:
        """The exception of the first thread whose calls have ended with one."""
        return next((error for error in self._execution.raised if error is not None), None)

    @property
    def errors(self) -> tuple[BaseException | None, ...]:
        """For each thread, the exception that ended its calls, or None."""
        return tuple(self._execution.raised)

    def error_of(self, position: Position) -> BaseException | None:
        """Return the exception that ended a call or an observer; None if it ended in another way."""
        row, index = position
        if row != OBSERVERS:
            return self._execution.raised[row]
        value = self._execution.observed[index][1]
        return value if isinstance(value, BaseException) else None

    def escaped_error(self, name: str) -> BaseException | None:
        """Return the first exception of a class that ended a thread which the calls have started."""
        return next((error for error in self._execution.escaped if qualified_name(type(error)) == name), None)

    @property
    def shared(self) -> object:
        """The object on which the last execution made its calls."""
        return self._execution.shared

    def is_in_call(self, participant: int) -> bool:
        """Return whether the participant with this index is making a call.

        Threads that the class under test has started always count as making a call.
        """
        number = self._execution.workers.get(participant)
        if participant == 0:
            return not self._execution.pauses
        return number is None or self._execution.in_call[number]

    def is_worker(self, participant: int) -> bool:
        """Return whether the participant with this index makes calls."""
        return participant in self._execution.workers

    def position(self, participant: int) -> Position:
        """Return the index of a worker's thread, and the index of the call that it makes."""
        number = self._execution.workers[participant]
        return number, len(self._execution.returned[number])

    def has_returned(self, thread: int) -> bool:
        """Return whether all calls of a thread have returned."""
        return len(self._execution.returned[thread]) == len(self.calls.threads[thread])

    def history(self) -> History:
        """Return the history of the last execution."""
        execution, forms = self._execution, Forms(self._execution.shared)
        threads = []
        for number, calls in enumerate(self.calls.threads):
            endings = [Ending(EndingKind.RETURNED, forms.of(value)) for value in execution.returned[number]]
            error = execution.raised[number]
            if error is not None:
                endings.append(Ending(EndingKind.RAISED, qualified_name(type(error))))
            elif execution.in_call[number]:
                endings.append(PENDING)
            endings += [NOT_MADE] * (len(calls) - len(endings))
            threads.append(tuple(endings))
        observed = tuple(
            Ending(kind, qualified_name(type(value)) if kind is EndingKind.RAISED else forms.of(value))
            for kind, value in execution.observed
        )
        escaped = sorted({qualified_name(type(error)) for error in execution.escaped})
        return History(tuple(threads), observed, tuple(execution.broken), tuple(escaped))


def _join(thread: threading.Thread) -> bool:
    """Wait until the thread has ended or is blocked for good; return whether it has ended."""
    me = getcurrent()
    if isinstance(me, Carrier):
        return waits.join_or_stall(me, thread.__dict__[CARRIER_KEY])
    thread.join()
    return True


def _is_aborting(me: Carrier | None) -> bool:
    return me is not None and me.engine.aborting


def _is_broken(invariant: CallOn, shared: object) -> bool:
    """Return whether an invariant does not hold: it returns a false value other than None, or it raises."""
    try:
        holds = invariant(shared)
        return holds is not None and not holds
    except Exception:
        return True


def _observation(observe: CallOn, shared: object) -> tuple[EndingKind, object]:
    try:
        return EndingKind.RETURNED, observe(shared)
    except Exception as error:
        return EndingKind.RAISED, error
