"""Křena's experiment on how well each metric suits saturation-based testing.

The experiment follows section 5 of Křena, Letko and Vojnar, "Coverage Metrics for Saturation-Based and Search-Based
Testing of Concurrent Software". For each test case, executions are collected once. Random series are drawn from the
collection, and the growth of each metric along them is measured. The experiment also runs on a user's program.

Departures from the paper: the programs are in Python, are smaller, and are based only on the paper's descriptions. By
default, the collection has twice as many executions as a series; in the paper it has five times as many, except for the
largest case, where it has twice as many. Series for the largest case are shorter here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from raddle.api import Sample
from raddle.entities import METHODS
from raddle_lab.cases import CASES, Case, Population
from raddle_lab.collection import Collector
from raddle_lab.controlled import controlled
from raddle_lab.noisy import NOISE_OPTIONS, noisy
from raddle_lab.processes import ReportProgress, report_nothing, run_in_parallel, silence_pool_logging
from raddle_lab.published import METRICS, VERDICT, Abstraction
from raddle_lab.scripts import scripted
from raddle_lab.series import Growth, cumulative, draw, growth
from raddle_lab.verdict import overall, verdict

MODES = ("controlled", "noise")
MEASURED = (*METRICS, "blocks")
COLLECTION_FACTOR = 2  # size of the collection, as a multiple of the length of a series
MIN_KEPT = 10  # minimum number of executions needed for a result after a user has interrupted the collection


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of the experiment.

    >>> [plan.collected(CASES["broker"]) for plan in (Plan(executions=80), Plan(executions=80, collection=400))]
    [20, 50]
    """

    cases: Sequence[str] = tuple(CASES)  # names of cases, or the user's target
    mode: str = "controlled"
    executions: int = 2_000  # executions per series
    collection: int | None = None  # executions from which series are drawn; None means twice the length of a series
    series: int = 100  # number of series
    seed: int = 1
    noise: Sequence[str] = ()  # noise options in the form that `raddle run` accepts; if empty, the lab's defaults
    thread_methods: int = METHODS
    source: tuple[str, ...] = ()  # modules to instrument for the user's target

    def case(self, name: str) -> Case:
        """Return the paper's case with the given name, or a case for the user's target."""
        return CASES.get(name) or Case(name, name, name, self.source)

    def length(self, case: Case) -> int:
        """Return the number of executions in a series."""
        return max(1, round(self.executions * case.share))

    def collected(self, case: Case) -> int:
        """Return the number of executions from which series are drawn."""
        if self.collection is None:
            return COLLECTION_FACTOR * self.length(case)
        return max(self.length(case), round(self.collection * case.share))

    def samples(self, case: Case) -> Iterator[Sample]:
        """Run the executions of a case, and yield the requirements that each covered."""
        options: dict[str, Any] = {
            "criteria": MEASURED,
            "executions": self.collected(case),
            "seed": self.seed,
            "thread_methods": self.thread_methods,
        }
        if self.mode == "controlled":
            return controlled(case, **options)
        return (scripted if case.is_script else noisy)(case, noise=self.noise or NOISE_OPTIONS, **options)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result for one case."""

    case: str  # name of the case, or the user's target
    title: str
    mode: str
    collected: int
    length: int  # length of a series
    outcomes: Mapping[str, int]  # maps each outcome to the number of executions that had it
    abstraction: Abstraction
    growth: Mapping[str, Growth]  # maps each metric to its growth
    curves: Mapping[str, Sequence[int]]  # maps each metric to its cumulative coverage along the first series
    interrupted: bool = False  # True if the collection was interrupted

    @property
    def is_published(self) -> bool:
        """Whether this case is also in the paper."""
        return self.case in CASES

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON data."""
        return {
            "case": self.case,
            "mode": self.mode,
            "collected": self.collected,
            "series_length": self.length,
            "outcomes": dict(self.outcomes),
            "table2": self.abstraction._asdict(),
            "table3": {
                name: {**asdict(grown), "verdict": verdict(grown.settled)} for name, grown in self.growth.items()
            },
        }


def run_case(name: str, plan: Plan, executed: ReportProgress = report_nothing) -> CaseResult:
    """Collect the executions of one case, and draw series from them.

    If the user interrupts the collection for their own target, series are drawn from the executions collected so far.
    """
    case = plan.case(name)
    length, total = plan.length(case), plan.collected(case)
    collector, population = Collector(MEASURED), Population()
    interrupted = False
    with silence_pool_logging():
        try:
            for sample in plan.samples(case):
                executed(name, sample.number, total)
                collector.add(sample.outcome.kind, sample.covered)
                population.add(sample.entities)
        except KeyboardInterrupt:
            interrupted = True
    collection = collector.collection()
    if interrupted and (name in CASES or len(collection) < MIN_KEPT):
        raise KeyboardInterrupt
    if interrupted:
        length = min(length, len(collection) // COLLECTION_FACTOR)
    series = draw(len(collection), length=length, count=plan.series, seed=plan.seed)
    return CaseResult(
        case=name,
        title=case.title,
        mode=plan.mode,
        collected=len(collection),
        length=length,
        outcomes=Counter(sorted(collection.outcomes)),
        abstraction=population.row(classes=case.classes(), error_ratio=collection.error_ratio),
        growth={metric: growth(coverage, series) for metric, coverage in collection.coverage.items()},
        curves={metric: cumulative(c, series[0]).tolist() for metric, c in collection.coverage.items()},
        interrupted=interrupted,
    )


def run(
    plan: Plan,
    *,
    jobs: int = 1,
    done: Callable[[CaseResult], None] = lambda result: None,
    executed: ReportProgress = report_nothing,
) -> list[CaseResult]:
    """Run all cases in `jobs` processes. Return the results in the order of `plan.cases`."""
    results = []
    for result in run_in_parallel(run_case, plan.cases, plan, jobs=jobs, executed=executed):
        done(result)
        results.append(result)
        if result.interrupted:
            raise KeyboardInterrupt
    return results


def verdicts(results: Sequence[CaseResult]) -> dict[str, tuple[str, str | None]]:
    """Return, for each metric, the verdict on these results and the paper's verdict on its own results."""
    published = all(result.is_published for result in results)
    return {
        metric: (overall(result.growth[metric].settled for result in results), VERDICT[metric] if published else None)
        for metric in MEASURED
    }


def as_json(results: Sequence[CaseResult]) -> dict[str, Any]:
    """Return the results of one or more modes as JSON data."""
    by_mode = {mode: [result for result in results if result.mode == mode] for mode in MODES}
    return {
        "cases": [result.as_json() for result in results],
        "verdicts": {
            mode: {
                metric: {"here": here, "published": published} for metric, (here, published) in verdicts(own).items()
            }
            for mode, own in by_mode.items()
            if own
        },
    }
