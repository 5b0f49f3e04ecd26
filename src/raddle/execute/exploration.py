"""Many executions of one scenario, and what they found.

It begins with two rehearsals, executions without preemption: they show what threads share, and that the
scenario does the same when it is run the same way. Then come the executions that earlier runs kept, and the search.
A search that is saturated has not seen everything: where asked for, one that is complete comes after it, in case the
space is small enough to be searched to its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from raddle.analysis.equivalence import first_difference
from raddle.analysis.saturation import Saturation, chance_of_anything_new, rare_enough
from raddle.corpus import Kept
from raddle.execute.attention import Attention
from raddle.execute.findings import Findings, Shrink, ending, seen_by_watchdog
from raddle.execute.keeper import Keeper
from raddle.execute.learned import Learned
from raddle.execute.session import Execution, Recorded, Session
from raddle.outcome import Outcome
from raddle.result import EVERY_ORDER, KEPT_SCHEDULES, WITHOUT_PREEMPTION, Result
from raddle.schedulers.base import Scheduler
from raddle.schedulers.reachability import Reachability
from raddle.schedulers.sequential import Sequential
from raddle.site import told_apart
from raddle.trace import Trace
from raddle.wording import count

if TYPE_CHECKING:
    from raddle.execute.measurement import Measurement

_monotonic = time.monotonic
TIME_PASSED = (
    "a sleep or a wait with a timeout was over only when no other thread could go on: that it may be too short was not "
    "tried"
)

_GOALS = ("saturated", "covered")
_WITHOUT_GOAL = ("first-finding", "budget")  # a search that does not end because of what is covered
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
MOST_ENDLESS = 3  # executions that do not end are slow, and cover what they cover at once
CHECKED_EVERY = 16  # executions between two looks at whether everything is covered


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
        part: Part = Part(),  # noqa: B008 -- a frozen value
        complete: Reachability | None = None,  # comes last
        measure_all: bool = True,  # also once coverage is saturated
    ) -> None:
        self._session = session
        self._part = part
        self._keeper = Keeper(session) if keep else None
        self.unfit: list[Kept] = []  # of the corpus: cannot be had any more
        self._scheduler_name = scheduler
        self._scheduler = policy  # whose turn it is
        self._policy = policy
        self._complete = complete
        self._seed = seed
        self._budget = budget
        self._progress = progress
        self._measurement = measurement
        self.findings = Findings(session, seed=seed, shrink=shrink, signatures=part.signatures, reported=part.reported)
        self._notes = self.findings.notes
        self._executions = 0
        self._points = 0
        self.endless = 0  # executions that did not end
        self._single = False  # did it start no thread?
        self._first_differs = False  # was the first execution another one than those after it?
        self._crashes = self._crashes_in_a_row = 0  # executions that their process did not survive
        self._own = {name: dict.fromkeys(("executions", "covered", "found"), 0) for name in _NOT_THE_POLICY_S}
        self._space = -1  # what was known when a search through partial orders began
        self._orders = self._besides = 0  # partial orders run since then, and interleavings besides
        self._saturation = Saturation()
        self._attention = Attention(always=measure_all or policy.complete, saturated=part.saturated)
        self._left_out = 0  # executions that were not measured
        self.firsts: dict[int, int] = {}  # by number of a measured execution that covered something new: its own
        self._chance: float | None = None  # that something new comes, when the search was saturated
        self._new_at = 0.0  # when something new was covered last
        self._doing = SEARCHING

    def run(self, corpus: Sequence[Kept] = ()) -> Result:
        """Explore until the budget is spent or the search is over; first what earlier runs kept."""
        self._start = _monotonic()
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
        seconds = _monotonic() - self._start
        self._doing = "telling schedules"
        if reason == "exhausted":
            reason = self._honestly_exhausted()
        if "time" in self._session.learned.kinds and not self.findings.found:
            self._notes.append(TIME_PASSED)
        return Result(
            outcome=self.findings.found[0].kind if self.findings.found else "passed",
            findings=tuple(self.findings.found),
            executions=self._executions,
            scheduling_points=self._points,
            seconds=seconds,
            stopped_because=reason,
            seed=self._seed,
            scheduler=self._scheduler_name,
            switches=self._session.switches,
            not_instrumented=tuple((n.what, n.why) for n in self._session.not_instrumented),
            notes=tuple(self._notes),
            shares=self._shared(),
            orders=self._orders_run(),
            aims=self._aims_reached(),
            corpus=() if self._keeper is None else self._keeper.corpus(),
            left_out=self._left_out,
            chance_of_new=self._chance_of_new(reason),
        )

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
        covered = 0 if self._measurement is None else sum(self._measurement.counts().values())
        return {"executions": self._executions, "covered": covered, "found": len(self.findings.found)}

    @property
    def _number(self) -> int:
        """Of the execution that was run last."""
        return self._part.before + self._executions

    def _chance_of_new(self, reason: str) -> float | None:
        """That a thousand executions more cover anything that none has covered."""
        if self._measurement is None or not self._saturation.executions:
            return None
        if reason == "exhausted" and not self._measurement.open:
            return 0.0
        # What comes next is judged by what came by chance; executions of a complete search are all different.
        return chance_of_anything_new(self._measurement.tally()) if self._chance is None else self._chance

    # -- rehearsal ----------------------------------------------------------------------------------

    def _rehearse(self) -> str | None:
        """Two executions without preemption; a reason to stop, if they give one."""
        first = self._session.rehearse()
        if self._part.rehearsed:
            self._session.rehearse()
            return "interrupted" if self._session.interrupted else None
        if self._session.interrupted:
            return "interrupted"
        if first.outcome.kind in ("uncontrolled", "step-limit"):  # once is slow enough
            return self._fails_anyway(first)
        if not any(event.kind == "start" for event in first.trace) and not first.outcome.failed:
            self._single = True
            self._notes.append("the scenario started no thread: there is nothing to interleave")
        second = self._session.rehearse()
        if self._session.interrupted:
            return "interrupted"
        if second.outcome.kind == "uncontrolled":  # the first was spared it, as where something was there to be taken
            return self._fails_anyway(second)
        if not first.same_as(second):
            third = self._session.rehearse()
            if first.outcome.signature != second.outcome.signature or not second.same_as(third):
                self._report_difference(first, second)
                self._executions = max(self._executions, 2)
                return "first-finding"
            self._first_differs = True
            self._notes.append(
                "the first execution differs from those after it, as where something is cached or "
                f"imported once ({_first_difference(first.trace, second.trace)}); use setup= to reset "
                "such state, or isolate='fork', if that matters"
            )
        return self._fails_anyway(second) if second.outcome.failed else None

    def _fails_anyway(self, seen: Recorded) -> str | None:
        """It fails with no preemption at all: the first execution of any search would show it."""
        self._executions += 1
        if self._measurement is not None and seen.outcome.kind not in ("uncontrolled", "step-limit"):
            self._measure(self._session.run(Sequential().choose))  # the same once more: nothing looked on
        by_watchdog = seen.outcome.kind == "uncontrolled" or seen_by_watchdog(seen.outcome)
        self.findings.add(seen.outcome, None if by_watchdog else seen.schedule, seen, self._number)
        if self._budget.until == "first-finding" or by_watchdog:
            return "first-finding"
        return "endless" if seen.outcome.kind == "step-limit" else None

    def _report_difference(self, first: Recorded, second: Recorded) -> None:
        """The same schedule gave two different executions: say why, as far as that can be told."""
        where = _first_difference(first.trace, second.trace)
        if first.outcome.signature != second.outcome.signature:
            where = f"{where}; one ended as '{ending(first.outcome)}', the other as '{ending(second.outcome)}'"
        if self._session.repeatable():
            message = (
                "state survives from one execution to the next, so they are not the same: "
                f"{where}. Reset it with setup=, or use isolate='fork' (--isolate fork)"
            )
        else:
            message = (
                "the scenario is not deterministic: the same schedule, run twice, gave different "
                f"executions: {where}. Fix the source of chance (random numbers, the clock, sets, ids)"
            )
        self.findings.add(Outcome("divergence", message, "", ("divergence",)), None, second, self._number)

    # -- the corpus ---------------------------------------------------------------------------------

    def _run_corpus(self, corpus: Sequence[Kept]) -> str | None:
        """What earlier runs kept; a reason to stop, if it gives one."""
        session = self._session
        for kept in corpus:
            if session.interrupted:
                return "interrupted"
            if self._budget.executions is not None and self._executions >= self._budget.executions:
                return "executions"
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
            self._executions += 1
            self._points += execution.steps
            self._measure(execution)
            if execution.outcome.failed:
                self._failed(execution, known, credit=False)
                if self._budget.until == "first-finding" and self.findings.found:
                    return "first-finding"
        if len(corpus) > len(self.unfit):
            fit = len(corpus) - len(self.unfit)
            new = sum(self._measurement.counts().values()) if self._measurement is not None else 0
            self._notes.append(
                f"begun with {count(fit, 'schedule')} kept by earlier runs, which covered {new:,} requirements again"
            )
        return None

    # -- search -------------------------------------------------------------------------------------

    def _search_to_the_end(self, complete: Reachability) -> str:
        """As asked; but when it is saturated and nothing was found, it is tried whether the whole space can be run."""
        reason = "saturated" if self._single else self._search(replace(self._budget, until="saturated"))
        if reason != "saturated" or self.findings.found:
            return reason
        reason = self._search_all(complete)
        return self._search(self._budget) if reason == "saturated" != self._budget.until else reason

    def _search_all(self, complete: Reachability) -> str:
        """Nothing was found: is there nothing? Known only where the space ends within as many executions again."""
        again = max(2 * self._executions, LEAST_IN_ALL)
        most = again if self._budget.executions is None else min(again, self._budget.executions)
        self._chance = self._chance_of_new("saturated")
        self._scheduler = complete
        with self._counted(EVERY_ORDER):
            reason = self._search(replace(self._budget, executions=most, until=WHOLE))
        if self._own[EVERY_ORDER]["covered"]:
            self._chance = None
        if reason in ("executions", "seconds", WHOLE):
            self._scheduler = self._policy
            return "saturated"
        return reason

    def _can_be_whole(self, budget: Budget) -> bool:
        """Does the search through everything not go on for longer than it may, as far as is known?"""
        complete: Any = self._scheduler
        return not complete.cut and self._executions + complete.planned() <= (budget.executions or 0)

    def _search(self, budget: Budget) -> str:
        session, scheduler, goes_on = self._session, self._scheduler, self._part.goes_on
        deadline = None if budget.seconds is None else self._start + budget.seconds
        if deadline is not None:
            session.end_by(deadline)
        session.prepare(scheduler)
        self._tell_apart()
        while True:
            if session.interrupted:
                return "interrupted"
            if budget.executions is not None and self._executions >= budget.executions:
                return self._spent("executions")
            if deadline is not None and _monotonic() >= deadline:
                return self._spent("seconds")
            version = session.learned.version
            number = self._number + 1
            if goes_on is not None and not goes_on(number):
                return "interrupted"
            if not scheduler.begin(number, version):
                return "exhausted"
            self._count_order(version)
            known = session.snapshot()
            measured = scheduler.complete or self._attention.wants(number)
            execution = session.run_for(scheduler, measured=measured)
            if execution.outcome.kind == "interrupted":
                getattr(scheduler, "take_back", lambda: None)()
                return "interrupted" if session.interrupted else self._cut_off(execution.outcome)
            self._executions += 1
            self._points += execution.steps
            self._left_out += not measured
            self._measure(execution, known)
            difference = getattr(scheduler, "difference", None)
            if difference is not None:
                self._report_twice(difference)
                return "first-finding"
            self._count_crash(execution.outcome)
            if execution.outcome.failed:
                self.endless += execution.outcome.kind == "step-limit"
                self._failed(execution, known)
                if self._budget.until == "first-finding" and self.findings.found:
                    return "interrupted" if session.interrupted else "first-finding"
            if self._crashes_in_a_row >= MOST_CRASHES and not scheduler.complete:
                return "crashing"
            if budget.until == WHOLE and not self._can_be_whole(budget):
                return WHOLE
            if budget.until in _GOALS or budget.until == LATER:
                if self.endless >= MOST_ENDLESS:
                    return "endless"
                if self._reached(budget.until):
                    return budget.until
            if measured and budget.until in _WITHOUT_GOAL and not self._attention.saturated:
                self._attention.saturated = self._reached("saturated")
            if self._progress is not None:
                self._progress(self._moment())

    def _cut_off(self, outcome: Outcome) -> str:
        """The time was over while a thread was computing, see `Watchdog`."""
        self._notes.append(
            "when the time was over, a thread was computing and came to no scheduling point"
            + (f" ({outcome.message})" if outcome.message else "")
            + ": its execution was ended, and does not count"
        )
        return "seconds"

    def _count_order(self, space: int) -> None:
        """Is a partial order run now, or an interleaving besides? A search that learns begins once more."""
        if space != self._space:
            self._space, self._orders, self._besides = space, 0, 0
        if getattr(self._scheduler, "ordered", False):
            self._besides += 1
        else:
            self._orders += 1

    def _count_crash(self, outcome: Outcome) -> None:
        self._crashes_in_a_row = self._crashes_in_a_row + 1 if outcome.kind == "crash" else 0
        self._crashes += outcome.kind == "crash"

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
            covered={} if self._measurement is None else self._measurement.counts(),
            seconds_since_new=now - self._new_at,
            doing=self.findings.doing or self._doing,
        )

    def _reached(self, goal: str) -> bool:
        """Is it saturated, or is everything covered? Looked at now and then only: it takes a while."""
        measurement, saturation = self._measurement, self._saturation
        if goal == LATER or measurement is None:
            return False
        if saturation.executions % CHECKED_EVERY and saturation.executions > CHECKED_EVERY:
            return False
        saturated = saturation.reached and rare_enough(measurement.tally()) and not self.still_aims()
        if goal == "saturated":
            return saturated
        return measurement.all_covered(self._session.model(), otherwise=saturated)

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
        measurement = self._measurement
        if measurement is None or execution.observed is None:
            return
        measurement.early = early = self._session.model().early
        covered = measurement.add(*execution.observed)
        self._saturation.add(measurement.new)
        if measurement.new:
            self._new_at = _monotonic() - self._start
            self._attention.saturated = False
            self.firsts[measurement.executions] = self._number
            if known is not None and self._keeper is not None:
                self._keeper.keep(measurement.executions, measurement.new, execution.decisions, known)
        learn = getattr(self._scheduler, "learn", None)
        if learn is not None:
            learn(*execution.observed, covered, early=early, new=0 if known is None else measurement.new)

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
        self.findings.add(Outcome("divergence", message, "", ("divergence",)), None, None, self._number)

    def _told_apart(self) -> frozenset[str]:
        """The criteria that tell executions of one partial order apart."""
        criteria = () if self._measurement is None else self._measurement.criteria
        return frozenset(criterion.name for criterion in criteria if not criterion.by_order)

    def _tell_apart(self) -> None:
        """Have executions told apart as finely as the criteria do that; only matters for searches that are complete."""
        if not self._told_apart() or not self._scheduler.complete:
            return
        if hasattr(self._scheduler, "tell_apart"):
            self._scheduler.tell_apart()
        for kind in FINEST:
            self._session.learned.kind(kind)

    def _spent(self, reason: str) -> str:
        """The budget is spent; every partial order may have been run before."""
        return "exhausted" if getattr(self._scheduler, "ordered", False) else reason

    def _honestly_exhausted(self) -> str:
        """Everything was tried; was everything under control?"""
        if getattr(self._scheduler, "cut", False):
            bound = getattr(self._scheduler, "bound", None)  # of some it is a number, of preemptions
            bound = bound if isinstance(bound, str) else "preemptions"
            self._notes.append(f"every schedule within the bound on {bound} was run; there are others")
            return "exhausted-within-bound"
        if self._session.not_instrumented:
            self._notes.append("every schedule was run, but some code was not instrumented")
            return "exhausted-in-part"
        if self._first_differs:
            self._notes.append("every schedule was run, but not of what only the first execution does")
            return "exhausted-in-part"
        if self._crashes:
            self._notes.append(
                "every schedule was run, but what the other threads would have done after a crash is not known"
            )
            return "exhausted-in-part"
        if self._measurement is not None and not getattr(self._scheduler, "interleaved", True):
            self._measurement.open = self._told_apart()
            if self._measurement.open:
                self._notes.append(
                    "every partial order was run, but not every interleaving: those of one partial order can differ in "
                    f"{', '.join(sorted(self._measurement.open))}, whose totals are not exact"
                )
        return "exhausted"


def _first_difference(first: Trace, second: Trace) -> str:
    found = first_difference(first, second)
    if found is None:
        return "no step differs"
    one, other = found
    return f"where one did '{one or 'nothing more'}', the other did '{other or 'nothing more'}'"
