"""The checker: explores the interleavings of concurrent calls and compares each history with the legal ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from raddle.engine.points import KnownPoints
from raddle.engine.rules import Rules, Timeouts
from raddle.execute.session import Execution, Session
from raddle.exploring.workbench import Workbench
from raddle.linearizability.comparison import qualified_name
from raddle.linearizability.concurrent_calls import ConcurrentCalls
from raddle.linearizability.harness import Harness
from raddle.linearizability.history import Ending, EndingKind, History
from raddle.linearizability.judgment import ALL, CERTAIN, Oracle, Violation, is_always_legal, judge
from raddle.linearizability.legal import (
    MAX_ORDERS,
    LegalHistories,
    UnusableTestError,
    find_legal,
    find_legal_with_timeouts,
)
from raddle.operation import CALL
from raddle.outcome import OutcomeKind
from raddle.schedulers.base import Scheduler
from raddle.schedulers.deepening import Deepening
from raddle.schedulers.exhaustive import NotRepeatableError

STEP_LIMIT = 20_000  # steps after which an execution of a few calls is assumed to be endless
NOT_LINEARIZABLE = "the calls are not linearizable"
ENDLESS = (OutcomeKind.STEP_LIMIT,)  # the signature of endless executions


@dataclass(frozen=True, slots=True)
class Failure:
    """A violation, with the decisions that reproduce it."""

    violation: Violation
    error: BaseException | None  # the exception that violates linearizability, if there is one
    decisions: tuple[int, ...]
    known_points: KnownPoints


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a search."""

    failure: Failure | None
    executions: int
    exhausted: bool  # whether every schedule within the bound has been run
    cut: bool = False  # whether there are schedules outside the bound; known only if `exhausted`


