"""Units: parts of a search that any process can run, and their results.

A search in a single process is one unit. A search with several workers is a sequence of units. A unit is
self-contained: it contains the numbers of its executions and everything that earlier units learned, covered and found.
So the result of a unit does not depend on which process runs it, or on what else that process runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from raddle.corpus import CorpusEntry, split_by_fit
from raddle.criterion_settings import DEFAULT_SETTINGS, CriterionSettings
from raddle.execute.domain import Domain
from raddle.execute.installation import Installation
from raddle.execute.session import Session
from raddle.exploring.coverage_progress import CoverageProgress
from raddle.exploring.findings import Findings, Signature
from raddle.exploring.ledger import Clock, Counts, Ledger
from raddle.exploring.progress import ProgressCallback
from raddle.exploring.search import Part, Search
from raddle.exploring.stop_rules import Budget
from raddle.exploring.turns import Turn
from raddle.finding import Finding
from raddle.guide.policies import make_policy
from raddle.guide.shrink import shrink
from raddle.guide.targets import TargetsMemory
from raddle.record import Record
from raddle.refusal import NotInstrumented
from raddle.schedulers.base import Scheduler
from raddle.schedulers.reachability import Reachability
from raddle.stop_reason import StopReason
from raddle.tally import Key, Tally

if TYPE_CHECKING:
    from raddle.measuring.measurement import Measurement

MayContinue = Callable[[int], bool]  # called with the number of each execution before it runs
Function = Callable[[], object]


class Reference(Protocol):
    """A reference to a function. `raddle.distribute.references` defines references that other processes can load."""

    def load(self) -> Function:
        """Return the function itself."""


@dataclass(frozen=True, slots=True)
class Itself:
    """A reference to a function in this process."""

    function: Function

    def load(self) -> Function:
        """Return the function itself."""
        return self.function


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The settings that all units of a search share."""

    scenario: Reference
    setup: Reference | None
    domain: Domain  # describes the world of the participants
    session: Mapping[str, Any]  # keyword arguments for `Session`
    scheduler: str
    seed: int
    criteria: tuple[str, ...]  # names of the criteria to measure; may be empty
    until: str  # when to stop, as in `Budget`
    shrink: bool = True
    keep: bool = True  # True to keep, for the data file, executions that covered something new
    origin: str = ""  # name of the scenario in the record
    measure_all: bool = True  # True to measure every execution, even after saturation
    finish_exhaustively: bool = False  # True to run a complete search once coverage is saturated
    settings: CriterionSettings = DEFAULT_SETTINGS

    def make_policy(self) -> Scheduler:
        """Return the scheduler of the search."""
        return make_policy(self.scheduler, seed=self.seed, criteria=self.criteria, settings=self.settings)


@dataclass(frozen=True, slots=True)
class Known:
    """Knowledge that units pass on to later units."""

    sites: frozenset[int] = frozenset()  # sites that need a scheduling point
    kinds: frozenset[str] = frozenset()  # kinds of resources that need a scheduling point
    covered: Mapping[str, frozenset[Key]] = field(default_factory=dict)  # covered requirements by criterion
    signatures: frozenset[tuple[str, ...]] = frozenset()  # signatures of failures already examined
    reported: frozenset[tuple[str, ...]] = frozenset()  # signatures of findings
    targets: TargetsMemory = field(default_factory=TargetsMemory)

    def __add__(self, other: Known) -> Known:
        """Combine the knowledge from two sequences of units."""
        names = [*self.covered, *(name for name in other.covered if name not in self.covered)]
        nothing: frozenset[Key] = frozenset()
        return Known(
            sites=self.sites | other.sites,
            kinds=self.kinds | other.kinds,
            covered={name: self.covered.get(name, nothing) | other.covered.get(name, nothing) for name in names},
            signatures=self.signatures | other.signatures,
            reported=self.reported | other.reported,
            targets=self.targets + other.targets,
        )


NOTHING = Known()


