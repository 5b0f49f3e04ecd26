"""Many executions of one scenario, and what they found.

It begins with two rehearsals, executions without preemption: they show what threads share, and that the
scenario does the same when it is run the same way. A failure is run again, watched, turned into a
schedule's text, and that text is run too: what is reported has been seen to happen again.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raddle.analysis.equivalence import first_difference
from raddle.errors import DivergedError
from raddle.execute.learned import Learned
from raddle.execute.session import Execution, Recorded, Session
from raddle.execute.simplify import simplify
from raddle.finding import FREE_THREADED_ONLY, THIS_INTERPRETER, Finding
from raddle.outcome import Outcome
from raddle.result import Result
from raddle.schedule import Schedule
from raddle.schedulers import make_scheduler
from raddle.schedulers.base import Scheduler
from raddle.schedulers.random_walk import RandomWalk
from raddle.schedulers.sequential import Sequential
from raddle.site import SiteTable
from raddle.trace import Trace

if TYPE_CHECKING:
    from raddle.execute.measurement import Measurement

_monotonic = time.monotonic
TRIES_WITH_GIL = 200  # executions spent on whether a finding needs a free-threaded build

Progress = Callable[[int, int, float], None]  # executions, findings, seconds


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop."""

    executions: int | None = None
    seconds: float | None = None
    until: str = "first-finding"  # or "exhausted", "budget"


