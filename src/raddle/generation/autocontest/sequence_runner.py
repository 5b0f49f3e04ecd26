"""Runs call sequences in one thread, one call at a time, and reports what each call did.

An object under control cannot be copied, so a state is reached by making the calls that lead to it. A search visits
neighboring sequences, so the runner keeps one object alive: as long as the search continues from the state of that
object, or from an earlier state that can be restored, no call is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence, Set
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

from raddle.engine.carrier import Abort
from raddle.engine.engine import Engine
from raddle.engine.points import KnownPoints
from raddle.engine.step_limit import StepLimit
from raddle.exploring.workbench import Workbench
from raddle.generation.autocontest.coverage import CallTrace
from raddle.generation.autocontest.fingerprint import ObjectState, Paths, fingerprint, paths, state_of
from raddle.generation.autocontest.recorder import Event, EventRecorder, trace_of
from raddle.generation.autocontest.rounds import limited_rounds
from raddle.generation.autocontest.undo import Undo
from raddle.generation.binding import make
from raddle.generation.expressions import Values
from raddle.generation.testcase import SHARED, Call
from raddle.operation import WRITE
from raddle.schedulers.sequential import Sequential

STEPS_PER_RUN = 200_000  # steps after which a run of calls is assumed to be endless
# Events after which a call is too long for a test. Without a limit, calls such as `shared.extend(shared)` would double
# an object again and again.
MAX_EVENTS = 1_000
_UNKNOWN = b""  # the fingerprint of no state
EVENTS_PER_RUN = 100_000  # events after which a search continues with a new object, far below the limit on steps


@dataclass(frozen=True, slots=True)
class CallReport:
    """What one outermost call did."""

    trace: CallTrace
    state: ObjectState  # the state of the shared object after the call; before it if `only_trace`
    raised: bool = False  # whether an exception left the call
    too_long: bool = False  # whether the call had more than `MAX_EVENTS` events
    # The attributes of the shared object that the call read; None if it also read the state of modules or classes.
    reads: frozenset[str] | None = None
    writes: bool = True  # whether the call wrote to the shared object, or to an object that can be reached from it
    only_trace: bool = False  # whether the state after the call is unknown


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One outermost call with the objects that its events refer to, and the paths of objects around it."""

    events: tuple[Event, ...]
    before: Paths
    after: Paths
    state: bytes  # the fingerprint of the shared object before the call
    trace: CallTrace


class Visitor(Protocol):
    """Decides which calls the runner makes."""

    @property
    def state(self) -> bytes | None:
        """The state in which the next call is made; None if no more calls are needed."""

    @property
    def only_trace(self) -> bool:
        """Whether the state after the next call does not matter."""

    def path(self, known: Container[bytes]) -> tuple[bytes, Sequence[Call]]:
        """Return calls that lead to that state, and the state from which they start: a known one or the first one."""

    def call(self) -> Call:
        """Return the call to make in that state."""

    def learn(self, report: CallReport | None) -> None:
        """Process what the call did; None if it did not end, or if the calls of the path cannot be repeated."""