class Checker:
    """Checks one concurrent test on a workbench, as a context manager.

    >>> from raddle.execute.thread_installation import Threads
    >>> from raddle.instrument import Selection
    >>> calls = ConcurrentCalls(list, [[lambda items: items.append(1)], [lambda items: items.append(2)]], [list])
    >>> with Workbench(Threads(Selection(root="/nowhere"))) as workbench, Checker(workbench, calls) as checker:
    ...     len(checker.legal().histories), checker.search(preemptions=1).failure
    (2, None)
    """

    def __init__(
        self,
        workbench: Workbench,
        calls: ConcurrentCalls,
        *,
        reset: Callable[[], object] | None = None,
        oracles: Set[Oracle] = frozenset(ALL),
        step_limit: int = STEP_LIMIT,
        **options: Any,
    ) -> None:
        self.harness = Harness(calls)
        self._workbench = workbench
        self.oracles = oracles  # what is compared with the legal histories
        self._options = {"setup": reset, "step_limit": step_limit, **options}
        self.session: Session = workbench.session(self.harness, **self._options)
        self._legal: LegalHistories | None = None
        self.executions = 0  # number of executions so far, including those that make whole calls
        self.steps = 0  # number of scheduling points that they reached, without those that make whole calls
        # Called with each failure of a search. If it returns false, the search continues, so that a known failure does
        # not hide others of the same test.
        self.is_wanted: Callable[[Failure], bool] = lambda failure: True
        self.after_execution: Callable[[Execution], None] = lambda execution: None  # called except for whole calls
        self._stack = ExitStack()

    def __enter__(self) -> Checker:
        self._stack.enter_context(self.session)
        return self

    def __exit__(self, *exc: Any) -> None:
        self._stack.close()

    def legal(self) -> LegalHistories:
        """Return the legal histories, which are computed on the first call.

        Raises:
            UnusableTestError: If they cannot be computed.
        """
        if self._legal is None:
            # The execution that is being judged must stay the last one.
            with self.harness.keeping_history() if self.harness.complete else nullcontext():
                self._legal = self._whole_calls()
        return self._legal

    def prepare(self) -> None:
        """Compute the legal histories before a search, unless they may never be needed.

        Raises:
            UnusableTestError: If they cannot be computed.
        """
        if not self.oracles <= CERTAIN:
            self.legal()

    def _whole_calls(self) -> LegalHistories:
        """Make whole calls in every order; return the histories."""
        try:
            orders = find_legal(self.session, self.harness)
            if orders.complete and "time" in self.session.known_points.kinds:
                rules = Rules(timeouts=Timeouts.ANY)  # timed waits may expire although other threads could continue
                with self._workbench.session(self.harness, rules=rules, **self._options) as session:
                    orders += find_legal_with_timeouts(session, self.harness)
        except NotRepeatableError as error:
            raise _not_deterministic() from error
        if not orders.complete:
            raise UnusableTestError(
                f"the calls have more than {MAX_ORDERS} orders of whole calls: make fewer of them", "too-many-orders"
            )
        self.executions += orders.executions
        return orders.legal()

    def is_repeatable(self) -> bool:
        """Make whole calls again, in every order; return whether every history is legal."""
        return self._includes(self.legal(), self._whole_calls())

    def judge(self, history: History | None = None) -> Violation | None:
        """Return how a history, by default that of the last execution, differs from the legal histories."""
        if history is None:
            history = self.harness.history()
        if is_always_legal(history, self.oracles):
            return None
        return self._judged(history, self.legal())

    def _judged(self, history: History, legal: LegalHistories) -> Violation | None:
        return judge(legal.comparable(history), legal.histories, self.oracles)

    def _includes(self, legal: LegalHistories, others: LegalHistories) -> bool:
        """Return whether all other histories are legal."""
        return all(self._judged(history, legal) is None for history in others.histories)

    def execute(self, scheduler: Scheduler) -> Execution:
        """Run one execution, for which the scheduler has begun, without judging its history."""
        try:
            execution = self.session.run_for(scheduler)
        except NotRepeatableError as error:
            raise _not_deterministic() from error
        self.executions += 1
        self.steps += execution.steps
        self.after_execution(execution)
        self._require_controlled(execution)
        return execution

    def run(self, scheduler: Scheduler) -> tuple[Execution, Failure | None]:
        """Run one execution, for which the scheduler has begun; return it, and the failure if it is one.

        In an endless execution, the calls in progress are pending.
        """
        known_points = self.session.snapshot()
        execution = self.execute(scheduler)
        violation = self.judge()
        if violation is None:
            return execution, None
        return execution, Failure(violation, self._error_of(violation), execution.decisions, known_points)

    def _require_controlled(self, execution: Execution) -> None:
        if self.session.interrupted:
            raise KeyboardInterrupt
        outcome = execution.outcome
        if outcome.signature == ENDLESS:
            return
        if outcome.failed or not self.harness.complete:
            raise UnusableTestError(f"the calls cannot be controlled: {outcome.message}", "uncontrolled-calls")

    def search(self, *, preemptions: int = 1, max_executions: int = 60, max_steps: float = float("inf")) -> Verdict:
        """Run every schedule with at most this many preemptions, until a violation is found or a limit is reached.

        `max_steps` limits the scheduling points that are reached. The execution in progress is not cut short. If all
        violations are unwanted, the verdict has the first one.

        Raises:
            UnusableTestError: If whole calls do not end in the same way again, or if an execution cannot be controlled.
        """
        self.prepare()
        points, until = self.session.known_points, self.steps + max_steps
        scheduler, first = Deepening(preemptions=preemptions), True
        unwanted: Failure | None = None
        for number in range(1, max_executions + 1):
            if self.steps >= until:
                return Verdict(unwanted, number - 1, exhausted=False)
            if not scheduler.begin(number, points.version):
                return Verdict(unwanted, number - 1, exhausted=True, cut=scheduler.cut)
            failure = self.run(scheduler)[1]
            if failure is not None and first and CALL.point_if_observed not in points.kinds:
                # Calls overlap even without preemption if they begin with code without probes, so start over with more
                # scheduling points. They also overlap if one of them sleeps or waits with a timeout.
                points.add_operation(CALL)
                continue
            if failure is not None:
                if first and not self.is_repeatable():
                    raise _not_deterministic()
                if self.is_wanted(failure):
                    return Verdict(failure, number, exhausted=False)
                unwanted = unwanted or failure
            first = False
        return Verdict(unwanted, max_executions, exhausted=False)

    def _error_of(self, violation: Violation) -> BaseException | None:
        """Return the exception that violates linearizability in the last execution; None for other violations."""
        if violation.oracle is not Oracle.EXCEPTIONS:
            return None
        if violation.is_in_own_thread:
            return self.harness.escaped_error(violation.escaped)
        return self.harness.error_of(violation.calls[0])

    def confirmed(self, failure: Failure) -> bool:
        """Return whether the same decisions, repeated, violate linearizability in the same way.

        The legal histories are computed again, too. If they differ, for example because calls raise exceptions at
        random, a violation may only mean that a legal history was missing.

        Raises:
            UnusableTestError: If the legal histories cannot be computed again.
        """
        legal = self.legal()
        again = self.session.rerun(failure.decisions, failure.known_points)
        self.executions += 1
        if again is None or (again.outcome.failed and again.outcome.signature != ENDLESS):
            return False
        history = self.harness.history()
        if self._judged(history, legal) != failure.violation:
            return False
        renewed = self._whole_calls()
        if not self._includes(legal, renewed):
            # Meanwhile, executions may have shown that calls wait with timeouts, so that there are more orders.
            legal, renewed = renewed, self._whole_calls()
        violation = self._judged(history, renewed)
        return violation is not None and violation.is_like(failure.violation) and self._includes(legal, renewed)

    @contextmanager
    def failing(self, oracles: Set[Oracle]) -> Iterator[None]:
        """Make executions fail if they violate linearizability in these ways, for replays, shrinking and stories.

        An illegal exception ends the execution where it is raised, illegal hangs are deadlocks, and all other
        violations are failed assertions.
        """
        harness, legal = self.harness, self.legal()

        def escapes(thread: int, index: int, error: BaseException) -> bool:
            return not legal.has(thread, index, Ending(EndingKind.RAISED, qualified_name(type(error))))

        def escapes_own_thread(error: BaseException) -> bool:
            name = qualified_name(type(error))
            return all(name not in history.escaped for history in legal.histories)

        def check() -> None:
            violation = judge(legal.comparable(harness.history()), legal.histories, oracles)
            if violation is not None and violation.oracle is Oracle.HANGS:
                harness.wait_forever()
            elif violation is not None and violation.is_observed:
                raise self._error_of(violation) or AssertionError(NOT_LINEARIZABLE)
            elif violation is not None:
                raise AssertionError(NOT_LINEARIZABLE)

        before = harness.check, harness.escapes, harness.escapes_own_thread
        harness.check = check
        if Oracle.EXCEPTIONS in oracles:
            harness.escapes, harness.escapes_own_thread = escapes, escapes_own_thread
        try:
            yield
        finally:
            harness.check, harness.escapes, harness.escapes_own_thread = before


def _not_deterministic() -> UnusableTestError:
    return UnusableTestError(
        "the calls do not behave in the same way in every execution: reset the state that they share with other "
        "executions",
        "not-deterministic",
    )
