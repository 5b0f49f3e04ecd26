"""The experiment that Lu, Jiang and Zhou left for later: what complete test sets cost, and which bugs they expose.

The paper defines seven criteria and bounds their costs (Table 1), but runs nothing. Here, for each criterion and each
program with a known bug (a mutant of a subject, or a program of SCTBench):

* Executions of the program are collected: all that there are, each once, where they are few enough to be exhausted;
  else some with random schedules. Feasible is what any of them covered: exactly that where they were exhausted, and at
  least that otherwise. (Threads are switched before conflicting accesses and before whatever can block. Switches at
  other places, as after a release, do not change the order of accesses.) Every interleaving counts for `all`, so `all`
  is evaluated only where they were exhausted.
* A complete test set covers every feasible requirement. One is drawn by going through the executions in random order,
  keeping those that cover something new until nothing is left, and then, in random order again, dropping those without
  which the rest is still complete. So no execution of it can be left out.
* Its cost is its size. How many executions in random order it takes until everything is covered is counted, too.
* It exposes the bug if one of its executions fails. As larger sets expose more, whatever they cover, the chance that
  as many executions drawn at random expose it stands beside that (computed, not drawn).
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
from raddle_lab.processes import Executed, quiet_pools, side_by_side, silent
from raddle_lab.sctbench import PROGRAMS

WHOLE = "all"  # the criterion that needs every execution there is
MAX_THREADS = 10  # an execution of those with more takes a tenth of a second, and bounds have thousands of digits
MUTANT = "-"  # between a subject and the number of the lock that its mutant lacks


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run."""

    programs: Sequence[str]
    executions: int = 500  # of a program that cannot be exhausted
    exhaust: int = 1_000  # executions: with more a program is not exhausted
    sets: int = 100  # complete test sets, for each criterion
    seed: int = 1


class Sets(NamedTuple):
    """Complete test sets of one criterion, on average."""

    total: int | None  # requirements by the paper's formula, for what random executions showed; None: too many digits
    feasible: int  # requirements that were covered
    least: int  # executions that a complete set needs in any case, as none covers more than the best one does
    size: float
    executions: float  # in random order until everything is covered
    exposing: float  # share of the sets that expose the bug
    at_random: float  # the same for as many executions at random
    unseen: float  # chance that another execution covers something new, at most


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """What came of one program."""

    program: str
    exhausted: bool
    executions: int
    failures: int
    shape: Shape
    sets: Mapping[str, Sets]  # by criterion; without `all` if the program was not exhausted


def program_names() -> tuple[str, ...]:
    """Return all programs: every mutant of every subject, and SCTBench, without those that fail in every schedule."""
    mutants = [
        f"{subject}{MUTANT}{number}"
        for subject in subject_names()
        for number in range(count_locks(subject_source(subject)))
    ]
    known = [name for name, one in PROGRAMS.items() if not one.always and one.threads <= MAX_THREADS]
    return (*mutants, *known)


@contextmanager
def scenario_of(program: str) -> Iterator[tuple[Callable[[], object], tuple[str, ...]]]:
    """Import a program; give its scenario, and what to instrument."""
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


def run_program(name: str, plan: Plan, executed: Executed = silent) -> ProgramResult:
    """Collect executions of one program, and draw complete test sets from them."""
    with scenario_of(name) as (scenario, source), quiet_pools():
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
        # Only an exploration gives the accesses that the formulas are computed from.
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
    """Draw a complete test set for each order of the executions; return what they are on average."""
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
    """Return a complete test set of which no execution can be left out, and how many in order are complete.

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
    for number in kept:  # the earliest first: what came later has made most of them superfluous
        covered = coverage.executions[number]
        if (times[covered] > 1).all():
            times[covered] -= 1
        else:
            chosen.append(number)
    return chosen, needed


def chance_to_expose(executions: int, failing: int, size: int) -> float:
    """Return the chance that `size` of the executions, drawn at random, have a failing one among them.

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
    executed: Executed = silent,
) -> list[ProgramResult]:
    """All programs, side by side in as many processes as there are jobs."""
    results = []
    for result in side_by_side(run_program, plan.programs, plan, jobs=jobs, executed=executed):
        done(result)
        results.append(result)
    return results


class Summary(NamedTuple):
    """One criterion, on average over programs of which executions fail."""

    programs: int
    feasible: float
    size: float
    executions: float
    exposing: float
    at_random: float
    unseen: float


def summaries(results: Sequence[ProgramResult], *, exhausted: bool) -> dict[str, Summary]:
    """Return each criterion over the programs that were exhausted, or over the others.

    A program of which no execution failed has no bug to expose and is left out.
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
    """Return all results for machines."""
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
