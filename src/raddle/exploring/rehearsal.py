"""Rehearsal: executions without preemption, before a search begins.

They show what threads share, and that the scenario does the same when it is run the same way. Two will do, unless they
differ: where only the first one does something else, as what fills a cache, the third is like the second.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from raddle.analysis.equivalence import first_difference
from raddle.execute.session import Recorded, Session
from raddle.exploring.findings import ending
from raddle.operation import START
from raddle.outcome import Outcome, OutcomeKind
from raddle.trace import Trace

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


def rehearse(session: Session) -> Rehearsal:
    """Run the scenario without preemption, as often as it takes."""
    seen = Rehearsal()
    try:
        _rehearse(session, seen)
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
