"""Rehearsal: executions without preemption, before a search begins.

They show what threads share, and that the scenario does the same when it is run the same way. Two will do, unless they
differ: where only the first one does something else, as what fills a cache, the third is like the second.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from raddle.analysis.equivalence import first_difference
from raddle.execute.session import Recorded, Session
from raddle.exploring.findings import ending, seen_by_watchdog
from raddle.exploring.ledger import Ledger
from raddle.operation import START
from raddle.outcome import Outcome, OutcomeKind
from raddle.schedulers.base import Scheduler
from raddle.schedulers.sequential import Sequential
from raddle.stop_reason import StopReason
from raddle.trace import Trace

REHEARSAL_SECONDS = 1.0  # what a rehearsal may take at least, however little time there is for the search
THE_FIRST = "where the first did '{}', the second did '{}'"  # of two executions
THE_FIRST_TIME = "where it did '{}' the first time, it did '{}' the second time"  # one schedule, run twice


@dataclass(slots=True)
class Rehearsal:
    """What was seen."""

    failing: Recorded | None = None  # it fails with no preemption at all
    differing: tuple[Recorded, Recorded] | None = None  # the same schedule gave two different executions
    single: bool = False  # did it start no thread?
    first_differs: bool = False  # was the first execution another one than those after it?
    interrupted: Outcome | None = None  # Ctrl-C was pressed, or the time was over
    notes: list[str] = field(default_factory=list)


def rehearse_again(ledger: Ledger) -> StopReason | None:
    """Rehearse in a later unit, as often as in the first one: what is learnt from it counts."""
    _allow_time(ledger)
    ends = [ledger.session.rehearse().outcome for _ in range(2)]
    cut_off = next((outcome for outcome in ends if outcome.kind == OutcomeKind.INTERRUPTED), None)
    return ledger.cut_off(cut_off) if cut_off else None


def reason_to_stop(ledger: Ledger, seen: Rehearsal, until: str, scheduler: Scheduler) -> StopReason | None:
    """Report what a rehearsal found; return a reason to stop the search, if there is one."""
    session, counts = ledger.session, ledger.counts
    ledger.notes += seen.notes
    if seen.interrupted is not None:
        return ledger.cut_off(seen.interrupted)
    session.end_by(None)  # a failure has to come to the same end when it is run again
    if seen.differing is not None:
        outcome = divergence(session, *seen.differing)
        ledger.findings.add(outcome, None, seen.differing[1], counts.number)
        counts.executions = max(counts.executions, 2)
        counts.points += sum(recorded.steps for recorded in seen.differing)
        return StopReason.FIRST_FINDING
    return None if seen.failing is None else _fails_anyway(ledger, seen.failing, until, scheduler)


def _fails_anyway(ledger: Ledger, seen: Recorded, until: str, scheduler: Scheduler) -> StopReason | None:
    """Report a failure without any preemption, which the first execution of any search would show."""
    ledger.counts.executions += 1
    ledger.counts.points += seen.steps
    if ledger.coverage.measures and seen.outcome.kind not in (OutcomeKind.UNCONTROLLED, OutcomeKind.STEP_LIMIT):
        ledger.measure(ledger.session.run(Sequential().choose), scheduler)  # the rehearsal itself was not measured
    by_watchdog = seen_by_watchdog(seen.outcome)
    ledger.findings.add(seen.outcome, None if by_watchdog else seen.schedule, seen, ledger.counts.number)
    if until == "first-finding" or by_watchdog:
        return StopReason.FIRST_FINDING
    return StopReason.ENDLESS if seen.outcome.kind == OutcomeKind.STEP_LIMIT else None


def _allow_time(ledger: Ledger) -> None:
    if ledger.clock.deadline is not None:
        ledger.session.end_by(max(ledger.clock.deadline, ledger.clock.start + REHEARSAL_SECONDS))


def rehearse(ledger: Ledger) -> Rehearsal:
    """Run the scenario without preemption, as often as it takes."""
    _allow_time(ledger)
    seen = Rehearsal()
    try:
        _rehearse(ledger.session, seen)
    except _InterruptedError as error:
        seen.interrupted = error.outcome
    return seen


class _InterruptedError(Exception):
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def _run(session: Session) -> Recorded:
    recorded = session.rehearse()
    if session.interrupted or recorded.outcome.kind == OutcomeKind.INTERRUPTED:
        raise _InterruptedError(recorded.outcome)
    return recorded


def _rehearse(session: Session, seen: Rehearsal) -> None:
    first = _run(session)
    if first.outcome.kind in (OutcomeKind.UNCONTROLLED, OutcomeKind.STEP_LIMIT):  # once is slow enough
        seen.failing = first
        return
    if not any(event.kind == START for event in first.trace) and not first.outcome.failed:
        seen.single = True
        seen.notes.append("the scenario started no thread: there is nothing to interleave")
    second = _run(session)
    if (
        second.outcome.kind == OutcomeKind.UNCONTROLLED
    ):  # the first was spared it, as where something was there to be taken
        seen.failing = second
        return
    if not first.same_as(second):
        third = _run(session)
        if first.outcome.signature != second.outcome.signature or not second.same_as(third):
            seen.differing = first, second
            return
        seen.first_differs = True
        seen.notes.append(
            "the first execution differs from those after it, as where something is cached or "
            f"imported once ({_where(first.trace, second.trace, THE_FIRST)}); use setup= to reset "
            "such state, or isolate='fork', if that matters"
        )
    if second.outcome.failed:
        seen.failing = second


def divergence(session: Session, first: Recorded, second: Recorded) -> Outcome:
    """The same schedule gave two different executions: why, as far as that can be told."""
    where = _where(first.trace, second.trace, THE_FIRST_TIME)
    if first.outcome.signature != second.outcome.signature:
        ends = ending(first.outcome), ending(second.outcome)
        where = f"{where}; it ended as '{ends[0]}' the first time, as '{ends[1]}' the second time"
    if session.repeatable():
        message = (
            "state survives from one execution to the next, so they are not the same: "
            f"{where}. Reset it with setup=, or use isolate='fork' (--isolate fork)"
        )
    else:
        message = (
            "the scenario is not deterministic: the same schedule, run twice, gave different "
            f"executions: {where}. Fix the source of chance (random numbers, the clock, sets, ids)"
        )
    return Outcome(OutcomeKind.DIVERGENCE, message, "", (OutcomeKind.DIVERGENCE,))


def _where(first: Trace, second: Trace, words: str) -> str:
    """Where two executions begin to differ, and which did what."""
    found = first_difference(first, second)
    if found is None:
        return "no step differs"
    return words.format(*(step or "nothing more" for step in found))
