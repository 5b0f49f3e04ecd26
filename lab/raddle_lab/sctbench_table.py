"""Compares schedulers by the number of executions that each needs to find the bugs in SCTBench."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import raddle
from raddle.wording import count
from raddle_lab.processes import executor_of
from raddle_lab.sctbench import PROGRAMS

SCHEDULERS = ("portfolio", "pos", "surw", "pct:depth=3", "random")
# Schedulers without randomness, for which one seed is enough.
DETERMINISTIC = frozenset({"deepening", "exhaustive", "reachability", "round-robin", "sequential"})
SOURCE = "raddle_lab.sctbench"

# Published numbers of executions needed to find the bug, for reads-from fuzzing (RFF) and selectively uniform random
# walk (SURW). POS and the plain random walk never found these two bugs.
PUBLISHED = {"reorder_100": {"RFF": 6, "SURW": 193}, "twostage_100": {"RFF": 56, "SURW": 453}}


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of the experiment."""

    schedulers: Sequence[str] = SCHEDULERS
    programs: Sequence[str] = tuple(PROGRAMS)
    seeds: int = 20  # number of seeds
    executions: int = 1_000  # maximum number of executions for each seed
    seed: int = 1  # the first seed

    def seeds_of(self, scheduler: str) -> range:
        """Return the seeds to run; a scheduler without randomness gets only one."""
        alone = scheduler.partition(":")[0] in DETERMINISTIC
        return range(self.seed, self.seed + (1 if alone else self.seeds))


@dataclass(frozen=True, slots=True)
class Row:
    """The results of one scheduler on one program.

    >>> row = Row("reorder_3", "random", (4, None, 2, 9))
    >>> row.found, row.median, row.shown(1_000)
    (3, 6.5, '6.5 (3/4)')
    >>> Row("reorder_3", "random", (4, None, None)).shown(1_000)
    '>1,000 (1/3)'
    """

    program: str
    scheduler: str
    firsts: tuple[int | None, ...]  # for each seed, the number of the failing execution, or None
    unexpected: tuple[str, ...] = ()  # kinds of findings that are not the program's bug

    @property
    def found(self) -> int:
        """The number of seeds with which the bug was found."""
        return sum(first is not None for first in self.firsts)

    @property
    def median(self) -> float | None:
        """The median, over all seeds, of the number of executions needed to find the bug; None if above the limit."""
        median = statistics.median(math.inf if first is None else first for first in self.firsts)
        return None if math.isinf(median) else median

    def shown(self, executions: int) -> str:
        """Return the text that the table shows for the median."""
        median = f">{executions:,}" if self.median is None else f"{self.median:,g}"
        return median if self.found == len(self.firsts) else f"{median} ({self.found}/{len(self.firsts)})"

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return {
            "program": self.program,
            "scheduler": self.scheduler,
            "seeds": len(self.firsts),
            "found": self.found,
            "median": self.median,
            "executions": list(self.firsts),
            "unexpected": list(self.unexpected),
        }


def run_row(program: str, scheduler: str, plan: Plan) -> Row:
    """Run every seed of one scheduler on one program."""
    firsts: list[int | None] = []
    unexpected = []
    for seed in plan.seeds_of(scheduler):
        result = raddle.explore(
            PROGRAMS[program].scenario,
            scheduler=scheduler,
            seed=seed,
            executions=plan.executions,
            until="first-finding",
            shrink=False,  # only the number of the failing execution matters here
            source=[SOURCE],
        )
        if result.stopped_because == "interrupted":
            raise KeyboardInterrupt
        finding = result.findings[0] if result.findings else None
        if finding is not None and finding.kind not in PROGRAMS[program].kinds:
            unexpected.append(finding.kind)
            finding = None
        firsts.append(None if finding is None else finding.execution)
    return Row(program, scheduler, tuple(firsts), tuple(unexpected))


def run(plan: Plan, *, jobs: int = 1, done: Callable[[Row], None] = lambda row: None) -> list[Row]:
    """Run everything in `jobs` processes. Return rows ordered by program, then by scheduler."""
    pairs = [(program, scheduler) for program in plan.programs for scheduler in plan.schedulers]
    rows = []
    with executor_of(jobs) as executor:
        for row in (executor.map if executor else map)(run_row, *zip(*pairs, strict=True), [plan] * len(pairs)):
            done(row)
            rows.append(row)
    return rows


def report(plan: Plan, rows: Iterable[Row]) -> str:
    """Return the full report: the table with its summary rows, and the published numbers."""
    from raddle_lab.tables import aligned, paragraph  # imported late because it needs more packages than the experiment

    rows = list(rows)
    lines = [["", "threads", *plan.schedulers]]
    for program, group in groupby(rows, key=lambda row: row.program):
        lines.append([program, str(PROGRAMS[program].threads), *(row.shown(plan.executions) for row in group)])
    by_scheduler = [[row for row in rows if row.scheduler == scheduler] for scheduler in plan.schedulers]
    for title, summarize in _SUMMARY_ROWS.items():
        lines.append([title, "", *(summarize(own) for own in by_scheduler)])
    text = [
        f"Executions until the first finding: the median over {count(plan.seeds, 'seed')}, with at most "
        f"{count(plan.executions, 'execution')} each. In parentheses: the number of seeds with a finding, if not all "
        "had one. Schedulers without randomness ran once.",
        aligned(lines),
        *_published(plan.programs),
    ]
    text += [
        f"a finding other than the bug: {row.program}, {row.scheduler}: {kind}"
        for row in rows
        for kind in row.unexpected
    ]
    return "\n\n".join(part if "\n" in part else paragraph(part) for part in text)


def as_json(plan: Plan, rows: Iterable[Row]) -> dict[str, Any]:
    """Return the rows as JSON data."""
    return {
        "seed": plan.seed,
        "seeds": plan.seeds,
        "executions": plan.executions,
        "schedulers": list(plan.schedulers),
        "rows": [row.as_json() for row in rows],
        "published": {name: PUBLISHED[name] for name in plan.programs if name in PUBLISHED},
    }


_SUMMARY_ROWS: dict[str, Callable[[Sequence[Row]], str]] = {
    "found with every seed": lambda rows: str(sum(row.found == len(row.firsts) for row in rows)),
    "found with at least one seed": lambda rows: str(sum(row.found > 0 for row in rows)),
    "median at most 10": lambda rows: str(sum(row.median is not None and row.median <= 10 for row in rows)),
}


def _published(programs: Sequence[str]) -> list[str]:
    shown = [
        f"{name} " + ", ".join(f"{scheduler} {count}" for scheduler, count in PUBLISHED[name].items())
        for name in programs
        if name in PUBLISHED
    ]
    return [f"Published numbers: {'; '.join(shown)}; POS and random never found the bug."] if shown else []
