"""Many executions of one scenario, and what they found.

It begins with a rehearsal, then come the executions that earlier runs kept, and the search.
A search that is saturated has not seen everything: where asked for, one that is complete comes after it, in case the
space is small enough to be searched to its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from raddle.corpus import Kept
from raddle.engine.points import Learned
from raddle.every_order import EveryOrder
from raddle.execute.session import Execution, Recorded, Session
from raddle.exploring.coverage_progress import Gauge
from raddle.exploring.findings import Findings, Shrink, seen_by_watchdog
from raddle.exploring.rehearsal import Rehearsal, divergence, rehearse
from raddle.exploring.serial_orders import fails_in_every_order
from raddle.operation import START
from raddle.outcome import Outcome, OutcomeKind
from raddle.result import EVERY_ORDER, KEPT_SCHEDULES, WITHOUT_PREEMPTION, Result
from raddle.schedulers.base import Scheduler
from raddle.schedulers.reachability import Reachability
from raddle.schedulers.sequential import Sequential
from raddle.site import told_apart
from raddle.stop_reason import StopReason
from raddle.wording import count

if TYPE_CHECKING:
    from raddle.measuring.measurement import Measurement

_monotonic = time.monotonic
TIME_PASSED = (
    "a sleep or a wait with a timeout was over only when no other thread could go on: that it may be too short was not "
    "tried"
)

_GOALS = ("saturated", "covered")
REHEARSAL_SECONDS = 1.0  # what a rehearsal may take at least, however little time there is for the search
LEAST_IN_ALL = 64  # executions, with those of a complete search at the end
_NOT_THE_POLICY_S = (WITHOUT_PREEMPTION, KEPT_SCHEDULES, EVERY_ORDER)
SEARCHING = "searching"
FINEST = ("event", "join", "lock", "semaphore")  # what gives something back can be seen by some criteria


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop."""

    executions: int | None = None
    seconds: float | None = None
    until: str = "first-finding"  # or "saturated", "covered", "exhausted", "budget", and those below


LATER = "later"  # until something that is looked at when a part of a longer search is over
WHOLE = "whole"  # until everything was run, or it shows that not everything can be


@dataclass(frozen=True, slots=True)
class Part:
    """Where an exploration stands that is a part of a longer one."""

    before: int = 0  # executions: its own are numbered on
    rehearsed: bool = False  # was the scenario rehearsed in an earlier part? Then that tells nothing new.
    signatures: frozenset[tuple[str, ...]] = frozenset()  # of failures that were looked at in earlier parts
    reported: frozenset[tuple[str, ...]] = frozenset()  # of their findings
    goes_on: Callable[[int], bool] | None = None  # asked before the execution of that number
    saturated: bool = False  # had earlier parts covered what can be expected?
    of_several: bool = False  # whoever puts them together judges what they cover


@dataclass(frozen=True, slots=True)
class Moment:
    """How far an exploration has come."""

    executions: int
    findings: int
    seconds: float
    covered: Mapping[str, int]  # by criterion: requirements
    seconds_since_new: float
    doing: str = SEARCHING  # or what keeps it from that: "rehearsing", "shrinking" ...


Progress = Callable[[Moment], None]
MOST_CRASHES = 20  # executions in a row that end their process: there is hardly one that does not
# These failures tell nothing about other orders.
_NOT_OF_ORDERS = frozenset({OutcomeKind.UNCONTROLLED, OutcomeKind.DIVERGENCE, OutcomeKind.STEP_LIMIT})
_CUT_SHORT = frozenset({StopReason.INTERRUPTED, StopReason.CRASHING})
MOST_ENDLESS = 3  # executions that do not end are slow, and cover what they cover at once


