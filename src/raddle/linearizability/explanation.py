"""Explains a failure: a finding with a short schedule and a story, by the search's usual means.

    explain(checker, failure) -> Explanation(finding, violation, notes)

While a failure is explained, executions that violate linearizability fail (see `Checker.failing`). Replays, shrinking
and the search for the same failure with the GIL therefore work as for any scenario.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from raddle.exploring.findings import Findings, make_finding
from raddle.finding import FREE_THREADED_ONLY, THIS_INTERPRETER, Finding
from raddle.guide.shrink import shrink
from raddle.guide.simpler import possible_here
from raddle.linearizability.checker import ENDLESS, NOT_LINEARIZABLE, Checker, Failure
from raddle.linearizability.judgment import Oracle, Violation
from raddle.outcome import OutcomeKind
from raddle.schedule import Schedule

SEED = 1  # of the random search for the same failure with the GIL
_WITHOUT_TRACEBACK = frozenset({Oracle.RESULTS, Oracle.STATE, Oracle.INVARIANTS})


@dataclass(frozen=True, slots=True)
class Explanation:
    """A finding, and the violation in the execution that it describes."""

    finding: Finding
    violation: Violation
    notes: tuple[str, ...] = ()


def explain(checker: Checker, failure: Failure) -> Explanation:
    """Return the explanation of a failure, in the shortest schedule that was found.

    The finding is a divergence if the failure cannot be repeated.
    """
    oracle = failure.violation.oracle
    session = checker.session
    findings = Findings(session, seed=SEED, shrink=shrink)
    with checker.failing({oracle}):
        again = session.rerun(failure.decisions, failure.known_points)
        if again is not None and again.outcome.failed:
            findings.add_failed(again.outcome, failure.known_points, again.decisions, checker.executions)
    if session.interrupted:
        raise KeyboardInterrupt
    if not findings.found:
        finding = Finding(
            OutcomeKind.DIVERGENCE,
            "an execution violated linearizability, but its repetition did not: state survives from one execution to "
            "the next. Put that state back with reset=",
            "", THIS_INTERPRETER, None, session.replay(session.without_preemption).trace,
        )  # fmt: skip
        return Explanation(finding, failure.violation)
    finding = findings.found[0]
    violation = failure.violation
    if finding.schedule is not None:
        violation = _violation_of(checker, finding.schedule, violation)
    return Explanation(_for_readers(finding, oracle), violation, tuple(findings.notes))


def replay_hint(checker: Checker, schedule: Schedule) -> Explanation | None:
    """Run a schedule that is only a hint; return the explanation of the violation, None if there is none.

    A schedule that does not fit the code shows nothing, because no schedule of this code reproduces its execution.
    """
    session = checker.session
    with checker.failing(checker.oracles):
        seen = session.replay(schedule)
    checker.executions += 1
    if session.interrupted:
        raise KeyboardInterrupt
    if not seen.outcome.failed or seen.divergence is not None:
        return None
    session.replay(schedule)
    checker.executions += 1
    violation = checker.judge()
    if violation is None:
        return None
    possible_on = THIS_INTERPRETER if possible_here(seen) else FREE_THREADED_ONLY
    finding = make_finding(seen.outcome, schedule, seen, session.table, possible_on=possible_on)
    return Explanation(_for_readers(finding, violation.oracle), violation)


def _violation_of(checker: Checker, schedule: Schedule, before: Violation) -> Violation:
    """Return the violation of the execution that follows a schedule, with the endings of all calls."""
    seen = checker.session.replay(schedule)
    if seen.outcome.failed and seen.outcome.signature != ENDLESS:
        return before
    violation = checker.judge()
    return violation if violation is not None and violation.oracle is before.oracle else before


def _for_readers(finding: Finding, oracle: Oracle) -> Finding:
    """Leave out the traceback of an assertion that is not part of the program."""
    if oracle not in _WITHOUT_TRACEBACK or finding.kind != OutcomeKind.ASSERTION:
        return finding
    return replace(finding, message=NOT_LINEARIZABLE, details=(), error=None)