class Exploration:
    """One search through the interleavings of a scenario."""

    def __init__(
        self,
        session: Session,
        *,
        scheduler: str,
        seed: int,
        budget: Budget,
        progress: Progress | None = None,
        measurement: Measurement | None = None,
    ) -> None:
        self._session = session
        self._scheduler_name = scheduler
        self._scheduler: Scheduler = make_scheduler(scheduler, seed=seed)
        self._seed = seed
        self._budget = budget
        self._progress = progress
        self._measurement = measurement
        self._findings: list[Finding] = []
        self._signatures: set[tuple[str, ...]] = set()
        self._notes: list[str] = []
        self._executions = 0
        self._points = 0

    @property
    def can_exhaust(self) -> bool:
        """Does the scheduler come to an end of its own?"""
        return self._scheduler.complete

    def run(self) -> Result:
        """Explore until the budget is spent or the search is over."""
        self._start = _monotonic()
        reason = self._rehearse() or self._search()
        seconds = _monotonic() - self._start
        if reason == "exhausted":
            reason = self._honestly_exhausted()
        return Result(
            outcome=self._findings[0].kind if self._findings else "passed",
            findings=tuple(self._findings),
            executions=self._executions,
            scheduling_points=self._points,
            seconds=seconds,
            stopped_because=reason,
            seed=self._seed,
            scheduler=self._scheduler_name,
            switches=self._session.switches,
            not_instrumented=tuple((n.what, n.why) for n in self._session.not_instrumented),
            notes=tuple(self._notes),
        )

    # -- rehearsal ----------------------------------------------------------------------------------

    def _rehearse(self) -> str | None:
        """Two executions without preemption; a reason to stop, if they give one."""
        first = self._session.rehearse()
        if self._session.interrupted:
            return "interrupted"
        if first.outcome.kind in ("uncontrolled", "step-limit"):  # once is slow enough
            return self._fails_anyway(first)
        if not any(event.kind == "start" for event in first.trace) and not first.outcome.failed:
            self._notes.append("the scenario started no thread: there is nothing to interleave")
        second = self._session.rehearse()
        if self._session.interrupted:
            return "interrupted"
        if not first.same_as(second):
            third = self._session.rehearse()
            if first.outcome.signature != second.outcome.signature or not second.same_as(third):
                self._report_difference(first, second)
                self._executions = max(self._executions, 2)
                return "first-finding"
            self._notes.append(
                "the first execution differs from those after it, as where something is cached or "
                f"imported once ({_first_difference(first.trace, second.trace)}); use setup= to reset "
                "such state, or isolate='fork', if that matters"
            )
        return self._fails_anyway(second) if second.outcome.failed else None

    def _fails_anyway(self, seen: Recorded) -> str | None:
        """It fails with no preemption at all: the first execution of any search would show it."""
        self._executions += 1
        if self._measurement is not None and seen.outcome.kind != "uncontrolled":
            self._measure(self._session.run(Sequential().choose))  # the same once more: nothing looked on
        by_watchdog = seen.outcome.kind == "uncontrolled" or _seen_by_watchdog(seen.outcome)
        self._add(seen.outcome, None if by_watchdog else seen.schedule, seen)
        return "first-finding" if self._budget.until == "first-finding" or by_watchdog else None

    def _report_difference(self, first: Recorded, second: Recorded) -> None:
        """The same schedule gave two different executions: say why, as far as that can be told."""
        where = _first_difference(first.trace, second.trace)
        if first.outcome.signature != second.outcome.signature:
            where = f"{where}; one ended as '{_ending(first.outcome)}', the other as '{_ending(second.outcome)}'"
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
        self._add(Outcome("divergence", message, "", ("divergence",)), None, second)

    # -- search -------------------------------------------------------------------------------------

    def _search(self) -> str:
        session, scheduler, budget = self._session, self._scheduler, self._budget
        deadline = None if budget.seconds is None else self._start + budget.seconds
        while True:
            if session.interrupted:
                return "interrupted"
            if budget.executions is not None and self._executions >= budget.executions:
                return "executions"
            if deadline is not None and _monotonic() >= deadline:
                return "seconds"
            version = session.learned.version
            if not scheduler.begin(self._executions + 1, version):
                return "exhausted"
            known = session.snapshot()
            execution = session.run_for(scheduler)
            if execution.outcome.kind == "interrupted":
                return "interrupted"
            self._executions += 1
            self._points += execution.steps
            self._measure(execution)
            difference = getattr(scheduler, "difference", None)
            if difference is not None:
                self._report_twice(difference)
                return "first-finding"
            if execution.outcome.failed:
                self._failed(execution, known)
                if budget.until == "first-finding" and self._findings:
                    return "interrupted" if session.interrupted else "first-finding"
            if self._progress is not None:
                self._progress(self._executions, len(self._findings), _monotonic() - self._start)

    def _measure(self, execution: Execution) -> None:
        if self._measurement is not None and execution.observed is not None:
            self._measurement.early = self._session.model().early
            self._measurement.add(*execution.observed)

    def _failed(self, execution: Execution, known: Learned) -> None:
        if execution.outcome.signature not in self._signatures:
            self._found(execution.outcome, known, execution.decisions)

    def _report_twice(self, difference: str) -> None:
        message = (
            f"the scenario is not deterministic: a schedule run twice differed at {difference}. "
            "Fix the source of chance, or reset state with setup= or isolate='fork'"
        )
        self._add(Outcome("divergence", message, "", ("divergence",)), None, None)

    def _honestly_exhausted(self) -> str:
        """Everything was tried; was everything under control?"""
        if getattr(self._scheduler, "cut", False):
            self._notes.append("every schedule within the bound on preemptions was run; there are others")
            return "exhausted-within-bound"
        if self._session.not_instrumented:
            self._notes.append("every schedule was run, but some code was not instrumented")
            return "exhausted-in-part"
        return "exhausted"

    # -- findings -----------------------------------------------------------------------------------

    def _found(self, outcome: Outcome, known: Learned, decisions: tuple[int, ...]) -> None:
        """An execution failed: see it fail again, and again by its text."""
        session = self._session
        self._signatures.add(outcome.signature)
        if outcome.kind == "uncontrolled" or _seen_by_watchdog(outcome):
            self._add(outcome, None, None)  # its stack is all there is, and it would be slow to have again
            return
        again = session.again(decisions, known)
        if again.outcome.signature[:1] != outcome.signature[:1]:
            if session.interrupted:
                return
            self._add_divergence(outcome, again)
            return
        replayed, text = self._as_text(again)
        self._add(replayed.outcome, text, replayed)

    def _as_text(self, again: Recorded) -> tuple[Recorded, Schedule]:
        """The shortest text whose execution ends the same."""
        session = self._session
        whole = again.schedule
        best = session.replay(whole)
        if not _same_failure(best, again):
            self._notes.append(f"the schedule's text did not show the failure again: {best.divergence}")
            return again, whole
        low, high = 1, len(whole.segments)
        while low < high:  # whoever goes on by default need not be named
            middle = (low + high) // 2
            tried = session.replay(Schedule(whole.segments[:middle]))
            if tried.divergence is None and _same_failure(tried, best):
                high, best = middle, tried
            else:
                low = middle + 1
        best = replace(best, schedule=Schedule(whole.segments[:low]))
        signature, here = best.outcome.signature, possible_here(best)

        def fits(tried: Recorded) -> bool:
            """The same failure, and not one that needs more of the interpreter."""
            return tried.outcome.signature == signature and (possible_here(tried) or not here)

        return simplify(best, session.replay, fits)

    def _add_divergence(self, outcome: Outcome, again: Recorded) -> None:
        message = (
            f"an execution ended as '{_ending(outcome)}', and as '{_ending(again.outcome)}' when it was run again "
            "with the same schedule"
        )
        if self._session.repeatable():
            message += ": state survives from one execution to the next. Reset it with setup=, or use isolate='fork'"
        else:
            message += ": the scenario is not deterministic"
        self._add(Outcome("divergence", message, outcome.thread, ("divergence",)), None, again)

    def _add(self, outcome: Outcome, schedule: Schedule | None, seen: Recorded | None) -> None:
        session = self._session
        possible_on = THIS_INTERPRETER
        endless = outcome.kind == "step-limit"
        if schedule is not None and seen is not None and not endless and not possible_here(seen):
            with_gil = self._look_with_gil(outcome)
            if with_gil is None:
                possible_on = FREE_THREADED_ONLY
            else:
                seen, schedule = with_gil
                outcome = seen.outcome
        self._signatures.add(outcome.signature)
        finding = make_finding(outcome, schedule, seen, session.table, possible_on=possible_on)
        self._findings.append(replace(finding, execution=self._executions))

    def _look_with_gil(self, outcome: Outcome) -> tuple[Recorded, Schedule] | None:
        """Look for the same failure among the schedules that CPython with the GIL can have."""
        session = self._session
        with session.with_gil():
            walk = RandomWalk(self._seed)
            for number in range(1, TRIES_WITH_GIL + 1):
                walk.begin(number, 0)
                known = session.snapshot()
                execution = session.run(walk.choose)
                if session.interrupted:
                    return None
                if execution.outcome.signature == outcome.signature:
                    again = session.again(execution.decisions, known)
                    if again.outcome.signature == outcome.signature:
                        replayed, text = self._as_text(again)
                        if possible_here(replayed):
                            return replayed, text
        return None


