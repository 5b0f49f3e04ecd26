"""Does more coverage mean more bugs found? Kendall's τ for every criterion, on programs with a lock left out.

After RQ3 of the paper on MAP-coverage, which asks it for two criteria. The design:

* The subjects are small thread-safe classes with a scenario each (`raddle_lab.subjects`). A bug is a mutant: the
  subject without one of its locks. The paper removes all locks at once and tells bugs apart by their exceptions;
  removing one at a time tells them apart exactly.
* Each mutant is executed many times under control, with random schedules. Each execution gives what it covered,
  for every criterion, and whether it failed. A mutant that never fails is no bug and is left out.
* A test set of size n is n executions of each mutant of a subject, drawn at random. It finds the mutants of which
  it holds a failing execution. Its coverage is what its executions covered, as a share of what all executions of
  the subject's mutants covered: as in the paper, the total is what was ever seen.
* τ (τ-b, as there are ties) is computed for each subject over test sets of different sizes, as in the paper, whose
  sets are 5 to 20 minutes of testing; then the mean over the subjects is taken, as the paper says it did. As the last
  row of its Table IV is not the mean of the others, τ over the test sets of all subjects is computed too.
* Larger sets cover more and find more, whatever is measured. So τ is also computed among sets of equal size: that is
  what a criterion says beyond how long was tested. The paper does not do that; Inozemtseva and Holmes (ICSE 2014)
  do it for sequential coverage.
* What a mean is worth follows from how the subjects differ, as they are independent and test sets of one subject are
  not: its interval by drawing subjects again, and p, how likely a mean so far from 0 would be if each subject's τ
  could as well have the other sign (an exact test: all combinations of signs are tried).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import kendalltau

import raddle
from raddle.criteria import NAMES
from raddle_lab.collection import Collection, Collector
from raddle_lab.inference import interval, sign_flip_p
from raddle_lab.mutants import count_locks, imported, subject_names, subject_source, without_lock
from raddle_lab.processes import Executed, quiet_pools, side_by_side, silent
from raddle_lab.published import KENDALL

SIZES = (1, 2, 3, 5, 8, 13, 21, 34)
SIGNIFICANT = 0.05
COMPARED = ("map", "method-pairs")  # by the paper


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run."""

    subjects: Sequence[str] = ()  # all, where none is named
    criteria: Sequence[str] = NAMES
    executions: int = 200  # of each mutant
    sets: int = 20  # of each size
    seed: int = 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of test sets: at most a quarter of the executions, or they would be too much the same."""
        return tuple(size for size in SIZES if size == 1 or size <= self.executions / 4)


class Point(NamedTuple):
    """One test set."""

    size: int
    bugs: float  # share of the subject's
    coverage: Mapping[str, float]  # by criterion: share of what was ever covered


@dataclass(frozen=True, slots=True)
class SubjectResult:
    """What came of one subject."""

    subject: str
    mutants: int
    bugs: int  # mutants that failed at all
    outcomes: Mapping[str, int]  # how often executions of those ended how
    requirements: Mapping[str, int]  # by criterion: those ever covered
    points: Sequence[Point]


class Mean(NamedTuple):
    """Of τ, over subjects."""

    tau: float
    low: float  # in between with 95 %
    high: float
    p: float  # see `sign_flip_p`
    subjects: int  # in which there is a τ


class Correlation(NamedTuple):
    """What a criterion says about bugs found."""

    criterion: str
    all_sizes: Mean | None  # None where coverage is always the same
    significant: int  # subjects in which it is, by themselves
    equal_size: Mean | None  # in each subject the mean over sizes
    by_subject: Mapping[str, float]  # τ over all sizes
    pooled: float | None  # τ over the test sets of all subjects
    published: float | None


def run_subject(name: str, plan: Plan, executed: Executed = silent) -> SubjectResult:
    """Execute all mutants of a subject, and draw test sets."""
    source = subject_source(name)
    mutants = count_locks(source)
    with tempfile.TemporaryDirectory() as folder, quiet_pools():
        collected = []
        for number in range(mutants):
            executed(name, number * plan.executions, mutants * plan.executions)
            collected.append(_collect(name, number, source, plan, Path(folder)))
    bugs = [collection for collection in collected if collection.error_ratio > 0]
    return SubjectResult(
        subject=name,
        mutants=mutants,
        bugs=len(bugs),
        outcomes=Counter(sorted(outcome for bug in bugs for outcome in bug.outcomes)),
        requirements={name: sum(bug.coverage[name].distinct for bug in bugs) for name in plan.criteria},
        points=list(points(bugs, plan)),
    )


def _collect(name: str, number: int, source: str, plan: Plan, folder: Path) -> Collection:
    collector = Collector(plan.criteria)
    with imported(without_lock(source, number), name=f"{name}_without_{number}", folder=folder) as module:
        samples = raddle.measure(
            module.scenario,
            criteria=plan.criteria,
            executions=plan.executions,
            seed=plan.seed,
            source=[module.__name__, "raddle_lab.subjects"],
        )
        for sample in samples:
            collector.add(sample.outcome.kind, sample.covered)
    return collector.collection()


def points(bugs: Sequence[Collection], plan: Plan) -> Iterator[Point]:
    """Test sets of all sizes, drawn from the executions of each mutant."""
    generator = np.random.Generator(np.random.PCG64(plan.seed))
    failed = [np.array([outcome != "passed" for outcome in bug.outcomes]) for bug in bugs]
    for size in plan.sizes if bugs else ():
        for _ in range(plan.sets):
            drawn = [generator.permutation(len(bug))[:size] for bug in bugs]
            found = sum(bool(fails[numbers].any()) for fails, numbers in zip(failed, drawn, strict=True))
            coverage = {name: _share_covered(name, bugs, drawn) for name in plan.criteria}
            yield Point(size, found / len(bugs), coverage)


def _share_covered(name: str, bugs: Sequence[Collection], drawn: Sequence[Any]) -> float:
    covered = ever = 0
    for bug, numbers in zip(bugs, drawn, strict=True):
        coverage = bug.coverage[name]
        covered += len(np.unique(np.concatenate([coverage.executions[number] for number in numbers])))
        ever += coverage.distinct
    return covered / ever if ever else 0.0


def correlate(criterion: str, results: Sequence[SubjectResult]) -> Correlation:
    """Coverage of one criterion against bugs found."""
    known = {r.subject: found for r in results if (found := kendall(criterion, r.points)) is not None}
    pooled = kendall(criterion, [point for result in results for point in result.points])
    equal = [tau for result in results if (tau := _among_equals(criterion, result.points)) is not None]
    return Correlation(
        criterion=criterion,
        all_sizes=mean_of([tau for tau, _ in known.values()]),
        significant=sum(p < SIGNIFICANT for _, p in known.values()),
        equal_size=mean_of(equal),
        by_subject={subject: tau for subject, (tau, _) in known.items()},
        pooled=pooled[0] if pooled else None,
        published=KENDALL.get(criterion),
    )


def ahead(one: Correlation, other: Correlation) -> Mean | None:
    """By how much the τ of one criterion is greater, subject by subject."""
    both = one.by_subject.keys() & other.by_subject.keys()
    return mean_of([one.by_subject[subject] - other.by_subject[subject] for subject in sorted(both)])


def compare(correlations: Sequence[Correlation]) -> Mean | None:
    """Return by how much MAP is ahead of method pairs; None where one of them was not measured, or has no τ."""
    by_name = {row.criterion: row for row in correlations}
    if any(name not in by_name for name in COMPARED):
        return None
    one, other = COMPARED
    return ahead(by_name[one], by_name[other])


def mean_of(values: Sequence[float]) -> Mean | None:
    """With what it is worth; None where there is nothing."""
    limits, p = interval(values, seed=1), sign_flip_p(values)
    return None if limits is None or p is None else Mean(fmean(values), *limits, p, len(values))


def _among_equals(criterion: str, some: Sequence[Point]) -> float | None:
    """The mean τ among test sets of one size."""
    found = [kendall(criterion, [p for p in some if p.size == size]) for size in sorted({p.size for p in some})]
    taus = [tau_and_p[0] for tau_and_p in found if tau_and_p is not None]
    return fmean(taus) if taus else None


def kendall(criterion: str, some: Sequence[Point]) -> tuple[float, float] | None:
    """τ and p; None where coverage or bugs are the same in all points."""
    coverage, bugs = [point.coverage[criterion] for point in some], [point.bugs for point in some]
    if len(set(coverage)) < 2 or len(set(bugs)) < 2:
        return None
    found = kendalltau(coverage, bugs)
    return float(found.statistic), float(found.pvalue)


def run(
    plan: Plan,
    *,
    jobs: int = 1,
    done: Callable[[SubjectResult], None] = lambda result: None,
    executed: Executed = silent,
) -> tuple[list[SubjectResult], list[Correlation]]:
    """All subjects, side by side in as many processes as there are jobs; then every criterion."""
    names = plan.subjects or subject_names()
    results = []
    for result in side_by_side(run_subject, names, plan, jobs=jobs, executed=executed):
        done(result)
        results.append(result)
    return results, [correlate(criterion, results) for criterion in plan.criteria]


def as_json(plan: Plan, results: Sequence[SubjectResult], correlations: Sequence[Correlation]) -> dict[str, Any]:
    """For machines."""
    lead = compare(correlations)
    return {
        "map_ahead": lead and lead._asdict(),  # of method pairs
        "seed": plan.seed,
        "executions": plan.executions,
        "sets": plan.sets,
        "sizes": list(plan.sizes),
        "subjects": [
            {
                "subject": result.subject,
                "mutants": result.mutants,
                "bugs": result.bugs,
                "outcomes": dict(result.outcomes),
                "requirements": dict(result.requirements),
            }
            for result in results
        ],
        "criteria": {
            row.criterion: {
                "all_sizes": row.all_sizes and row.all_sizes._asdict(),
                "significant": row.significant,
                "equal_size": row.equal_size and row.equal_size._asdict(),
                "by_subject": dict(row.by_subject),
                "pooled": row.pooled,
                "published": row.published,
            }
            for row in correlations
        },
    }
