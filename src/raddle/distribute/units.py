"""A unit: a part of a search that any process can run, given as a value, and what came of it.

What a unit does depends on nothing but itself: the executions have numbers, and what earlier units learnt, covered and
found is told to it. So it does not matter which process runs it, nor what else that process runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from raddle.corpus import Kept, fitting
from raddle.distribute.references import Reference
from raddle.execute.session import Session
from raddle.exploring.exploration import Budget, Exploration, Part
from raddle.guide.aims import AimsMemory
from raddle.guide.policies import make_policy
from raddle.guide.shrink import shrink
from raddle.record import Record
from raddle.result import Result
from raddle.tally import Key

if TYPE_CHECKING:
    from raddle.measuring.measurement import Measurement

GoesOn = Callable[[int], bool]  # asked before the execution of that number


@dataclass(frozen=True, slots=True)
class Plan:
    """What all units of a search have in common."""

    scenario: Reference
    setup: Reference | None
    session: Mapping[str, Any]  # options of `Session`
    scheduler: str
    seed: int
    criteria: tuple[str, ...]  # names; none: nothing is measured
    until: str  # as `Budget` has it
    shrink: bool = True
    keep: bool = True  # for the data file: executions that covered something new
    origin: str = ""  # what is explored, as the record names it
    measure_all: bool = True  # executions, also once coverage is saturated


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier units found out."""

    sites: frozenset[int] = frozenset()  # that need a scheduling point
    kinds: frozenset[str] = frozenset()  # of resources that do
    covered: Mapping[str, frozenset[Key]] = field(default_factory=dict)  # by criterion
    signatures: frozenset[tuple[str, ...]] = frozenset()  # of failures that were looked at
    reported: frozenset[tuple[str, ...]] = frozenset()  # of findings
    aims: AimsMemory = field(default_factory=AimsMemory)


NOTHING = Known()


@dataclass(frozen=True, slots=True)
class Unit:
    """So many executions, from a number on."""

    plan: Plan
    before: int  # the number of the execution before its first
    executions: int
    known: Known = NOTHING
    rehearsed: bool = False  # was the scenario rehearsed in an earlier unit?
    share: tuple[int, int] = (0, 1)  # of what can be aimed at
    deadline: float | None = None  # by the clock on the wall, which all processes have in common
    corpus: tuple[Kept, ...] = ()  # executions of earlier runs to begin with
    saturated: bool = False  # was coverage, by what earlier units covered?


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a unit."""

    unit: Unit
    result: Result  # no exception objects in it, which need not be picklable
    signed: tuple[tuple[str, ...], ...] = ()  # the signatures of the findings
    known: Known = NOTHING  # what is known now; what is covered the record says
    endless: int = 0  # executions that did not end
    still_aims: bool = False  # is there anything left to try?
    unfit: tuple[Kept, ...] = ()  # of the corpus
    firsts: Mapping[int, int] = field(default_factory=dict)  # as `Exploration` has it

    @property
    def record(self) -> Record | None:
        return self.result.record


def open_session(plan: Plan) -> Session:
    """For the units of a search, one after the other."""
    return Session(plan.scenario.load(), setup=plan.setup.load() if plan.setup else None, **plan.session)


def run_unit(unit: Unit, session: Session | None = None, goes_on: GoesOn | None = None) -> Done:
    """Do it, in this process; in a session that was entered before, if there is one: that saves some time."""
    if session is None:
        with open_session(unit.plan) as session:
            return run_unit(unit, session, goes_on)
    session.forget()
    plan, known = unit.plan, unit.known
    for site in sorted(known.sites):
        session.learned.site(site)
    for kind in sorted(known.kinds):
        session.learned.kind(kind)
    measurement = _measurement(unit)
    policy = make_policy(plan.scheduler, seed=plan.seed, criteria=plan.criteria)
    aims = getattr(policy, "aims", None)
    if aims is not None:
        aims.share = unit.share
        aims.remember(known.covered, known.aims)
    exploration = Exploration(
        session,
        scheduler=plan.scheduler,
        policy=policy,
        seed=plan.seed,
        budget=Budget(unit.executions, _seconds_left(unit), plan.until),
        measurement=measurement,
        shrink=shrink if plan.shrink else None,
        keep=plan.keep,
        part=Part(
            before=unit.before,
            rehearsed=unit.rehearsed,
            signatures=known.signatures,
            reported=known.reported,
            goes_on=goes_on,
            saturated=unit.saturated,
            of_several=True,
        ),
        measure_all=plan.measure_all,
    )
    fits, gone = fitting(unit.corpus, plan.origin, session.switches, session.table)
    result = exploration.run(fits)
    return Done(
        replace(unit, known=NOTHING, corpus=()),  # which need not come back
        _recorded(result, unit, session, measurement),
        tuple(exploration.findings.signed),
        Known(
            sites=frozenset(session.learned.sites),
            kinds=frozenset(session.learned.kinds),
            signatures=frozenset(exploration.findings.signatures),
            reported=frozenset(exploration.findings.reported),
            aims=aims.memory() if aims is not None else AimsMemory(),
        ),
        exploration.endless,
        exploration.still_aims(),
        (*gone, *exploration.unfit),
        exploration.gauge.firsts,
    )


def _measurement(unit: Unit) -> Measurement | None:
    if not unit.plan.criteria:
        return None
    from raddle.criteria import make_criteria
    from raddle.measuring.measurement import Measurement

    measurement = Measurement(make_criteria(list(unit.plan.criteria)))
    measurement.before = unit.known.covered
    return measurement


def _recorded(result: Result, unit: Unit, session: Session, measurement: Measurement | None) -> Result:
    """With what was measured, without what need not be picklable."""
    result = replace(result, findings=tuple(replace(finding, error=None) for finding in result.findings))
    if measurement is None:
        return result
    from raddle.measuring.recording import CONTROLLED, make_record

    notes = [str(refused) for refused in result.not_instrumented]
    record = make_record(
        measurement, session.table, session.model(), origin=unit.plan.origin, mode=CONTROLLED, notes=notes
    )
    return replace(result, record=record)


def _seconds_left(unit: Unit) -> float | None:
    return None if unit.deadline is None else max(0.0, unit.deadline - time.time())
