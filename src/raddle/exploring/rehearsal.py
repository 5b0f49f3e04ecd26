"""The rehearsal: executions without preemption, run at the start of a search.

The rehearsal shows which data the threads share, and whether the same schedule always gives the same execution. Two
executions are enough unless they differ. If they differ, a third execution is run. If the third equals the second, only
the first execution is different, for example because it fills a cache.
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

REHEARSAL_SECONDS = 1.0  # minimum time for the rehearsal, even if the search has less time


@dataclass(slots=True)
class Rehearsal:
    """The result of the rehearsal."""

    failing: Recorded | None = None  # an execution that failed without preemption
    differing: tuple[Recorded, Recorded] | None = None  # two different executions with the same schedule
    single: bool = False  # True if the scenario started no thread
    first_differs: bool = False  # True if only the first execution was different
    interrupted: Outcome | None = None  # the outcome if Ctrl-C or the time limit ended an execution
    notes: list[str] = field(default_factory=list)


def rehearse_again(ledger: Ledger) -> StopReason | None:
    """Rehearse in a later unit, to learn the same scheduling points as the first unit."""
    _allow_time(ledger)
    ends = [ledger.session.rehearse().outcome for _ in range(2)]
    cut_off = next((outcome for outcome in ends if outcome.kind == OutcomeKind.INTERRUPTED), None)
    return ledger.cut_off(cut_off) if cut_off else None


def reason_to_stop(ledger: Ledger, seen: Rehearsal, until: str, scheduler: Scheduler) -> StopReason | None:
    """Add the results of the rehearsal to the ledger; return a reason to stop the search, or None."""
    session, counts = ledger.session, ledger.counts
    ledger.notes += seen.notes
    if seen.interrupted is not None:
        return ledger.cut_off(seen.interrupted)
    session.end_by(None)  # the deadline must not cut replays of a failure short
    if seen.differing is not None:
        outcome = divergence(session, *seen.differing)
        ledger.findings.add(outcome, None, seen.differing[1], counts.number)
        counts.executions = max(counts.executions, 2)
        counts.points += sum(recorded.steps for recorded in seen.differing)
        return StopReason.FIRST_FINDING
    return None if seen.failing is None else _add_failure(ledger, seen.failing, until, scheduler)


def _add_failure(ledger: Ledger, seen: Recorded, until: str, scheduler: Scheduler) -> StopReason | None:
    """Add a failure that needs no preemption, as if a search had found it; return a reason to stop, or None."""
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
    """Run the scenario without preemption, two or three times."""
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
    if first.outcome.kind in (OutcomeKind.UNCONTROLLED, OutcomeKind.STEP_LIMIT):  # slow, so do not run it again
        seen.failing = first
        return
    if not any(event.kind == START for event in first.trace) and not first.outcome.failed:
        seen.single = True
        seen.notes.append("the scenario started no thread: there is nothing to interleave")
    second = _run(session)
    # For example, the first execution took the only item from a queue, so the second one blocks.
    if second.outcome.kind == OutcomeKind.UNCONTROLLED:
        seen.failing = second
        return
    if not first.same_as(second):
        third = _run(session)
        if first.outcome.signature != second.outcome.signature or not second.same_as(third):
            seen.differing = first, second
            return
        seen.first_differs = True
        seen.notes.append(
            "the first execution differs from later executions, for example because something is cached or "
            f"imported once ({_where(first.trace, second.trace)}); if that matters, reset such "
            "state with setup=, or use isolate='fork'"
        )
    if second.outcome.failed:
        seen.failing = second


def divergence(session: Session, first: Recorded, second: Recorded) -> Outcome:
    """Return a divergence with its likely cause, for two executions that differ despite having the same schedule."""
    where = _where(first.trace, second.trace)
    if first.outcome.signature != second.outcome.signature:
        ends = ending(first.outcome), ending(second.outcome)
        where = f"{where}; the first ended with '{ends[0]}', the second with '{ends[1]}'"
    if session.repeatable():
        message = (
            "state survives from one execution to the next, so two executions differ: "
            f"{where}. Reset that state with setup=, or use isolate='fork' (--isolate fork)"
        )
    else:
        message = (
            "two executions with the same schedule differ, so the scenario is not deterministic: "
            f"{where}. Remove the source of randomness (random generators, the clock, sets, ids)"
        )
    return Outcome(OutcomeKind.DIVERGENCE, message, "", (OutcomeKind.DIVERGENCE,))


def _where(first: Trace, second: Trace) -> str:
    """Return a clause that describes the first difference between two executions."""
    found = first_difference(first, second)
    if found is None:
        return "both took the same steps"
    first_step, second_step = (step or "nothing more" for step in found)
    return f"where the first did '{first_step}', the second did '{second_step}'"