class SequenceRunner:
    """Runs the calls of sequences that begin with the same prefix."""

    def __init__(
        self,
        workbench: Workbench,
        prefix: Sequence[Call],
        *,
        reset: Callable[[], object] | None = None,
        folder: str = "",
        rounds: int | None = None,
        global_ids: Set[int] = frozenset(),
    ) -> None:
        """Create a runner; `rounds` limits how often call traces show the rounds of a loop (see `limited_rounds`)."""
        self._installation = workbench.installation
        self._prefix = tuple(prefix)
        self._reset = reset
        self._folder = folder
        self._rounds = rounds
        self._global_ids = global_ids
        self._limited: dict[CallTrace, CallTrace] = {}
        self._recorder = EventRecorder()
        self.calls = 0  # number of calls made so far, including repeated ones
        self.objects = 0  # number of objects constructed so far

    @property
    def events(self) -> int:
        """The number of events of all calls so far, which measures the cost of a search."""
        return self._recorder.total

    def root_state(self) -> ObjectState | None:
        """Return the state of the object after the prefix; None if the prefix raises an exception."""
        states: list[ObjectState] = []
        self._run(lambda values: states.append(state_of(values.variables[SHARED])))
        return states[0] if states else None

    def visit(self, visitor: Visitor) -> None:
        """Make the calls that the visitor wants, until it has no more."""
        while visitor.state is not None:
            ended: list[bool] = []

            def walk(values: Values, ended: list[bool] = ended) -> None:
                self._visit_object(visitor, values)
                ended.append(True)

            self._run(walk)
            if not ended:
                visitor.learn(None)

    def _visit_object(self, visitor: Visitor, values: Values) -> None:
        """Make calls on one object, as long as the next state can be reached with it."""
        contained = self._is_contained(self._recorder.take())
        shared, last_event = values.variables[SHARED], self.events + EVENTS_PER_RUN
        state, known = state_of(shared), visitor.path(())[0]
        now: ObjectState | None = state
        others = {
            id(obj) for name, other in values.variables.items() if name != SHARED for obj in state_of(other).composite
        }
        others.difference_update(map(id, state.composite))
        undos = {known: Undo(shared, state)}
        while (wanted := visitor.state) is not None and self.events < last_event:
            if wanted != known:
                start, path = visitor.path(undos)
                if start != known and not (contained and start in undos and undos[start].restore()):
                    return
                for call in path:
                    self.calls += 1
                    make(call, values)
                contained = contained and self._is_contained(self._recorder.take(), others)
                known, now = wanted, None
            if known not in undos:
                undos[known] = Undo(shared, state_of(shared) if now is None else now)
            # Computing a fingerprint takes longer than restoring the object, but not every object can be restored.
            only_trace = visitor.only_trace and contained and undos[known].is_certain
            report, events = self._report(visitor.call(), values, before=undos[known].state if only_trace else None)
            known, now = (_UNKNOWN, None) if only_trace else (report.state.fingerprint, report.state)
            contained = contained and self._is_contained(events, others)
            visitor.learn(report)

    def _reads(self, events: Sequence[Event], state: ObjectState, shared: object) -> frozenset[str] | None:
        """Return the attributes of the shared object that were read; None if global variables were read as well."""
        if any(event.is_access and self._is_global(event.owner) for event in events):
            return None
        # A write of an attribute does not depend on its value, but a write to a container can.
        return frozenset(
            event.name
            for event in events
            if event.owner is shared and (event.kind != WRITE or event.name not in state.attributes)
        )

    def _is_global(self, owner: object) -> bool:
        return id(owner) in self._global_ids or isinstance(owner, type | ModuleType)

    def _is_contained(self, events: Iterable[Event], others: Set[int] = frozenset()) -> bool:
        """Return whether calls with these events changed nothing outside the shared object, except their own objects.

        `others` contains the ids of other objects of the test. If they or the state of modules have changed, restoring
        the shared object is not enough.
        """
        owners = [event.owner for event in events if event.kind == WRITE]
        return not any(self._is_global(owner) or id(owner) in others for owner in owners)

    def record(self, calls: Sequence[Call]) -> list[RecordedCall]:
        """Make the calls on a new object; return what each one did, up to the first that raises an exception."""
        recorded: list[RecordedCall] = []

        def walk(values: Values) -> None:
            shared = values.variables[SHARED]
            before, state = paths(shared), fingerprint(shared)
            for call in calls:
                self.calls += 1
                self._recorder.take()
                make(call, values)
                after = paths(shared)
                events = tuple(self._recorder.take())
                recorded.append(RecordedCall(events, before, after, state, self.trace(events)))
                before, state = after, fingerprint(shared)

        self._run(walk)
        return recorded

    def _report(self, call: Call, values: Values, *, before: ObjectState | None) -> tuple[CallReport, Sequence[Event]]:
        """Make a call; return what it did, and its events.

        `before` is the state before the call if the state after it does not matter; otherwise it is None.
        """
        self.calls += 1
        self._recorder.take()
        raised = False
        try:
            make(call, values)
        except Abort:
            raise
        except Exception:
            raised = True
        shared = values.variables[SHARED]
        events, state = self._recorder.take(), state_of(shared) if before is None else before
        too_long = len(events) > MAX_EVENTS
        written = {id(event.owner) for event in events if event.kind == WRITE}
        report = CallReport(
            () if too_long else self.trace(events),
            state,
            raised,
            too_long,
            self._reads(events, state, shared),
            writes=not written.isdisjoint(map(id, state.composite)),
            only_trace=before is not None,
        )
        return report, events

    def trace(self, events: Sequence[Event]) -> CallTrace:
        """Return the trace of a call with these events, with a limited number of rounds."""
        trace = trace_of(events)
        if self._rounds is None:
            return trace
        if trace not in self._limited:
            self._limited[trace] = limited_rounds(trace, self._rounds)
        return self._limited[trace]

    def show_more_rounds(self) -> bool:
        """Let call traces show one more round of loops; return False if no call had more rounds than were shown."""
        if self._rounds is None or all(trace == limited for trace, limited in self._limited.items()):
            return False
        self._rounds += 1
        self._limited.clear()
        return True

    def _run(self, walk: Callable[[Values], object]) -> None:
        """Construct the object and call `walk` with its variables, in an execution without other threads."""
        if self._reset is not None:
            self._reset()
        self.objects += 1
        values = Values(folder=self._folder)

        def main() -> None:
            try:
                for call in self._prefix:
                    make(call, values)
                walk(values)
            except Abort:
                raise
            except Exception:  # a call of the prefix or a repeated call raised an exception
                return

        installation = self._installation
        engine = Engine(
            installation.world,
            KnownPoints(),
            step_limit=StepLimit(STEPS_PER_RUN),
            observers=[self._recorder],
            pool=installation.pool,
        )
        installation.attach(engine, None)
        policy: Any = Sequential()
        installation.execute(lambda: engine.run(main, policy), profiled=False, complete=False)
