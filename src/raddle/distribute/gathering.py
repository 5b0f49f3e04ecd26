"""Gathering: what the units of a search found out, put together as if one process had done it all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from raddle.analysis.saturation import PATIENCE, chance_of_anything_new, rare_enough
from raddle.checks.crash import how_it_died
from raddle.corpus import Kept
from raddle.criteria import criterion_class, make_criteria
from raddle.distribute.units import NOTHING, Done, Known, Plan
from raddle.distribute.workers import Crash, Round
from raddle.exploring.corpus_writer import MOST_KEPT
from raddle.finding import THIS_INTERPRETER, Finding
from raddle.guide.aims import TRIES, AimsMemory, AimsReached, told_given_up
from raddle.guide.portfolio import Guided, Share
from raddle.outcome import OutcomeKind
from raddle.record import Record
from raddle.refusal import NotInstrumented
from raddle.result import KEPT_SCHEDULES, WITHOUT_PREEMPTION
from raddle.schedulers.base import Scheduler
from raddle.stop_reason import StopReason
from raddle.tally import Tally
from raddle.trace import Trace


@dataclass(slots=True)
class Gathered:
    """Everything so far."""

    plan: Plan
    policy: Scheduler  # nothing is run by it: it knows whose turn an execution is
    executions: int = 0
    points: int = 0
    left_out: int = 0  # executions that were not measured
    endless: int = 0
    crashes: int = 0
    plans: int = 0  # executions that aimed at something
    still_aims: bool = False
    findings: list[Finding] = field(default_factory=list)
    known: Known = NOTHING
    record: Record | None = None
    reasons: set[StopReason] = field(default_factory=set)  # why the units of the last round ended
    notes: dict[str, None] = field(default_factory=dict)
    not_instrumented: dict[NotInstrumented, None] = field(default_factory=dict)
    shares: dict[str, Share] = field(default_factory=dict)
    unfit: list[Kept] = field(default_factory=list)
    _corpus: list[Kept] = field(default_factory=list)
    _finders: list[tuple[Finding, Share]] = field(default_factory=list)

    # -- a round ------------------------------------------------------------------------------------

    def add(self, round_: Round) -> None:
        """Another round: all its units knew the same."""
        self.reasons = {done.result.stopped_because for done in round_.done}
        if any(not crash.rehearsed for crash in round_.crashes):
            self.reasons.add(StopReason.FIRST_FINDING)  # it cannot be run at all
        for done in round_.done:
            self._add(done)
        for crash in round_.crashes:
            self._crashed(crash)
        self.findings.sort(key=lambda finding: finding.execution)
        self.notes.update(dict.fromkeys(round_.notes))
        self.still_aims = any(done.still_aims for done in round_.done)
        self.known = self._learnt(round_.done)

    def _add(self, done: Done) -> None:
        result = done.result
        self.executions += result.executions
        self.points += result.scheduling_points
        self.left_out += result.left_out
        self.endless += done.endless
        self.plans += result.aims.get("plans", 0)
        self.unfit += done.unfit
        self.notes.update(dict.fromkeys(result.notes))
        self.not_instrumented.update(dict.fromkeys(result.not_instrumented))
        for name, share in result.shares.items():
            self.shares.setdefault(name, Share()).executions += share["executions"]
        own = _nobodys(done)
        reported = self.known.reported
        for finding, signature in zip(result.findings, done.signed, strict=True):
            if signature not in reported:
                self.findings.append(finding)
                self._found_by(finding, self._credit(finding.execution, done.unit.before, own))
        self.known = replace(self.known, reported=reported | set(done.signed))
        if done.record is not None:
            self._measured(done, done.record, own)

    def _credit(self, number: int, before: int, own: tuple[int, int]) -> Share:
        """The share of whoever decided an execution: first come those of `own`, then schedulers have their turns."""
        if not isinstance(self.policy, Guided):
            return Share()
        alone, kept = own
        if alone and number <= before + alone:
            name = WITHOUT_PREEMPTION
        elif kept and number <= before + alone + kept:
            name = KEPT_SCHEDULES
        else:
            name = self.policy.turn_of(number)
        return self.shares.setdefault(name, Share())

    def _found_by(self, finding: Finding, share: Share) -> None:
        share.found += 1
        self._finders.append((finding, share))

    def keep_first(self) -> None:
        """Only the finding with the least number: others only came as others were at work."""
        left = self.findings[1:]
        del self.findings[1:]
        for finding, share in self._finders:
            share.found -= any(finding is one for one in left)

    def _measured(self, done: Done, record: Record, own: tuple[int, int]) -> None:
        covered = self.tally.covered
        for name, keys in record.tally.covered.items():
            known = covered.get(name, {})
            for key, seen in keys.items():
                if key not in known:
                    self._credit(done.firsts[seen.first], done.unit.before, own).covered += 1
        moved = self.tally.executions
        self._corpus += [replace(kept, number=kept.number + moved) for kept in done.result.corpus]
        self.record = record if self.record is None else joined(self.record, record)

    def _crashed(self, crash: Crash) -> None:
        self.crashes += 1
        self.executions += 1
        share = self._credit(crash.number, crash.number - 1, (0 if crash.rehearsed else 1, 0))
        share.executions += 1
        signature = (OutcomeKind.CRASH, crash.how)
        if signature in self.known.reported:
            return
        self.known = replace(self.known, reported=self.known.reported | {signature})
        finding = told_crash(crash, self.plan)
        self.findings.append(finding)
        self._found_by(finding, share)

    def _learnt(self, done: Sequence[Done]) -> Known:
        known = self.known
        tries = dict(known.aims.tries)
        for each in done:
            for goal, times in each.known.aims.tries.items():
                tries[goal] = max(times, tries.get(goal, 0))
        shapes = [each.known.aims.shapes for each in done]
        return Known(
            sites=known.sites.union(*(each.known.sites for each in done)),
            kinds=known.kinds.union(*(each.known.kinds for each in done)),
            covered={name: frozenset(keys) for name, keys in self.tally.covered.items()},
            signatures=known.signatures.union(*(each.known.signatures for each in done)),
            reported=known.reported.union(*(each.known.reported for each in done)),
            aims=AimsMemory(
                known.aims.sights.union(*(each.known.aims.sights for each in done)),
                tries,
                # Each had its share of what can be predicted, so all of them must be through with it.
                known.aims.shapes | (frozenset.intersection(*shapes) if shapes else frozenset()),
            ),
        )

    # -- what came of it ----------------------------------------------------------------------------

    @property
    def tally(self) -> Tally:
        return self.record.tally if self.record is not None else Tally()

    @property
    def last_new(self) -> int:
        """The execution that covered something new last."""
        return max((seen.first for keys in self.tally.covered.values() for seen in keys.values()), default=0)

    @property
    def saturated(self) -> bool:
        """As `raddle.analysis.saturation` has it."""
        tally, last = self.tally, self.last_new
        return tally.executions - last >= max(PATIENCE, last) and rare_enough(tally) and not self.still_aims

    def covered(self) -> bool:
        """Is everything covered that can be? Where it cannot be known how much that is, saturation decides."""
        if self.record is None:
            return False
        saturated, record = self.saturated, self.record
        counts = record.tally.counts()
        for criterion in make_criteria(list(self.plan.criteria)):
            if criterion.name in record.extras:
                criterion.restore(record.extras[criterion.name])
            total = criterion.total(record.model, record.facts).number
            if not (saturated if total is None else counts.get(criterion.name, 0) >= total):
                return False
        return True

    def chance_of_new(self) -> float | None:
        """That a thousand executions more cover anything new."""
        return chance_of_anything_new(self.tally) if self.tally.executions else None

    def aims(self) -> dict[str, Any]:
        """What came of aiming, as `raddle.guide.aims` has it."""
        tries, covered = self.known.aims.tries, self.known.covered
        if getattr(self.policy, "aims", None) is None:
            return {}
        left = [goal for goal in tries if goal[1] not in covered.get(goal[0], frozenset())]
        given_up = [goal for goal in left if tries[goal] >= TRIES]
        sites = {} if self.record is None else self.record.sites
        told = told_given_up(given_up, make_criteria(list(self.plan.criteria)), sites)
        reached = AimsReached(len(tries), len(tries) - len(left), len(given_up), self.plans)
        return {**asdict(reached), "given_up_requirements": told}

    def corpus(self) -> tuple[Kept, ...]:
        """The executions that were really the first to cover something."""
        brought: dict[int, int] = {}
        for keys in self.tally.covered.values():
            for seen in keys.values():
                brought[seen.first] = brought.get(seen.first, 0) + 1
        kept = [replace(kept, brought=brought[kept.number]) for kept in self._corpus if kept.number in brought]
        return tuple(kept[:MOST_KEPT])

    def whole_record(self) -> Record | None:
        """With findings and corpus, as `make_record` has them."""
        if self.record is None:
            return None
        origin = self.plan.origin
        return replace(
            self.record,
            findings=tuple({**finding.as_json(), "origin": origin} for finding in self.findings),
            corpus=tuple(replace(kept, origin=origin) for kept in self.corpus()),
        )


def _nobodys(done: Done) -> tuple[int, int]:
    """Executions that no scheduler decided: without preemption, and by kept schedules. They come first."""
    shares = done.result.shares
    alone, kept = (shares.get(name, {}).get("executions", 0) for name in (WITHOUT_PREEMPTION, KEPT_SCHEDULES))
    return alone, kept


def joined(one: Record, other: Record) -> Record:
    """Two records of one scenario, one after the other."""
    extras: dict[str, Any] = {**one.extras}
    for name, extra in other.extras.items():
        extras[name] = criterion_class(name).merge_extra(extras[name], extra) if name in extras else extra
    return replace(
        one,
        tally=one.tally + other.tally,
        sites={**one.sites, **other.sites},
        paths={**one.paths, **other.paths},
        model=one.model + other.model,
        facts=one.facts + other.facts,
        cautions=tuple(dict.fromkeys((*one.cautions, *other.cautions))),
        notes=tuple(dict.fromkeys((*one.notes, *other.notes))),
        extras=extras,
    )


def told_crash(crash: Crash, plan: Plan) -> Finding:
    """A crash as a finding: there is no schedule of it, as nobody survived to tell."""
    where = (
        f"in execution {crash.number:,}" if crash.rehearsed else "without any preemption, before the first execution"
    )
    return Finding(
        kind=OutcomeKind.CRASH,
        message=f"{how_it_died(crash.how)} {where} of {plan.scheduler} with seed {plan.seed}",
        thread="",
        possible_on=THIS_INTERPRETER,
        schedule=None,
        trace=Trace(()),
        details=("nothing else is known of it; `python -X faulthandler` shows where a segmentation fault happens",),
        execution=crash.number,
        signature=(OutcomeKind.CRASH, crash.how),
    )
