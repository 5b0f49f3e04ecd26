"""Křena's experiment: which metrics suit saturation-based testing?

After section 5 of Křena, Letko and Vojnar, "Coverage Metrics for Saturation-Based and Search-Based Testing of
Concurrent Software". For each test case, executions are collected once; then random series are drawn from the
collection, and the growth of each metric along them is looked at.

Departures: the programs are Python, smaller than the paper's, and written after its descriptions; the
collection has twice the executions of a series where the paper has five times as many (twice for the largest
case too); the largest case has shorter series.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from raddle_lab.cases import CASES, Case, Population
from raddle_lab.collection import Collector
from raddle_lab.controlled import controlled
from raddle_lab.noisy import noisy
from raddle_lab.processes import Executed, quiet_pools, side_by_side, silent
from raddle_lab.published import METRICS, VERDICT, Abstraction
from raddle_lab.series import Growth, cumulative, draw, growth
from raddle_lab.verdict import overall, verdict

MODES = ("controlled", "noise")
MEASURED = (*METRICS, "blocks")
COLLECTED = 2  # times the length of a series


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run."""

    cases: Sequence[str] = tuple(CASES)
    mode: str = "controlled"
    executions: int = 2_000  # of a series
    series: int = 100
    seed: int = 1

    def length(self, case: Case) -> int:
        """Of a series."""
        return max(1, round(self.executions * case.share))


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one case."""

    case: str
    mode: str
    collected: int
    length: int  # of a series
    outcomes: Mapping[str, int]  # how often executions ended how
    abstraction: Abstraction
    growth: Mapping[str, Growth]  # by metric
    curves: Mapping[str, Sequence[int]]  # by metric: cumulative coverage along the first series

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
    """Collect the executions of one case, and draw series from them."""
    case = CASES[name]
    length = plan.length(case)
    total = COLLECTED * length
    collector, population = Collector(MEASURED), Population()
    run = controlled if plan.mode == "controlled" else noisy
    with quiet_pools():
        for sample in run(case, criteria=MEASURED, executions=total, seed=plan.seed):
            executed(name, sample.number, total)
            collector.add(sample.outcome.kind, sample.covered)
            population.add(sample.cast)
    collection = collector.collection()
    series = draw(len(collection), length=length, count=plan.series, seed=plan.seed)
    return CaseResult(
        case=name,
        mode=plan.mode,
        collected=len(collection),
        length=length,
        outcomes=Counter(sorted(collection.outcomes)),
        abstraction=population.row(classes=case.classes(), error_ratio=collection.error_ratio),
        growth={metric: growth(coverage, series) for metric, coverage in collection.coverage.items()},
        curves={metric: cumulative(c, series[0]).tolist() for metric, c in collection.coverage.items()},
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
    return results


def verdicts(results: Sequence[CaseResult]) -> dict[str, tuple[str, str]]:
    """By metric: what these results say, and what the paper says."""
    return {
        metric: (overall(result.growth[metric].settled for result in results), VERDICT[metric]) for metric in MEASURED
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
