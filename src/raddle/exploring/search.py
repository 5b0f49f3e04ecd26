"""Runs a search, or one unit of a larger search.

A search starts with a rehearsal and then replays the schedules that earlier runs stored. After that, it runs new
executions until a stop rule applies. A search that stops because coverage is saturated may not have run every schedule.
On request, a complete search follows, which succeeds if the space is small enough to be exhausted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from raddle.corpus import CorpusEntry
from raddle.engine.points import RANDOM
from raddle.engine.rules import Timeouts
from raddle.every_order import EveryOrder
from raddle.exploring.corpus_replay import replay_corpus
from raddle.exploring.ledger import Ledger
from raddle.exploring.progress import SEARCHING
from raddle.exploring.rehearsal import Rehearsal, reason_to_stop, rehearse, rehearse_again
from raddle.exploring.serial_orders import fails_in_every_order
from raddle.exploring.stop_rules import GOALS, WHOLE, Budget
from raddle.exploring.turns import POLICY, Turn
from raddle.operation import START
from raddle.outcome import Outcome, OutcomeKind
from raddle.result import EVERY_ORDER, KEPT_SCHEDULES, WITHOUT_PREEMPTION
from raddle.schedulers.base import Scheduler
from raddle.schedulers.reachability import Reachability
from raddle.stop_reason import StopReason

TIME_PASSED = (
    "timeouts fired only when every other thread was blocked: early expiry was not explored (see --timeouts any)"
)
SAME_NUMBERS = "every execution drew the same random numbers: failures that depend on other numbers were not explored"
MIN_TOTAL = 64  # minimum for the limit on all executions, including those of the complete search at the end
# Kinds of failure that say nothing about how other orders end
_SAYS_NOTHING_ABOUT_ORDERS = frozenset({OutcomeKind.UNCONTROLLED, OutcomeKind.DIVERGENCE, OutcomeKind.STEP_LIMIT})
_CUT_SHORT = frozenset({StopReason.INTERRUPTED, StopReason.CRASHING})  # reasons that rule out further executions


@dataclass(frozen=True, slots=True)
class Part:
    """The role of one unit's search within the whole search."""

    rehearsed: bool = False  # True if an earlier unit has rehearsed the scenario
    of_several: bool = False  # True if coverage and orders are evaluated for all units together
    may_continue: Callable[[int], bool] | None = None  # called with the number of each execution before it runs


