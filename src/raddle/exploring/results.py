"""Builds the result of a search from the results of its units."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from typing import Any

from raddle.analysis.saturation import chance_of_anything_new
from raddle.criteria import make_criteria
from raddle.exploring.corpus_writer import MAX_KEPT
from raddle.exploring.turns import shares
from raddle.exploring.units import Done, SearchPlan
from raddle.guide.targets import given_up_lines
from raddle.outcome import OutcomeKind
from raddle.record import Record
from raddle.result import Result
from raddle.stop_reason import StopReason


def make_result(plan: SearchPlan, done: Done) -> Result:
    """Return the result of a search. All its units must have ended for the same reason."""
    (reason,) = done.reasons
    policy = plan.make_policy()
    findings = tuple(signed.finding for signed in done.findings)
    if plan.until == "first-finding":
        findings = findings[:1]  # parallel units may have found more than one
    firsts = (seen.first for keys in done.tally.covered.values() for seen in keys.values())
    record = done.record
    if record is not None:
        stored = tuple({**finding.as_json(), "origin": plan.origin} for finding in findings)
        record = replace(record, findings=stored, corpus=_first_covering(record))
    return Result(
        outcome=findings[0].kind if findings else OutcomeKind.PASSED,
        findings=findings,
        executions=done.executions,
        scheduling_points=done.points,
        seconds=done.seconds,
        stopped_because=reason,
        seed=plan.seed,
        scheduler=plan.scheduler,
        switches=plan.session.get("switches", "free-threaded"),
        not_instrumented=done.not_instrumented,
        notes=done.notes,
        record=record,
        shares=shares(
            done.turns,
            policy,
            covered=(done.firsts[first] for first in firsts),
            found=(finding.execution for finding in findings),
        ),
        orders=done.orders,
        aims={} if policy.targets is None else _target_summary(plan, done),
        left_out=done.left_out,
        chance_of_new=_chance_of_new(done, reason),
    )


def _first_covering(record: Record) -> tuple[Any, ...]:
    """Return the corpus entries whose execution was the first, across all units, to cover some requirement."""
    newly_covered = Counter(seen.first for keys in record.tally.covered.values() for seen in keys.values())
    kept = [
        replace(kept, newly_covered=newly_covered[kept.number])
        for kept in record.corpus
        if kept.number in newly_covered
    ]
    return tuple(kept[:MAX_KEPT])


def _target_summary(plan: SearchPlan, done: Done) -> dict[str, Any]:
    """Return the numbers of targets tried, covered and given up, and sentences that describe the targets given up."""
    targets, covered = done.known.targets, done.tally.covered
    sites = {} if done.record is None else done.record.sites
    lines = given_up_lines(targets.given_up(covered), make_criteria(list(plan.criteria), plan.settings), sites)
    return {**asdict(targets.reached(covered)), "given_up_requirements": lines}


def _chance_of_new(done: Done, reason: StopReason) -> float | None:
    """Return the probability that a thousand more executions cover anything new, or None if nothing was measured."""
    if done.record is None or not done.tally.executions:
        return None
    if reason == StopReason.EXHAUSTED and done.record.exact >= done.record.measured:
        return 0.0
    return chance_of_anything_new(done.tally) if done.chance is None else done.chance
