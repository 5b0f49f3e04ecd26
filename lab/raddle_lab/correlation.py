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
  sets are 5 to 20 minutes of testing; then the mean over the subjects is taken, as in its Table IV.
* Larger sets cover more and find more, whatever is measured. So τ is also computed among sets of equal size: that is
  what a criterion says beyond how long was tested. The paper does not do that; Inozemtseva and Holmes (ICSE 2014)
  do it for sequential coverage.
* p says how likely a mean over subjects so far from 0 would be if each subject's τ could as well have the other sign
  (an exact test: all combinations of signs are tried). Subjects are independent, test sets of one subject are not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import kendalltau

import raddle
from raddle.criteria import NAMES
from raddle_lab.collection import Collection, Collector
from raddle_lab.mutants import count_locks, imported, subject_names, subject_source, without_lock
from raddle_lab.processes import executor_of, quiet_pools
from raddle_lab.published import KENDALL

SIZES = (1, 2, 3, 5, 8, 13, 21, 34)
SIGNIFICANT = 0.05


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
    requirements: Mapping[str, int]  # by criterion: those ever covered
    points: Sequence[Point]


class Correlation(NamedTuple):
    """What a criterion says about bugs found."""

    criterion: str
    tau: float | None  # mean over subjects, None where coverage is always the same
    p: float | None
    subjects: int  # in which there is a τ
    significant: int  # of those, by themselves
    equal_size: float | None  # mean over subjects of the mean over sizes
    equal_size_p: float | None
    published: float | None


def run_subject(name: str, plan: Plan) -> SubjectResult:
    """Execute all mutants of a subject, and draw test sets."""
    source = subject_source(name)
    mutants = count_locks(source)
    with tempfile.TemporaryDirectory() as folder, quiet_pools():
        collected = [_collect(name, number, source, plan, Path(folder)) for number in range(mutants)]
    bugs = [collection for collection in collected if collection.error_ratio > 0]
    return SubjectResult(
        subject=name,
        mutants=mutants,
        bugs=len(bugs),
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
    known = [found for result in results if (found := kendall(criterion, result.points)) is not None]
    equal = [tau for result in results if (tau := _among_equals(criterion, result.points)) is not None]
    taus = [tau for tau, _ in known]
    return Correlation(
        criterion=criterion,
        tau=fmean(taus) if taus else None,
        p=sign_flip_p(taus),
        subjects=len(taus),
        significant=sum(p < SIGNIFICANT for _, p in known),
        equal_size=fmean(equal) if equal else None,
        equal_size_p=sign_flip_p(equal),
        published=KENDALL.get(criterion),
    )


def _among_equals(criterion: str, some: Sequence[Point]) -> float | None:
    """The mean τ among test sets of one size."""
    found = [kendall(criterion, [p for p in some if p.size == size]) for size in sorted({p.size for p in some})]
    taus = [tau_and_p[0] for tau_and_p in found if tau_and_p is not None]
    return fmean(taus) if taus else None


def sign_flip_p(values: Sequence[float]) -> float | None:
    """How likely a mean so far from 0 is if the sign of each value is a coin's; None where there are no values.

    >>> sign_flip_p([0.1, 0.2, 0.3])  # of the 8 combinations of signs, two have a mean of 0.2 or more either way
    0.25
    """
    if not values:
        return None
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return float(np.mean(np.abs(sums) >= abs(sum(values)) - 1e-12))


def kendall(criterion: str, some: Sequence[Point]) -> tuple[float, float] | None:
    """τ and p; None where coverage or bugs are the same in all points."""
    coverage, bugs = [point.coverage[criterion] for point in some], [point.bugs for point in some]
    if len(set(coverage)) < 2 or len(set(bugs)) < 2:
        return None
    found = kendalltau(coverage, bugs)
    return float(found.statistic), float(found.pvalue)


def run(
    plan: Plan, *, jobs: int = 1, done: Callable[[SubjectResult], None] = lambda result: None
) -> tuple[list[SubjectResult], list[Correlation]]:
    """All subjects, side by side in as many processes as there are jobs; then every criterion."""
    names = plan.subjects or subject_names()
    executor: Executor | None
    results = []
    with executor_of(jobs) as executor:
        for result in (executor.map if executor else map)(run_subject, names, [plan] * len(names)):
            done(result)
            results.append(result)
    return results, [correlate(criterion, results) for criterion in plan.criteria]