def replayed_finding(session: Session, schedule: Schedule) -> Finding | None:
    """Follow a schedule; what went wrong, if anything did."""
    seen = session.replay(schedule)
    if session.interrupted:
        raise KeyboardInterrupt
    if seen.divergence is not None:
        step = seen.divergence_step or 1
        raise DivergedError(
            "schedule-diverged",
            f"the schedule does not fit this code: step {step}, '{schedule.segments[step - 1]}': {seen.divergence}",
        )
    if not seen.outcome.failed:
        return None
    here = possible_here(seen)
    return make_finding(
        seen.outcome, schedule, seen, session.table, possible_on=THIS_INTERPRETER if here else FREE_THREADED_ONLY
    )


def make_finding(
    outcome: Outcome, schedule: Schedule | None, seen: Recorded | None, table: SiteTable, *, possible_on: str
) -> Finding:
    """A failed execution as people and machines get to see it."""
    return Finding(
        kind=outcome.kind,
        message=outcome.message,
        thread=outcome.thread,
        possible_on=possible_on,
        schedule=schedule,
        trace=seen.trace if seen else Trace(()),
        details=outcome.details,
        preemptions=seen.preemptions if seen else (),
        paths=table.paths(),
        error=outcome.error,
    )


def possible_here(seen: Recorded) -> bool:
    """Were all threads stopped where this interpreter can switch?"""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return True
    return all(stop.with_gil for stop in seen.preemptions)


def _seen_by_watchdog(outcome: Outcome) -> bool:
    return outcome.kind == "step-limit" and outcome.signature != ("step-limit",)


def _same_failure(one: Recorded, other: Recorded) -> bool:
    """The same end by the same steps; of an execution without end the end must do."""
    if other.outcome.kind == "step-limit":
        return one.outcome.signature == other.outcome.signature
    return one.divergence is None and one.same_as(other)


def _ending(outcome: Outcome) -> str:
    return f"{outcome.kind}: {outcome.message}" if outcome.failed else "passed"


def _first_difference(first: Trace, second: Trace) -> str:
    found = first_difference(first, second)
    if found is None:
        return "no step differs"
    one, other = found
    return f"where one did '{one or 'nothing more'}', the other did '{other or 'nothing more'}'"
