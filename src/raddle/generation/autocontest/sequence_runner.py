"""Runs call sequences in one thread, one call at a time, and reports what each call did.

An object under control cannot be copied, so a state is reached by making the calls that lead to it. A search visits
neighboring sequences, so the runner keeps one object alive: as long as the search continues from the state of that
object, no call is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from raddle.engine.carrier import Abort
from raddle.engine.engine import Engine
from raddle.engine.points import KnownPoints
from raddle.engine.step_limit import StepLimit
from raddle.exploring.workbench import Workbench
from raddle.generation.autocontest.coverage import CallTrace
from raddle.generation.autocontest.fingerprint import Paths, fingerprint, paths
from raddle.generation.autocontest.recorder import Event, EventRecorder, trace_of
from raddle.generation.autocontest.rounds import limited_rounds
from raddle.generation.binding import make
from raddle.generation.expressions import Values
from raddle.generation.testcase import SHARED, Call
from raddle.schedulers.sequential import Sequential

STEPS_PER_RUN = 200_000  # steps after which a run of calls is assumed to be endless
# Events after which a call is too long for a test. Without a limit, calls such as `shared.extend(shared)` would double
# an object again and again.
MAX_EVENTS = 1_000


@dataclass(frozen=True, slots=True)
class CallReport:
    """What one outermost call did."""

    trace: CallTrace
    state: bytes  # the fingerprint of the shared object after the call
    raised: bool = False  # whether an exception left the call
    too_long: bool = False  # whether the call had more than `MAX_EVENTS` events


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

    def start(self) -> Sequence[Call] | None:
        """Return the calls that lead to the state from which to continue; None if the search has ended."""

    def next(self, report: CallReport | None) -> Call | None:
        """Return the next call on the object; None if the search continues from another state.

        `report` is about the call that this method returned before; None if that was the end of `start`.
        """

    def abort(self) -> None:
        """Handle a call that did not end, or that ended the execution. The object is lost."""


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
    ) -> None:
        """Create a runner; `rounds` limits how often call traces show the rounds of a loop (see `limited_rounds`)."""
        self._installation = workbench.installation
        self._prefix = tuple(prefix)
        self._reset = reset
        self._folder = folder
        self._rounds = rounds
        self._limited: dict[CallTrace, CallTrace] = {}
        self._recorder = EventRecorder()
        self.calls = 0  # number of calls made so far, including repeated ones
        self.objects = 0  # number of objects constructed so far

    @property
    def events(self) -> int:
        """The number of events of all calls so far, which measures the cost of a search."""
        return self._recorder.total

    def root_state(self) -> bytes | None:
        """Return the fingerprint of the object after the prefix; None if the prefix raises an exception."""
        states: list[bytes] = []
        self._run(lambda values: states.append(fingerprint(values.variables[SHARED])))
        return states[0] if states else None

    def visit(self, visitor: Visitor) -> None:
        """Make the calls that the visitor wants, until it has no more."""
        while (path := visitor.start()) is not None:
            ended: list[bool] = []

            def walk(values: Values, path: Sequence[Call] = path, ended: list[bool] = ended) -> None:
                for known in path:
                    self.calls += 1
                    make(known, values)
                call = visitor.next(None)
                while call is not None:
                    report = self._report(call, values)
                    call = visitor.next(report)
                ended.append(True)

            self._run(walk)
            if not ended:
                visitor.abort()

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
                recorded.append(RecordedCall(events, before, after, state, self._trace(events)))
                before, state = after, fingerprint(shared)

        self._run(walk)
        return recorded

    def _report(self, call: Call, values: Values) -> CallReport:
        self.calls += 1
        self._recorder.take()
        raised = False
        try:
            make(call, values)
        except Abort:
            raise
        except Exception:
            raised = True
        events, state = self._recorder.take(), fingerprint(values.variables[SHARED])
        if len(events) > MAX_EVENTS:
            return CallReport((), state, raised, too_long=True)
        return CallReport(self._trace(events), state, raised)

    def _trace(self, events: Sequence[Event]) -> CallTrace:
        trace = trace_of(events)
        if self._rounds is None:
            return trace
        if trace not in self._limited:
            self._limited[trace] = limited_rounds(trace, self._rounds)
        return self._limited[trace]

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
