"""Measures the size of complete test sets and how often they expose bugs, which Lu, Jiang and Zhou left as future work.

The paper defines seven criteria and bounds their costs (Table 1), but runs no experiment. The experiment here does the
following for each criterion and each program with a known bug (a mutant of a subject, or a program of SCTBench):

* It collects executions of the program. If the program has few enough interleavings, each is executed once; otherwise,
  schedules are random. A requirement counts as feasible if any of these executions covered it. The number of feasible
  requirements is exact if all interleavings were executed, and a lower bound otherwise. (Threads are switched before
  conflicting accesses and before operations that can block. Switches at other places, such as after a release, do not
  change the order of accesses.) The criterion `all` requires every interleaving, so it is evaluated only for programs
  whose interleavings were all executed.
* It draws complete test sets, which cover every feasible requirement. For each set, it goes through the executions in
  random order and keeps those that cover something new. In the same order, it then drops executions whose removal
  leaves the set complete. So the set is minimal: no further execution can be removed.
* The cost of a test set is its size. The experiment also counts how many executions in random order it takes to cover
  every feasible requirement.
* A test set exposes the bug if one of its executions fails. Larger sets expose more bugs, regardless of coverage. So
  the share of exposing sets is compared with the probability that the same number of random executions exposes the bug
  (computed, not sampled).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

import raddle
from raddle.analysis.richness import chance_of_new
from raddle.criteria.sizes import total_seen
from raddle.stop_reason import StopReason
from raddle_lab.collection import Collector, Coverage
from raddle_lab.lu_bounds import BOUNDS, CRITERIA, Shape
from raddle_lab.mutants import count_locks, imported, subject_names, subject_source, without_lock
from raddle_lab.processes import ReportProgress, report_nothing, run_in_parallel, silence_pool_logging
from raddle_lab.sctbench import PROGRAMS

WHOLE = "all"  # the criterion that requires every possible execution
MAX_THREADS = 10  # SCTBench programs with more threads are left out: they are slow, and their bounds are huge
MUTANT = "-"  # separates a subject from the number of the lock that its mutant lacks


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of the experiment."""

    programs: Sequence[str]
    executions: int = 500  # number of executions of a program with too many interleavings to run all of them
    exhaust: int = 1_000  # maximum number of executions in the attempt to run all interleavings of a program
    sets: int = 100  # complete test sets per criterion
    seed: int = 1


