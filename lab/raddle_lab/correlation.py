"""Kendall's τ between coverage and bugs found, for every criterion, measured on programs with one lock removed.

The experiment follows RQ3 of the paper on MAP-coverage, which compares two criteria. The design:

* The subjects are small thread-safe classes, each with a scenario (`raddle_lab.subjects`). A bug is a mutant: the
  subject without one of its locks. The paper removes all locks at once and distinguishes bugs by their exceptions;
  removing one lock at a time distinguishes them exactly.
* Each mutant is run in many controlled executions with random schedules. For each execution, the experiment records
  whether it failed and which requirements of every criterion it covered. A mutant that never fails is not a bug and is
  left out.
* A test set of size n consists of n executions of each mutant of a subject, drawn at random. A test set finds a mutant
  if it contains a failing execution of that mutant. The coverage of a test set is the share of requirements that its
  executions covered. As in the paper, the total is the number of requirements that any execution of the subject's
  mutants covered.
* τ (τ-b, because there are ties) is computed for each subject over test sets of different sizes. In the paper, a test
  set is 5 to 20 minutes of testing. As in the paper's text, the result is the mean over the subjects. The last row of
  the paper's Table IV is not the mean of the other rows, so the experiment also computes τ over the test sets of all
  subjects together.
* Larger sets cover more requirements and find more bugs under any criterion. So τ is also computed among sets of equal
  size, to separate the effect of coverage from that of more testing. The paper does not do this; Inozemtseva and Holmes
  (ICSE 2014) do it for sequential coverage.
* The significance of a mean is computed from the differences between subjects, because subjects are independent, while
  test sets of one subject are not. The mean's confidence interval is obtained by resampling the subjects. p is the
  probability of a mean at least as far from 0 as the observed one if each subject's τ were equally likely to have the
  opposite sign (an exact test over all combinations of signs).
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
from raddle.criteria import THREADS as NAMES
from raddle_lab.collection import Collection, Collector
from raddle_lab.inference import interval, sign_flip_p
from raddle_lab.mutants import count_locks, imported, subject_names, subject_source, without_lock
from raddle_lab.processes import ReportProgress, report_nothing, run_in_parallel, silence_pool_logging
from raddle_lab.published import KENDALL

SIZES = (1, 2, 3, 5, 8, 13, 21, 34)  # sizes of test sets
SIGNIFICANT = 0.05  # significance level
COMPARED = ("map", "method-pairs")  # the two criteria that the paper compares


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of the experiment."""

    subjects: Sequence[str] = ()  # names of the subjects; all if empty
    criteria: Sequence[str] = NAMES
    executions: int = 200  # executions per mutant
    sets: int = 20  # test sets per size
    seed: int = 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the test sets.

        No size above 1 exceeds a quarter of the executions, because larger sets would overlap too much.
        """
        return tuple(size for size in SIZES if size == 1 or size <= self.executions / 4)


class Point(NamedTuple):
    """The size, the bugs found and the coverage of one test set."""

    size: int
    bugs: float  # share of the subject's bugs that the set finds
    # Maps each criterion to the share of its requirements that the set covers. Criteria without any requirement in the
    # subject are left out: such a set has no coverage, and counting it as 0 % would compare subjects, not test sets.
    coverage: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SubjectResult:
    """The result for one subject."""

    subject: str
    mutants: int
    bugs: int  # number of mutants with a failing execution
    outcomes: Mapping[str, int]  # maps each outcome to its number of executions, for the mutants counted in `bugs`
    requirements: Mapping[str, int]  # maps each criterion to the number of requirements that any execution covered
    points: Sequence[Point]


class Mean(NamedTuple):
    """The mean τ over subjects, with its confidence interval."""

    tau: float
    low: float  # lower end of the 95 % confidence interval
    high: float  # upper end of the 95 % confidence interval
    p: float  # see `sign_flip_p`
    subjects: int  # number of subjects with a defined τ


class Correlation(NamedTuple):
    """The correlation between the coverage of one criterion and the bugs found."""

    criterion: str
    all_sizes: Mean | None  # mean, over subjects, of τ for sets of all sizes; None if coverage never varies
    significant: int  # number of subjects whose own τ is significant
    equal_size: Mean | None  # mean, over subjects, of τ for sets of equal size
    by_subject: Mapping[str, float]  # maps each subject to its τ over all sizes
    pooled: float | None  # τ over the test sets of all subjects
    published: float | None  # τ in the paper


def run_subject(name: str, plan: Plan, executed: ReportProgress = report_nothing) -> SubjectResult:
    """Execute all mutants of a subject, and draw test sets from the executions."""
    source = subject_source(name)
    mutants = count_locks(source)
    with tempfile.TemporaryDirectory() as folder, silence_pool_logging():
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
    """Draw test sets of all sizes from the executions of each mutant, and yield a point for each set."""
    generator = np.random.Generator(np.random.PCG64(plan.seed))
    failed = [np.array([outcome != "passed" for outcome in bug.outcomes]) for bug in bugs]
    for size in plan.sizes if bugs else ():
        for _ in range(plan.sets):
            drawn = [generator.permutation(len(bug))[:size] for bug in bugs]
            found = sum(bool(fails[numbers].any()) for fails, numbers in zip(failed, drawn, strict=True))
            shares = {name: _share_covered(name, bugs, drawn) for name in plan.criteria}
            coverage = {name: share for name, share in shares.items() if share is not None}
            yield Point(size, found / len(bugs), coverage)


def _share_covered(name: str, bugs: Sequence[Collection], drawn: Sequence[Any]) -> float | None:
    """Return the share of the criterion's requirements that a test set covers; None if there are no requirements."""
    covered = ever = 0
    for bug, numbers in zip(bugs, drawn, strict=True):
        coverage = bug.coverage[name]
        covered += len(np.unique(np.concatenate([coverage.executions[number] for number in numbers])))
        ever += coverage.distinct
    return covered / ever if ever else None