class Exploration:
    """One search through the interleavings of a scenario."""

    def __init__(
        self,
        session: Session,
        *,
        scheduler: str,
        policy: Scheduler,
        seed: int,
        budget: Budget,
        progress: Progress | None = None,
        measurement: Measurement | None = None,
        shrink: Shrink | None = None,
        keep: bool = True,
        part: Part = Part(),
        complete: Reachability | None = None,  # comes last
        measure_all: bool = True,  # also once coverage is saturated
    ) -> None:
        self._session = session
        self._part = part
        self.unfit: list[Kept] = []  # of the corpus: cannot be had any more
        self._scheduler_name = scheduler
        self._scheduler = policy  # whose turn it is
        self._policy = policy
        self._complete = complete
        self._seed = seed
        self._budget = budget
        self._progress = progress
        self.gauge = Gauge(
            session,
            measurement,
            keep=keep,
            measure_all=measure_all or policy.complete,
            saturated=part.saturated,
        )
        self.findings = Findings(session, seed=seed, shrink=shrink, signatures=part.signatures, reported=part.reported)
        self._notes = self.findings.notes
        self._executions = 0
        self._points = 0
        self._passed = 0  # executions
        self.endless = 0  # executions that did not end
        self._rehearsal = Rehearsal()
        self._crashes = self._crashes_in_a_row = 0  # executions that their process did not survive
        self._own = {name: dict.fromkeys(("executions", "covered", "found"), 0) for name in _NOT_THE_POLICY_S}
        self._space = -1  # what was known when a search through partial orders began
        self._orders = self._besides = 0  # partial orders run since then, and interleavings besides
        self._new_at = 0.0  # when something new was covered last
        self._doing = SEARCHING

    def run(self, corpus: Sequence[Kept] = ()) -> Result:
        """Explore until the budget is spent or the search is over; first what earlier runs kept."""
        self._start = _monotonic()
        self._deadline = None if self._budget.seconds is None else self._start + self._budget.seconds
        self._session.after_each = self._show_other_work
        try:
            return self._run(corpus)
        finally:
            self._session.after_each = lambda: None

    def _run(self, corpus: Sequence[Kept]) -> Result:
        self._doing = "rehearsing"
        with self._counted(WITHOUT_PREEMPTION):
            reason = self._rehearse()
        self._doing = "running what earlier runs kept"
        with self._counted(KEPT_SCHEDULES):
            reason = reason or self._run_corpus(corpus)
        self._doing = SEARCHING
        if reason is None:
            reason = self._search(self._budget) if self._complete is None else self._search_to_the_end(self._complete)
        self._session.end_by(None)
        seconds = _monotonic() - self._start
        if reason == StopReason.EXHAUSTED:
            reason = self._honestly_exhausted()
        if "time" in self._session.learned.kinds and not self.findings.found:
            self._notes.append(TIME_PASSED)
        self._doing = "looking whether every order fails"
        self._tell_every_order(reason)
        self._doing = "telling schedules"  # those that the corpus keeps
        return Result(
            outcome=self.findings.found[0].kind if self.findings.found else OutcomeKind.PASSED,
            findings=tuple(self.findings.found),
            executions=self._executions,
            scheduling_points=self._points,
            seconds=seconds,
            stopped_because=StopReason(reason),
            seed=self._seed,
            scheduler=self._scheduler_name,
            switches=self._session.switches,
            not_instrumented=tuple(self._session.not_instrumented),
            notes=tuple(self._notes),
            shares=self._shared(),
            orders=self._orders_run(),
            aims=self._aims_reached(),
            corpus=self.gauge.corpus(),
            left_out=self.gauge.left_out,
            chance_of_new=self.gauge.chance_of_new(exhausted=reason == StopReason.EXHAUSTED),
        )

    def _tell_every_order(self, reason: str) -> None:
        """A failure that every execution ended in, the rehearsal included, may be no matter of order: find out."""
        failing, found = self._rehearsal.failing, self.findings.found
        if failing is None or self._passed or len(found) != 1:
            return
        if found[0].kind in _NOT_OF_ORDERS or reason in _CUT_SHORT:
            return
        if self._deadline is not None and _monotonic() >= self._deadline:
            return
        threads = 1 + sum(event.kind == START for event in failing.trace)
        every: EveryOrder | None
        if threads == 1:
            every = EveryOrder(tried=self._executions, serial=self._executions, alone=True)
        elif reason == StopReason.EXHAUSTED and self._orders:
            every = EveryOrder(tried=self._orders, serial=1, complete=True)
        elif self._part.of_several:
            return  # other parts may have passed
        else:
            every = fails_in_every_order(self._session, found[0].kind, threads=threads, seed=self._seed)
            if every is not None and not every.complete:
                every = replace(every, tried=every.tried + self._executions)
        found[0] = replace(found[0], every_order=every)

    def _shared(self) -> dict[str, dict[str, int]]:
        """What each scheduler brought; where several share the executions, what came without them, too."""
        shares = {name: share.as_json() for name, share in getattr(self._policy, "shares", {}).items()}
        if not shares:
            return {}
        own = {name: own for name, own in self._own.items() if own["executions"]}
        last = {name: own.pop(name) for name in [EVERY_ORDER] if name in own}
        return {**own, **shares, **last}

    def _orders_run(self) -> dict[str, int]:
        if not hasattr(self._scheduler, "ordered"):
            return {}
        return {"partial_orders": self._orders, "interleavings": self._besides}

    @contextmanager
    def _counted(self, name: str) -> Iterator[None]:
        """What is run meanwhile is no scheduler's."""
        before = self._so_far()
        yield
        for what, number in self._so_far().items():
            self._own[name][what] += number - before[what]

    def _so_far(self) -> dict[str, int]:
        return {
            "executions": self._executions,
            "covered": self.gauge.covered,
            "found": len(self.findings.found),
        }

    @property
    def _number(self) -> int:
        """Of the execution that was run last."""
        return self._part.before + self._executions

    # -- rehearsal ----------------------------------------------------------------------------------

    def _rehearse(self) -> str | None:
        """A reason to stop, if it gives one."""
        session = self._session
        if self._deadline is not None:
            session.end_by(max(self._deadline, self._start + REHEARSAL_SECONDS))
        if self._part.rehearsed:  # as often as before: what is learnt from it counts
            ends = [session.rehearse().outcome for _ in range(2)]
            cut_off = next((outcome for outcome in ends if outcome.kind == OutcomeKind.INTERRUPTED), None)
            return self._cut_off(cut_off) if cut_off else None
        self._rehearsal = seen = rehearse(session)
        self._notes += seen.notes
        if seen.interrupted is not None:
            return self._cut_off(seen.interrupted)
        session.end_by(None)  # a failure has to come to the same end when it is run again
        if seen.differing is not None:
            outcome = divergence(session, *seen.differing)
            self.findings.add(outcome, None, seen.differing[1], self._number)
            self._executions = max(self._executions, 2)
            self._points += sum(recorded.steps for recorded in seen.differing)
            return StopReason.FIRST_FINDING
        return None if seen.failing is None else self._fails_anyway(seen.failing)

    def _fails_anyway(self, seen: Recorded) -> str | None:
        """It fails with no preemption at all: the first execution of any search would show it."""
        self._executions += 1
        self._points += seen.steps
        if self.gauge.measures and seen.outcome.kind not in (OutcomeKind.UNCONTROLLED, OutcomeKind.STEP_LIMIT):
            self._measure(self._session.run(Sequential().choose))  # the same once more: nothing looked on
        by_watchdog = seen.outcome.kind == OutcomeKind.UNCONTROLLED or seen_by_watchdog(seen.outcome)
        self.findings.add(seen.outcome, None if by_watchdog else seen.schedule, seen, self._number)
        if self._budget.until == "first-finding" or by_watchdog:
            return StopReason.FIRST_FINDING
        return StopReason.ENDLESS if seen.outcome.kind == OutcomeKind.STEP_LIMIT else None

    # -- the corpus ---------------------------------------------------------------------------------

    def _run_corpus(self, corpus: Sequence[Kept]) -> str | None:
        """What earlier runs kept; a reason to stop, if it gives one."""
        session = self._session
        session.end_by(self._deadline)
        for kept in corpus:
            if session.interrupted:
                return StopReason.INTERRUPTED
            if self._budget.executions is not None and self._executions >= self._budget.executions:
                return StopReason.EXECUTIONS
            known = Learned()
            known.sites, known.kinds = set(kept.sites), set(kept.kinds)
            execution = session.run_again(kept.decisions, known.copy())
            if execution is None:
                self.unfit.append(kept)
                continue
            for site in kept.sites:
                session.learned.site(site)
            for kind in kept.kinds:
                session.learned.kind(kind)
            if execution.outcome.kind == OutcomeKind.INTERRUPTED:
                return self._cut_off(execution.outcome)
            self._executions += 1
            self._points += execution.steps
            self._passed += not execution.outcome.failed
            self._measure(execution)
            if execution.outcome.failed:
                session.end_by(None)
                self._failed(execution, known, credit=False)
                session.end_by(self._deadline)
                if self._budget.until == "first-finding" and self.findings.found:
                    return StopReason.FIRST_FINDING
        if len(corpus) > len(self.unfit):
            fit = len(corpus) - len(self.unfit)
            again = f"which covered {self.gauge.covered:,} requirements again"
            self._notes.append(f"begun with {count(fit, 'schedule')} kept by earlier runs, {again}")
        return None

    # -- search -------------------------------------------------------------------------------------

    def _search_to_the_end(self, complete: Reachability) -> str:
        """As asked; but when it is saturated and nothing was found, it is tried whether the whole space can be run."""
        reason = (
            StopReason.SATURATED if self._rehearsal.single else self._search(replace(self._budget, until="saturated"))
        )
        if reason != StopReason.SATURATED or self.findings.found:
            return reason
        reason = self._search_all(complete)
        return self._search(self._budget) if reason == StopReason.SATURATED != self._budget.until else reason

    def _search_all(self, complete: Reachability) -> str:
        """Nothing was found: is there nothing? Known only where the space ends within as many executions again."""
        again = max(2 * self._executions, LEAST_IN_ALL)
        most = again if self._budget.executions is None else min(again, self._budget.executions)
        self.gauge.keep_chance()
        self._scheduler = complete
        with self._counted(EVERY_ORDER):
            reason = self._search(replace(self._budget, executions=most, until=WHOLE))
        if self._own[EVERY_ORDER]["covered"]:
            self.gauge.forget_chance()
        if reason in (StopReason.EXECUTIONS, StopReason.SECONDS, WHOLE):
            self._scheduler = self._policy
            return StopReason.SATURATED
        return reason

    def _can_be_whole(self, budget: Budget) -> bool:
        """Does the search through everything not go on for longer than it may, as far as is known?"""
        complete: Any = self._scheduler
        return not complete.cut and self._executions + complete.planned() <= (budget.executions or 0)

    def _search(self, budget: Budget) -> str:
        session, scheduler, goes_on, gauge = self._session, self._scheduler, self._part.goes_on, self.gauge
        deadline = self._deadline
        session.end_by(deadline)
        session.prepare(scheduler)
        self._tell_apart()
        while True:
            if session.interrupted:
                return StopReason.INTERRUPTED
            if budget.executions is not None and self._executions >= budget.executions:
                return self._spent(StopReason.EXECUTIONS)
            if deadline is not None and _monotonic() >= deadline:
                return self._spent(StopReason.SECONDS)
            version = session.learned.version
            number = self._number + 1
            if goes_on is not None and not goes_on(number):
                return StopReason.INTERRUPTED
            measured = scheduler.complete or gauge.wants(number) or self.still_aims()  # what is aimed at is looked for
            if not scheduler.begin(number, version):
                return StopReason.EXHAUSTED
            self._count_order(version)
            known = session.snapshot()
            execution = session.run_for(scheduler, measured=measured)
            if execution.outcome.kind == OutcomeKind.INTERRUPTED:
                getattr(scheduler, "take_back", lambda: None)()
                return self._cut_off(execution.outcome)
            self._executions += 1
            self._points += execution.steps
            self._passed += not execution.outcome.failed
            self._measure(execution, known)
            difference = getattr(scheduler, "difference", None)
            if difference is not None:
                self._report_twice(difference)
                return StopReason.FIRST_FINDING
            self._count_crash(execution.outcome)
            if execution.outcome.failed:
                self.endless += execution.outcome.kind == OutcomeKind.STEP_LIMIT
                session.end_by(None)  # what it is run again for has to come to the same end
                self._failed(execution, known)
                session.end_by(deadline)
                if self._budget.until == "first-finding" and self.findings.found:
                    return StopReason.INTERRUPTED if session.interrupted else StopReason.FIRST_FINDING
            if self._crashes_in_a_row >= MOST_CRASHES and not scheduler.complete:
                return StopReason.CRASHING
            if budget.until == WHOLE and not self._can_be_whole(budget):
                return WHOLE
            if budget.until in _GOALS or budget.until == LATER:
                if self.endless >= MOST_ENDLESS:
                    return StopReason.ENDLESS
                if budget.until != LATER and gauge.reached(budget.until, aims=self.still_aims()):
                    return StopReason(budget.until)
            if budget.until == "first-finding" and measured and not self._part.of_several:
                gauge.go_on(aims=self.still_aims())
            if self._progress is not None:
                self._progress(self._moment())

    def _cut_off(self, outcome: Outcome) -> str:
        """Say why an execution was ended before it was over: Ctrl-C, or the time was over (see `Watchdog`)."""
        if self._session.interrupted:
            return StopReason.INTERRUPTED
        where = f" at {outcome.message}" if outcome.message else ""
        self._notes.append(f"when the time was over, an execution was still running{where}: it does not count")
        return StopReason.SECONDS

    def _count_order(self, space: int) -> None:
        """Is a partial order run now, or an interleaving besides? A search that learns begins once more."""
        if space != self._space:
            self._space, self._orders, self._besides = space, 0, 0
        if getattr(self._scheduler, "ordered", False):
            self._besides += 1
        else:
            self._orders += 1

    def _count_crash(self, outcome: Outcome) -> None:
        self._crashes_in_a_row = self._crashes_in_a_row + 1 if outcome.kind == OutcomeKind.CRASH else 0
        self._crashes += outcome.kind == OutcomeKind.CRASH

    def _show_other_work(self) -> None:
        """Whatever is run that is no part of the search, people want to see that it goes on."""
        if self._progress is not None and (self.findings.doing or self._doing) != SEARCHING:
            self._progress(self._moment())

    def _moment(self) -> Moment:
        now = _monotonic() - self._start
        return Moment(
            executions=self._executions,
            findings=len(self.findings.found),
            seconds=now,
            covered=self.gauge.counts(),
            seconds_since_new=now - self._new_at,
            doing=self.findings.doing or self._doing,
        )

    def _aims_reached(self) -> dict[str, Any]:
        aims = getattr(self._policy, "aims", None)
        if aims is None:
            return {}
        table = self._session.table
        told = aims.told_given_up(told_apart({number: table[number] for number in table})) if aims.given_up() else []
        return {**asdict(aims.reached()), "given_up_requirements": told}

    def still_aims(self) -> bool:
        """Has the scheduler anything left that it wants to try?"""
        aims = getattr(self._scheduler, "aims", None)
        return aims is not None and not aims.empty

    def _measure(self, execution: Execution, known: Learned | None = None) -> None:
        gauge = self.gauge
        covered = gauge.add(execution, self._number, known)
        if covered is None or execution.observed is None:
            return
        if gauge.new:
            self._new_at = _monotonic() - self._start
        learn = getattr(self._scheduler, "learn", None)
        if learn is not None:
            new = 0 if known is None else gauge.new
            learn(*execution.observed, covered, early=self._session.model().early, new=new)

    def _failed(self, execution: Execution, known: Learned, *, credit: bool = True) -> None:
        if execution.outcome.signature not in self.findings.signatures:
            before = len(self.findings.found)
            self.findings.add_failed(execution.outcome, known, execution.decisions, self._number)
            found = getattr(self._scheduler, "found", None)
            if credit and found is not None and len(self.findings.found) > before:
                found()

    def _report_twice(self, difference: str) -> None:
        message = (
            f"the scenario is not deterministic: a schedule run twice differed at {difference}. "
            "Fix the source of chance, or reset state with setup= or isolate='fork'"
        )
        self.findings.add(
            Outcome(OutcomeKind.DIVERGENCE, message, "", (OutcomeKind.DIVERGENCE,)), None, None, self._number
        )

    def _tell_apart(self) -> None:
        """Have executions told apart as finely as the criteria do that; only matters for searches that are complete."""
        if not self.gauge.told_apart() or not self._scheduler.complete:
            return
        if hasattr(self._scheduler, "tell_apart"):
            self._scheduler.tell_apart()
        for kind in FINEST:
            self._session.learned.kind(kind)

    def _spent(self, reason: str) -> str:
        """The budget is spent; every partial order may have been run before."""
        return StopReason.EXHAUSTED if getattr(self._scheduler, "ordered", False) else reason

    def _honestly_exhausted(self) -> str:
        """Everything was tried; was everything under control?"""
        if getattr(self._scheduler, "cut", False):
            bound = getattr(self._scheduler, "bound", None)  # of some it is a number, of preemptions
            bound = bound if isinstance(bound, str) else "preemptions"
            self._notes.append(f"every schedule within the bound on {bound} was run; there are others")
            return StopReason.EXHAUSTED_WITHIN_BOUND
        if self._session.not_instrumented:
            self._notes.append("every schedule was run, but some code was not instrumented")
            return StopReason.EXHAUSTED_IN_PART
        if self._rehearsal.first_differs:
            self._notes.append("every schedule was run, but not of what only the first execution does")
            return StopReason.EXHAUSTED_IN_PART
        if self._crashes:
            self._notes.append(
                "every schedule was run, but what the other threads would have done after a crash is not known"
            )
            return StopReason.EXHAUSTED_IN_PART
        if not getattr(self._scheduler, "interleaved", True):
            left_open = self.gauge.leave_open()
            if left_open:
                self._notes.append(
                    "every partial order was run, but not every interleaving: those of one partial order can differ in "
                    f"{', '.join(sorted(left_open))}, whose totals are not exact"
                )
        return StopReason.EXHAUSTED