class Search:
    """One search through the interleavings of a scenario."""

    def __init__(
        self, ledger: Ledger, policy: Scheduler, budget: Budget, *, part: Part, complete: Reachability | None
    ) -> None:
        self._ledger = ledger
        self._session = ledger.session
        self._policy = policy
        self._scheduler = policy  # the current scheduler: `policy` or `complete`
        self._complete = complete  # scheduler of the complete search at the end, if any
        self._budget = budget
        self._part = part
        self._rehearsal = Rehearsal()
        self.turns: list[Turn] = []
        self.corpus: tuple[CorpusEntry, ...] = ()  # executions that covered something new
        self.seconds = 0.0

    def run(self, seed: int, corpus: Sequence[CorpusEntry] = ()) -> StopReason:
        """Replay the corpus and search until a stop rule applies; return why the search stopped."""
        self._session.after_each = self._ledger.show_other_work
        try:
            return self._run(seed, corpus)
        finally:
            self._session.after_each = lambda: None

    def _run(self, seed: int, corpus: Sequence[CorpusEntry]) -> StopReason:
        ledger = self._ledger
        ledger.doing = "rehearsing"
        with self._turn(WITHOUT_PREEMPTION):
            reason = self._rehearse()
        ledger.doing = "replaying schedules of earlier runs"
        with self._turn(KEPT_SCHEDULES):
            reason = reason or replay_corpus(ledger, corpus, self._budget, self._policy)
        ledger.doing = SEARCHING
        with self._turn(POLICY):
            if reason is None:
                reason = self._search() if self._complete is None else self._search_and_finish(self._complete)
        self._session.end_by(None)
        self.seconds = ledger.clock.seconds
        if reason == StopReason.EXHAUSTED:
            reason = self._qualify_exhausted()
        timed = "time" in self._session.known_points.kinds and self._session.timeouts is Timeouts.LATE
        if timed and not ledger.findings.found:
            ledger.notes.append(TIME_PASSED)
        if RANDOM in self._session.known_points.kinds and not ledger.findings.found:
            ledger.notes.append(SAME_NUMBERS)
        ledger.doing = "checking whether every order fails"
        self._check_every_order(reason, seed)
        ledger.doing = "writing schedules"
        self.corpus = ledger.coverage.corpus()
        return reason

    @contextmanager
    def _turn(self, name: str) -> Iterator[None]:
        """Attribute the executions run in this context to `name`, except those of nested turns."""
        counts, within = self._ledger.counts, len(self.turns)
        first = counts.executions
        yield
        for turn in self.turns[within:]:
            inner = turn.last - counts.before
            if inner - turn.executions > first:
                self.turns.append(Turn(turn.last - turn.executions, inner - turn.executions - first, name))
            first = inner
        if name == POLICY or counts.executions > first:
            self.turns.append(Turn(counts.number, counts.executions - first, name))

    def _rehearse(self) -> StopReason | None:
        if self._part.rehearsed:
            return rehearse_again(self._ledger)
        self._rehearsal = rehearse(self._ledger)
        return reason_to_stop(self._ledger, self._rehearsal, self._budget.until, self._policy)

    # -- the search ---------------------------------------------------------------------------------

    def _search_and_finish(self, complete: Reachability) -> StopReason:
        """Search until coverage is saturated; if no failure was found, try to exhaust the space."""
        reason = StopReason.SATURATED if self._rehearsal.single else self._search("saturated")
        if reason != StopReason.SATURATED or self._ledger.findings.found:
            return reason
        reason = self._exhaust(complete)
        return self._search() if reason == StopReason.SATURATED != self._budget.until else reason

    def _exhaust(self, complete: Reachability) -> StopReason:
        """Try to run every partial order, with at most as many executions as the search has run so far."""
        coverage = self._ledger.coverage
        most = max(2 * self._ledger.counts.executions, MIN_TOTAL)
        if self._budget.executions is not None:
            most = min(most, self._budget.executions)
        coverage.save_chance()
        covered = coverage.covered
        self._scheduler = complete
        with self._turn(EVERY_ORDER):
            reason = self._search(WHOLE, most)
        if coverage.covered > covered:
            coverage.drop_chance()
        if reason in (StopReason.EXECUTIONS, StopReason.SECONDS):
            self._scheduler = self._policy
            return StopReason.SATURATED
        return reason

    def _search(self, goal: str = "", most: int | None = None) -> StopReason:
        """Run executions until a stop rule applies; `goal` and `most`, if given, override the budget."""
        ledger, session, scheduler, may_continue = self._ledger, self._session, self._scheduler, self._part.may_continue
        counts, coverage, clock = ledger.counts, ledger.coverage, ledger.clock
        goal, most = goal or self._budget.until, self._budget.executions if most is None else most
        judged = goal in GOALS or goal == WHOLE  # True if the stop rules apply even after executions that pass
        by_orders = scheduler.progress().every_order is not None
        session.end_by(clock.deadline)
        session.prepare(scheduler)
        self._require_all_interleavings()
        while True:
            if session.interrupted:
                return StopReason.INTERRUPTED
            if most is not None and counts.executions >= most:
                return self._spent(StopReason.EXECUTIONS)
            if clock.deadline is not None and clock.over:
                return self._spent(StopReason.SECONDS)
            version, number = session.known_points.version, counts.number + 1
            if may_continue is not None and not may_continue(number):
                return StopReason.INTERRUPTED
            # A scheduler with targets has to know whether it has covered them.
            measured = scheduler.complete or coverage.should_measure(number) or self.has_targets_left()
            if not scheduler.begin(number, version):
                return StopReason.EXHAUSTED
            if scheduler.complete:
                counts.add_order(version, ordered=by_orders and scheduler.progress().every_order)
            known = session.snapshot()
            execution = session.run_for(scheduler, measured=measured)
            outcome = execution.outcome
            failed = outcome.failed
            if failed and outcome.kind == OutcomeKind.INTERRUPTED:
                return ledger.cut_off(outcome)
            counts.add(outcome, execution.steps)
            ledger.measure(execution, scheduler, known)
            difference = scheduler.progress().difference
            if difference is not None:
                self._report_difference(difference)
                return StopReason.FIRST_FINDING
            counts.add_ending(outcome)
            if failed:
                ledger.add_failed(execution, known)
            if failed or judged:
                reason = self._reason_to_stop(goal, most, failed=failed)
                if reason is not None:
                    return reason
            if goal == "first-finding" and measured and not self._part.of_several:
                coverage.check_saturation(targets=self.has_targets_left())
            if ledger.progress is not None:
                ledger.show()

    def _reason_to_stop(self, goal: str, most: int | None, *, failed: bool) -> StopReason | None:
        ledger, scheduler = self._ledger, self._scheduler
        counts = ledger.counts
        reason = self._budget.reason_to_stop(
            found=failed and bool(ledger.findings.found),
            endless=counts.endless,
            crashes=0 if scheduler.complete else counts.crashes_in_a_row,
            reached=self._reached,
            goal=goal,
        )
        if reason == StopReason.FIRST_FINDING and self._session.interrupted:
            return StopReason.INTERRUPTED
        if reason is None and goal == WHOLE:
            progress = scheduler.progress()
            if progress.bound or counts.executions + scheduler.planned() > (most or 0):
                return StopReason.EXECUTIONS  # the space cannot be exhausted within the limit
        return reason

    def _reached(self, goal: str) -> bool:
        return not self._part.of_several and self._ledger.coverage.reached(goal, targets=self.has_targets_left())

    def has_targets_left(self) -> bool:
        """Return whether the scheduler has any targets left."""
        targets = self._scheduler.targets
        return targets is not None and not targets.empty

    def _report_difference(self, difference: str) -> None:
        message = (
            f"the scenario is not deterministic: two executions with the same schedule differ at {difference}. "
            "Remove the source of randomness, or reset state with setup= or isolate='fork'"
        )
        outcome = Outcome(OutcomeKind.DIVERGENCE, message, "", (OutcomeKind.DIVERGENCE,))
        self._ledger.findings.add(outcome, None, None, self._ledger.counts.number)

    def _require_all_interleavings(self) -> None:
        """If a criterion distinguishes interleavings of one partial order, make a complete search run all of them."""
        if self._scheduler.complete and self._ledger.coverage.interleaving_criteria():
            self._scheduler.require_all_interleavings()

    def _spent(self, reason: StopReason) -> StopReason:
        """Return the reason to stop at a limit: EXHAUSTED if every partial order has been run, otherwise `reason`."""
        return StopReason.EXHAUSTED if self._scheduler.progress().every_order else reason

    # -- guarantees of the result ------------------------------------------------------------------------

    def orders(self) -> dict[str, int]:
        """Return the numbers of partial orders and further interleavings; {} if the scheduler does not count them."""
        if self._scheduler.progress().every_order is None:
            return {}
        counts = self._ledger.counts
        return {"partial_orders": counts.orders, "interleavings": counts.interleavings}

    def _qualify_exhausted(self) -> StopReason:
        """Return the stop reason for an exhausted search, and add a note if its guarantee is limited."""
        notes, progress = self._ledger.notes, self._scheduler.progress()
        if progress.bound:
            notes.append(f"every schedule within the bound on {progress.bound} was run; other schedules exist")
            return StopReason.EXHAUSTED_WITHIN_BOUND
        if self._session.not_instrumented:
            notes.append("every schedule was run, but some code was not instrumented")
            return StopReason.EXHAUSTED_IN_PART
        if self._rehearsal.first_differs:
            notes.append("every schedule was run, but the steps that only the first execution took were not explored")
            return StopReason.EXHAUSTED_IN_PART
        if self._ledger.counts.crashes:
            notes.append(
                "every schedule was run, but it is unknown what the other threads would have done after a crash"
            )
            return StopReason.EXHAUSTED_IN_PART
        left_open = frozenset() if progress.every_interleaving else self._ledger.coverage.leave_open()
        if left_open:
            notes.append(
                "every partial order was run, but not every interleaving. Interleavings of the same partial order can "
                "cover different requirements of some criteria, so the totals of these criteria are not exact: "
                f"{', '.join(sorted(left_open))}"
            )
        return StopReason.EXHAUSTED

    def _check_every_order(self, reason: StopReason, seed: int) -> None:
        """If every execution failed in the same way, check whether the failure depends on the interleaving."""
        failing, found, counts = self._rehearsal.failing, self._ledger.findings.found, self._ledger.counts
        if failing is None or counts.passed or len(found) != 1:
            return
        if found[0].kind in _SAYS_NOTHING_ABOUT_ORDERS or reason in _CUT_SHORT or self._ledger.clock.over:
            return
        threads = 1 + sum(event.kind == START for event in failing.trace)
        every: EveryOrder | None
        if threads == 1:
            every = EveryOrder(tried=counts.executions, serial=counts.executions, alone=True)
        elif reason == StopReason.EXHAUSTED and counts.orders:
            every = EveryOrder(tried=counts.orders, serial=1, complete=True)
        elif self._part.of_several:
            return  # executions of other units may have passed
        else:
            every = fails_in_every_order(self._session, found[0].kind, threads=threads, seed=seed)
            if every is not None and not every.complete:
                every = replace(every, tried=every.tried + counts.executions)
        found[0] = replace(found[0], every_order=every)