def correlate(criterion: str, results: Sequence[SubjectResult]) -> Correlation:
    """Correlate the coverage of one criterion with the bugs found."""
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


def mean_lead(one: Correlation, other: Correlation) -> Mean | None:
    """Return the difference between the τ of two criteria, averaged over the subjects for which both are defined."""
    both = one.by_subject.keys() & other.by_subject.keys()
    return mean_of([one.by_subject[subject] - other.by_subject[subject] for subject in sorted(both)])


def compare(correlations: Sequence[Correlation]) -> Mean | None:
    """Return the mean difference between MAP's τ and that of method pairs; None if either τ is missing."""
    by_name = {row.criterion: row for row in correlations}
    if any(name not in by_name for name in COMPARED):
        return None
    one, other = COMPARED
    return mean_lead(by_name[one], by_name[other])


def mean_of(values: Sequence[float]) -> Mean | None:
    """Return the mean with its confidence interval and p, or None if there are no values."""
    limits, p = interval(values, seed=1), sign_flip_p(values)
    return None if limits is None or p is None else Mean(fmean(values), *limits, p, len(values))


def _among_equals(criterion: str, some: Sequence[Point]) -> float | None:
    """Return the mean τ among test sets of equal size."""
    found = [kendall(criterion, [p for p in some if p.size == size]) for size in sorted({p.size for p in some})]
    taus = [tau_and_p[0] for tau_and_p in found if tau_and_p is not None]
    return fmean(taus) if taus else None


def kendall(criterion: str, some: Sequence[Point]) -> tuple[float, float] | None:
    """Return τ and p, or None if all points with coverage have the same coverage or the same share of bugs."""
    known = [point for point in some if criterion in point.coverage]
    coverage, bugs = [point.coverage[criterion] for point in known], [point.bugs for point in known]
    if len(set(coverage)) < 2 or len(set(bugs)) < 2:
        return None
    found = kendalltau(coverage, bugs)
    return float(found.statistic), float(found.pvalue)


def run(
    plan: Plan,
    *,
    jobs: int = 1,
    done: Callable[[SubjectResult], None] = lambda result: None,
    executed: ReportProgress = report_nothing,
) -> tuple[list[SubjectResult], list[Correlation]]:
    """Run all subjects in `jobs` processes, then correlate every criterion."""
    names = plan.subjects or subject_names()
    results = []
    for result in run_in_parallel(run_subject, names, plan, jobs=jobs, executed=executed):
        done(result)
        results.append(result)
    return results, [correlate(criterion, results) for criterion in plan.criteria]


def as_json(plan: Plan, results: Sequence[SubjectResult], correlations: Sequence[Correlation]) -> dict[str, Any]:
    """Return the results as JSON data."""
    lead = compare(correlations)
    return {
        "map_ahead": lead and lead._asdict(),  # mean difference: τ of MAP minus τ of method pairs
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
