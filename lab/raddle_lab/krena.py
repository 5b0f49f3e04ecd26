"""Křena's experiment: which metrics suit saturation-based testing?

After section 5 of Křena, Letko and Vojnar, "Coverage Metrics for Saturation-Based and Search-Based Testing of
Concurrent Software". For each test case, executions are collected once; then random series are drawn from the
collection, and the growth of each metric along them is looked at.

The same is done with a program of the user's.

Departures: the programs are Python, smaller than the paper's, and written after its descriptions; unless asked for
otherwise, the collection has twice the executions of a series where the paper has five times as many (twice for the
largest case too); the largest case has shorter series.
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
from raddle_lab.processes import Executed, quiet_pools, side_by_side, silent
from raddle_lab.published import METRICS, VERDICT, Abstraction
from raddle_lab.scripts import scripted
from raddle_lab.series import Growth, cumulative, draw, growth
from raddle_lab.verdict import overall, verdict

MODES = ("controlled", "noise")
MEASURED = (*METRICS, "blocks")
COLLECTED = 2  # times the length of a series
MIN_KEPT = 10  # executions, of a target whose collection was interrupted


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run.

    >>> [plan.collected(CASES["broker"]) for plan in (Plan(executions=80), Plan(executions=80, collection=400))]
    [20, 50]
    """

    cases: Sequence[str] = tuple(CASES)  # names of cases, or one target of the user's
    mode: str = "controlled"
    executions: int = 2_000  # of a series
    collection: int | None = None  # executions that series are drawn from; twice a series where None
    series: int = 100
    seed: int = 1
    noise: Sequence[str] = ()  # as `raddle run` takes it; the lab's own where empty
    thread_methods: int = METHODS
    source: tuple[str, ...] = ()  # to instrument, for a target of the user's

    def case(self, name: str) -> Case:
        """Return the paper's case of that name, or the user's target as one."""
        return CASES.get(name) or Case(name, name, name, self.source)

    def length(self, case: Case) -> int:
        """Return the number of executions of a series."""
        return max(1, round(self.executions * case.share))

    def collected(self, case: Case) -> int:
        """Return the number of executions that series are drawn from."""
        if self.collection is None:
            return COLLECTED * self.length(case)
        return max(self.length(case), round(self.collection * case.share))

    def samples(self, case: Case) -> Iterator[Sample]:
        """Yield what each execution covers."""
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
    """What came of one case."""

    case: str  # its name, or the user's target
    title: str
    mode: str
    collected: int
    length: int  # of a series
    outcomes: Mapping[str, int]  # how often executions ended how
    abstraction: Abstraction
    growth: Mapping[str, Growth]  # by metric
    curves: Mapping[str, Sequence[int]]  # by metric: cumulative coverage along the first series
    interrupted: bool = False  # before all executions were collected

    @property
    def is_published(self) -> bool:
        """Whether the paper has this case too."""
        return self.case in CASES

    def as_json(self) -> dict[str, Any]:
        """For machines."""
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


def run_case(name: str, plan: Plan, executed: Executed = silent) -> CaseResult:
    """Collect the executions of one case, and draw series from them.

    Where collecting the user's target is interrupted, series are drawn from the executions that there are.
    """
    case = plan.case(name)
    length, total = plan.length(case), plan.collected(case)
    collector, population = Collector(MEASURED), Population()
    interrupted = False
    with quiet_pools():
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
        length = min(length, len(collection) // COLLECTED)
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
    executed: Executed = silent,
) -> list[CaseResult]:
    """All cases, side by side in as many processes as there are jobs; the results in the order asked for."""
    results = []
    for result in side_by_side(run_case, plan.cases, plan, jobs=jobs, executed=executed):
        done(result)
        results.append(result)
        if result.interrupted:
            raise KeyboardInterrupt
    return results


def verdicts(results: Sequence[CaseResult]) -> dict[str, tuple[str, str | None]]:
    """By metric: what these results say, and what the paper says of its own cases."""
    published = all(result.is_published for result in results)
    return {
        metric: (overall(result.growth[metric].settled for result in results), VERDICT[metric] if published else None)
        for metric in MEASURED
    }


def as_json(results: Sequence[CaseResult]) -> dict[str, Any]:
    """Results of one mode or more, for machines."""
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