class Sets(NamedTuple):
    """Averages over the complete test sets of one criterion."""

    # Number of requirements according to the paper's formula, given the accesses in random executions; None if the
    # number has too many digits.
    total: int | None
    feasible: int  # number of requirements that any execution covered
    least: int  # lower bound on the size of a complete set: `feasible` divided by the maximum coverage of one execution
    size: float  # average number of executions in a complete set
    executions: float  # average number of executions, in random order, needed to cover everything
    exposing: float  # share of the sets that expose the bug
    at_random: float  # probability that a random set as large as a complete set exposes the bug
    unseen: float  # upper bound on the probability that another execution covers something new


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The result for one program."""

    program: str
    exhausted: bool
    executions: int
    failures: int
    shape: Shape
    sets: Mapping[str, Sets]  # maps each criterion to its test sets; lacks `all` unless all interleavings were run


def program_names() -> tuple[str, ...]:
    """Return all programs: the mutants of all subjects, and the small SCTBench programs that do not always fail."""
    mutants = [
        f"{subject}{MUTANT}{number}"
        for subject in subject_names()
        for number in range(count_locks(subject_source(subject)))
    ]
    known = [name for name, one in PROGRAMS.items() if not one.always and one.threads <= MAX_THREADS]
    return (*mutants, *known)


@contextmanager
def scenario_of(program: str) -> Iterator[tuple[Callable[[], object], tuple[str, ...]]]:
    """Import a program, and yield its scenario and the modules to instrument."""
    if program in PROGRAMS:
        yield PROGRAMS[program].scenario, ("raddle_lab.sctbench",)
        return
    subject, _, number = program.rpartition(MUTANT)
    source = without_lock(subject_source(subject), int(number))
    with (
        tempfile.TemporaryDirectory() as folder,
        imported(source, name=f"{subject}_without_{number}", folder=Path(folder)) as module,
    ):
        yield module.scenario, (module.__name__, "raddle_lab.subjects")


def run_program(name: str, plan: Plan, executed: ReportProgress = report_nothing) -> ProgramResult:
    """Collect executions of one program, and draw complete test sets from them."""
    with scenario_of(name) as (scenario, source), silence_pool_logging():
        executed(name, 0, plan.exhaust)
        exhaustive = _explore(scenario, source, scheduler="exhaustive", executions=plan.exhaust, until="exhausted")
        exhausted = exhaustive.stopped_because is StopReason.EXHAUSTED
        scheduler, executions = ("exhaustive", plan.exhaust) if exhausted else ("random", plan.executions)
        executed(name, 0, executions)
        collector = Collector(CRITERIA)
        for sample in raddle.measure(
            scenario, scheduler=scheduler, executions=executions, criteria=CRITERIA, seed=plan.seed, source=source
        ):
            collector.add(sample.outcome.kind, sample.covered)
        # Only an exploration returns the accesses from which the formulas are computed.
        explored = _explore(
            scenario,
            source,
            scheduler="random",
            executions=plan.executions,
            until="budget",
            criteria=CRITERIA,
            seed=plan.seed,
        )
    assert explored.record is not None
    collection, seen = collector.collection(), explored.record.extras
    failed = np.array([outcome != "passed" for outcome in collection.outcomes])
    generator = np.random.Generator(np.random.PCG64(plan.seed))
    criteria = CRITERIA if exhausted else [one for one in CRITERIA if one != WHOLE]
    return ProgramResult(
        program=name,
        exhausted=exhausted,
        executions=len(collection),
        failures=int(failed.sum()),
        shape=Shape.of(seen["tpair"], seen["svar"]),
        sets={
            criterion: complete_sets(
                collection.coverage[criterion],
                failed,
                [generator.permutation(len(collection)) for _ in range(plan.sets)],
                total=total_seen(criterion, seen[criterion]).number,
                exhausted=exhausted,
            )
            for criterion in criteria
        },
    )


def _explore(scenario: Callable[[], object], source: Sequence[str], **options: Any) -> raddle.Result:
    result = raddle.explore(scenario, shrink=False, source=source, **options)
    if result.stopped_because is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return result


def complete_sets(
    coverage: Coverage, failed: Any, orders: Sequence[Any], *, total: int | None, exhausted: bool
) -> Sets:
    """Draw a complete test set for each order of the executions, and return averages over these sets."""
    sizes, executions, exposing, at_random = [], [], [], []
    for order in orders:
        chosen, needed = complete_set(coverage, order)
        sizes.append(len(chosen))
        executions.append(needed)
        exposing.append(bool(failed[chosen].any()))
        at_random.append(chance_to_expose(len(failed), int(failed.sum()), len(chosen)))
    most = max((len(covered) for covered in coverage.executions), default=0)
    times = np.bincount(np.concatenate(coverage.executions), minlength=coverage.distinct) if coverage.distinct else []
    return Sets(
        total=total,
        feasible=coverage.distinct,
        least=ceil(coverage.distinct / most) if most else 0,
        size=fmean(sizes),
        executions=fmean(executions),
        exposing=fmean(exposing),
        at_random=fmean(at_random),
        unseen=0.0 if exhausted else chance_of_new(map(int, times), len(failed)),
    )


def complete_set(coverage: Coverage, order: Sequence[int]) -> tuple[list[int], int]:
    """Return a minimal complete test set, and the number of executions in the given order needed to cover everything.

    >>> some = [np.array(covered) for covered in ([0], [0, 1], [1], [2])]
    >>> complete_set(Coverage(tuple(some), distinct=3), [0, 1, 2, 3])
    ([1, 3], 4)
    """
    times = np.zeros(coverage.distinct, dtype=np.int64)
    kept = []
    needed = 0
    for place, number in enumerate(order, 1):
        covered = coverage.executions[number]
        if (times[covered] == 0).any():
            times[covered] += 1
            kept.append(int(number))
            needed = place
    chosen = []
    for number in kept:  # earliest first, because later executions make most of the early ones redundant
        covered = coverage.executions[number]
        if (times[covered] > 1).all():
            times[covered] -= 1
        else:
            chosen.append(number)
    return chosen, needed


def chance_to_expose(executions: int, failing: int, size: int) -> float:
    """Return the probability that at least one of `size` randomly drawn executions fails.

    >>> chance_to_expose(4, 1, 2)
    0.5
    """
    left = 1.0
    for drawn in range(size):
        left *= (executions - failing - drawn) / (executions - drawn)
    return 1 - max(0.0, left)


def run(
    plan: Plan,
    *,
    jobs: int = 1,
    done: Callable[[ProgramResult], None] = lambda result: None,
    executed: ReportProgress = report_nothing,
) -> list[ProgramResult]:
    """Run all programs in `jobs` processes."""
    results = []
    for result in run_in_parallel(run_program, plan.programs, plan, jobs=jobs, executed=executed):
        done(result)
        results.append(result)
    return results


class Summary(NamedTuple):
    """Averages for one criterion over the programs with failing executions."""

    programs: int
    feasible: float
    size: float
    executions: float
    exposing: float
    at_random: float
    unseen: float


def summaries(results: Sequence[ProgramResult], *, exhausted: bool) -> dict[str, Summary]:
    """Return each criterion's averages over the programs whose interleavings were all run, or over the other programs.

    A program without a failing execution has no bug to expose and is left out.
    """
    own = [result for result in results if result.exhausted == exhausted and result.failures]
    found = {}
    for criterion in CRITERIA:
        sets = [result.sets[criterion] for result in own if criterion in result.sets]
        if sets:
            found[criterion] = Summary(
                len(sets), *(fmean(getattr(one, name) for one in sets) for name in Summary._fields[1:])
            )
    return found


def as_json(plan: Plan, results: Sequence[ProgramResult]) -> dict[str, Any]:
    """Return all results as JSON data."""
    return {
        **{name: value for name, value in asdict(plan).items() if name != "programs"},
        "bounds": {
            criterion: {"lower": lower and lower.formula, "upper": upper.formula}
            for criterion, (lower, upper) in BOUNDS.items()
        },
        "exhausted": {name: one._asdict() for name, one in summaries(results, exhausted=True).items()},
        "not_exhausted": {name: one._asdict() for name, one in summaries(results, exhausted=False).items()},
        "programs": [_program_as_json(result) for result in results],
    }


def _program_as_json(result: ProgramResult) -> dict[str, Any]:
    criteria = {}
    for criterion, sets in result.sets.items():
        lower, upper = BOUNDS[criterion]
        criteria[criterion] = {
            **sets._asdict(),
            "lower_bound": lower and lower.value(result.shape),
            "upper_bound": upper.value(result.shape),
        }
    return {
        "program": result.program,
        "exhausted": result.exhausted,
        "executions": result.executions,
        "failures": result.failures,
        **result.shape._asdict(),
        "criteria": criteria,
    }