@dataclass(frozen=True, slots=True)
class Unit:
    """A range of a search's executions."""

    plan: SearchPlan
    before: int  # number of the last execution before this unit
    executions: int | None  # maximum number of executions; None for no limit
    known: Known = NOTHING
    rehearsed: bool = False  # True if an earlier unit has rehearsed the scenario
    share: tuple[int, int] = (0, 1)  # (index, number of shares): the part of the targets that this unit tries
    deadline: float | None = None  # wall-clock time, which is the same in all processes
    corpus: tuple[CorpusEntry, ...] = ()  # executions from earlier runs, to be replayed first
    saturated: bool = False  # True if earlier units have already saturated coverage
    of_several: bool = True  # True if coverage is evaluated for several units together


@dataclass(frozen=True, slots=True)
class Signed:
    """A finding with the signature that identifies it across units."""

    signature: Signature
    finding: Finding


@dataclass(frozen=True, slots=True)
class Done:
    """The result of one or more units. Results are added with `+`, in the order of their executions."""

    before: int = 0  # number of the last execution before these units
    executions: int = 0
    points: int = 0  # number of scheduling points
    left_out: int = 0  # number of executions that were not measured
    endless: int = 0  # number of executions that reached the step limit
    crashes: int = 0  # number of executions that crashed their process
    seconds: float = 0.0  # time spent searching
    reasons: frozenset[StopReason] = frozenset()  # why the units stopped
    findings: tuple[Signed, ...] = ()
    record: Record | None = None  # the measurements, without findings
    # Maps the position of an execution among the measured ones to its number, if it covered something new.
    firsts: Mapping[int, int] = field(default_factory=dict)
    turns: tuple[Turn, ...] = ()
    orders: Mapping[str, int] = field(default_factory=dict)  # partial orders and interleavings, as in `Result`
    chance: float | None = None  # probability of new coverage, estimated before a complete search
    has_targets_left: bool = False  # True if the scheduler has targets left
    notes: tuple[str, ...] = ()
    not_instrumented: tuple[NotInstrumented, ...] = ()
    unfit: tuple[CorpusEntry, ...] = ()  # schedules of the corpus that no longer fit the code
    known: Known = NOTHING  # what the units learned, except coverage, which is in the record

    @property
    def tally(self) -> Tally:
        return self.record.tally if self.record is not None else Tally()

    def __add__(self, other: Done) -> Done:
        """Combine two results; a finding that both report is kept only once."""
        reported = {signed.signature for signed in self.findings}
        new = [signed for signed in other.findings if signed.signature not in reported]
        moved = {number + self.tally.executions: execution for number, execution in other.firsts.items()}
        together = self.record if other.record is None else other.record
        if self.record is not None and other.record is not None:
            together = self.record + other.record
        return replace(
            self,
            **{name: getattr(self, name) + getattr(other, name) for name in _SUMS},
            reasons=self.reasons | other.reasons,
            findings=tuple(sorted([*self.findings, *new], key=lambda signed: signed.finding.execution)),
            record=together,
            firsts={**self.firsts, **moved},
            orders={**self.orders, **other.orders},
            chance=self.chance if other.chance is None else other.chance,
            has_targets_left=self.has_targets_left or other.has_targets_left,
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            not_instrumented=tuple(dict.fromkeys((*self.not_instrumented, *other.not_instrumented))),
        )


_SUMS = ("executions", "points", "left_out", "endless", "crashes", "seconds", "turns", "unfit", "known")


def open_session(plan: SearchPlan, installation: Installation | None = None) -> Session:
    """Return a session for the units of a search, with a new installation unless one is given."""
    setup = plan.setup.load() if plan.setup else None
    return Session(plan.scenario.load(), installation or plan.domain.install(), setup=setup, **plan.session)


def run_unit(
    unit: Unit,
    session: Session | None = None,
    may_continue: MayContinue | None = None,
    progress: ProgressCallback | None = None,
) -> Done:
    """Run a unit in this process. Passing a session that has already been entered saves time."""
    if session is None:
        with open_session(unit.plan) as session:
            return run_unit(unit, session, may_continue, progress)
    plan, known = unit.plan, unit.known
    for site in sorted(known.sites):
        session.known_points.add_site(site)
    for kind in sorted(known.kinds):
        session.known_points.add_kind(kind)
    policy = plan.make_policy()
    if policy.targets is not None:
        policy.targets.share = unit.share
        policy.targets.remember(known.covered, known.targets)
    measurement = _measurement(unit)
    ledger = _ledger(unit, session, measurement, measure_all=plan.measure_all or policy.complete)
    ledger.progress = progress
    search = Search(
        ledger,
        policy,
        Budget(unit.executions, until=plan.until),
        part=Part(unit.rehearsed, unit.of_several, may_continue),
        complete=Reachability() if plan.finish_exhaustively else None,
    )
    fits, gone = split_by_fit(unit.corpus, plan.origin, session.switches, session.replay_options, session.table)
    reason = search.run(plan.seed, fits)
    ledger.unfit = [*gone, *ledger.unfit]
    return _done(unit, search, ledger, policy, reason, measurement)


def _ledger(unit: Unit, session: Session, measurement: Measurement | None, *, measure_all: bool) -> Ledger:
    plan, known = unit.plan, unit.known
    coverage = CoverageProgress(session, measurement, keep=plan.keep, measure_all=measure_all, saturated=unit.saturated)
    findings = Findings(
        session,
        seed=plan.seed,
        shrink=shrink if plan.shrink else None,
        signatures=known.signatures,
        reported=known.reported,
    )
    seconds = None if unit.deadline is None else max(0.0, unit.deadline - time.time())
    return Ledger(session, Counts(before=unit.before), coverage, findings, Clock(seconds))


def _measurement(unit: Unit) -> Measurement | None:
    if not unit.plan.criteria:
        return None
    from raddle.criteria import make_criteria
    from raddle.measuring.measurement import Measurement

    measurement = Measurement(make_criteria(list(unit.plan.criteria), unit.plan.settings))
    measurement.already_covered = unit.known.covered
    return measurement


def _done(
    unit: Unit, search: Search, ledger: Ledger, policy: Scheduler, reason: StopReason, measurement: Measurement | None
) -> Done:
    session, counts, coverage, findings = ledger.session, ledger.counts, ledger.coverage, ledger.findings
    found = findings.found
    if unit.of_several:  # results go to another process, and an exception may not be picklable
        found = [replace(finding, error=None) for finding in found]
    record = None
    if measurement is not None:
        from raddle.measuring.recording import CONTROLLED, make_record

        record = make_record(
            measurement,
            session.table,
            session.model(),
            origin=unit.plan.origin,
            mode=CONTROLLED,
            exhausted=reason == StopReason.EXHAUSTED,
            notes=[str(refused) for refused in session.not_instrumented],
            corpus=search.corpus,
        )
    targets = policy.targets.memory() if policy.targets is not None else TargetsMemory()
    return Done(
        before=unit.before,
        executions=counts.executions,
        points=counts.points,
        left_out=coverage.left_out,
        endless=counts.endless,
        seconds=search.seconds,
        reasons=frozenset({reason}),
        findings=tuple(map(Signed, findings.signed, found)),
        record=record,
        firsts=coverage.firsts,
        turns=tuple(search.turns),
        orders=search.orders(),
        chance=coverage.chance,
        has_targets_left=search.has_targets_left(),
        notes=tuple(ledger.notes),
        not_instrumented=tuple(session.not_instrumented),
        unfit=tuple(ledger.unfit),
        known=Known(
            sites=frozenset(session.known_points.sites),
            kinds=frozenset(session.known_points.kinds),
            signatures=frozenset(findings.signatures),
            reported=frozenset(findings.reported),
            targets=targets,
        ),
    )
