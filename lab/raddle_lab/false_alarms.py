"""Counts false alarms: bugs that a search reports for classes that have none.

The classes are those that are correct by construction (`raddle_lab.correct_classes`), and the fixed versions of the
classes with known bugs. The four kinds of failures are reported in two groups. Exceptions and hangs (tiers 1 and 2)
are certain. Results and states (tiers 3 and 4) are not bugs in a class that is documented as weakly consistent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from raddle.generation.class_search import ClassSearch, Counts
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.rejection import reason_not_tested
from raddle.generation.targets import find_targets
from raddle.linearizability.judgment import Oracle
from raddle_lab.cell_processes import CellProcesses, CellTask
from raddle_lab.class_subjects import SUBJECTS
from raddle_lab.correct_classes import CORRECT_CLASSES
from raddle_lab.machine import machine
from raddle_lab.maptest.experiment import GRACE_SECONDS, UNLIMITED_SECONDS
from raddle_lab.maptest.section import Section
from raddle_lab.maptest.symptoms import CERTAIN_ORACLES
from raddle_lab.result_log import Json, ResultLog

CORRECT, FIXED = "correct", "fixed"
TARGETS: Mapping[str, tuple[str, str]] = {
    **{one.id: (CORRECT, one.target) for one in CORRECT_CLASSES},
    **{f"{one.id}-fixed": (FIXED, one.fixed) for one in SUBJECTS},
}
NAMES = tuple(TARGETS)


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of the experiment."""

    classes: tuple[str, ...] = NAMES
    method: str = "portfolio"
    seconds: float = 300.0
    seed: int = 1
    max_tests: int | None = None  # number of tests that replaces the time limit

    def cell(self, name: str) -> Json:
        """Return the description of the search for bugs of one class."""
        seconds = self.seconds if self.max_tests is None else UNLIMITED_SECONDS
        limits = {"seconds": seconds, "max_tests": self.max_tests}
        return {"class": name, "method": self.method, "seed": self.seed, **limits}


def run(cell: Mapping[str, Any]) -> Json:
    """Search for bugs of one class, in the process that `raddle_lab.cell_processes` starts for it."""
    (target,) = find_targets(TARGETS[cell["class"]][1])
    options = GenerationOptions(
        method=cell["method"], seconds=cell["seconds"], seed=cell["seed"], max_tests=cell["max_tests"]
    )
    search = ClassSearch(target.cls, options)
    reason = reason_not_tested(target.cls, search.surface)
    if reason:
        return {"end": "rejected", "seconds": 0.0, "bugs": [], "notes": [reason]}
    result = search.run()
    bugs = [
        {
            "oracle": str(bug.oracle),
            "sentence": bug.sentence,
            "seconds": round(bug.seconds, 3),
            "test": _shown(bug.test),
        }
        for bug in result.bugs
    ]
    seconds = round(result.seconds, 3)
    return {"end": "budget", "seconds": seconds, **_numbers(result.counts), "bugs": bugs, "notes": list(result.notes)}


def _numbers(counts: Counts) -> Json:
    return {name: value for name, value in asdict(counts).items() if isinstance(value, int)}


def _shown(test: Any) -> str:
    return " | ".join(", ".join(str(call.method) for call in thread) for thread in (test.prefix, *test.threads))


Done = Callable[[str, Json, int, int], None]  # a class, its result, the number of results so far and of all classes


def run_all(
    plan: Plan, log: ResultLog, *, jobs: int = 1, done: Done = lambda name, result, number, total: None
) -> None:
    """Search for bugs of the classes whose results are not in the log yet, and add their results."""
    missing = [plan.cell(name) for name in plan.classes if log.get(plan.cell(name)) is None]
    tasks = [CellTask(cell, cell["seconds"] + GRACE_SECONDS) for cell in missing]
    number = len(plan.classes) - len(missing)
    with closing(CellProcesses("raddle_lab.false_alarms", jobs=jobs).results(tasks)) as results:
        for task, result in results:
            log.add(task.description, result)
            number += 1
            done(str(task.description["class"]), result, number, len(plan.classes))


def as_json(plan: Plan, log: ResultLog, *, jobs: int) -> Json:
    """Return the results that are known so far as JSON data."""
    found = {name: result for name in plan.classes if (result := log.get(plan.cell(name))) is not None}
    return {"plan": {**asdict(plan), "classes": list(plan.classes)}, "machine": machine(), "jobs": jobs, "runs": found}


def describe(result: Json) -> str:
    """Return the result for one class in a few words.

    >>> describe({"end": "budget", "tests": 12, "bugs": []})
    'no bug in 12 tests'
    """
    if "bugs" not in result:
        return f"process {result['end']} {result['error']}"
    if "tests" not in result:
        return f"{result['end']}: {result['notes'][0]}"
    bugs = ", ".join(str(bug["oracle"]) for bug in result["bugs"])
    return f"{bugs or 'no bug'} in {result['tests']:,} tests"


def sections(data: Json) -> Iterator[Section]:
    """Yield the tables: one row per class, then the alarms."""
    runs, plan, where = data["runs"], data["plan"], data["machine"]
    limit = f"{plan['seconds']:g} s" if plan["max_tests"] is None else f"{plan['max_tests']:,} tests"
    rows = [["class", "group", "target", "tests", "executions", "tiers 1-2", "tiers 3-4"]]
    for name, result in runs.items():
        bugs = result.get("bugs", [])
        certain = sum(Oracle(bug["oracle"]) in CERTAIN_ORACLES for bug in bugs)
        counts = [f"{result[key]:,}" if key in result else str(result["end"]) for key in ("tests", "executions")]
        rows.append([name, TARGETS[name][0], TARGETS[name][1].rpartition(":")[2], *counts, str(certain)])
        rows[-1].append(str(len(bugs) - certain))
    yield Section(
        "False alarms",
        rows,
        [
            f"{plan['method']}, seed {plan['seed']}, {limit} for each class, {data['jobs']} at a time on "
            f"{where['processors']} processors ({where['python']}, {where['system']}).",
            *(_sums(data, group) for group in (CORRECT, FIXED)),
        ],
        left=3,
    )
    alarms = [
        f"{name}: {bug['oracle']}: {bug['sentence']} ({bug['test']})"
        for name, result in runs.items()
        for bug in result.get("bugs", [])
    ]
    broken = [f"{name}: {describe(result)}" for name, result in runs.items() if "bugs" not in result]
    yield Section("Alarms", remarks=[*alarms, *broken] or ["none"])
    rejected = [f"{name}: {result['notes'][0]}" for name, result in runs.items() if result["end"] == "rejected"]
    if rejected:
        yield Section("Rejected", remarks=rejected)


def _sums(data: Json, group: str) -> str:
    runs = [result for name, result in data["runs"].items() if TARGETS[name][0] == group]
    results = [result.get("bugs", []) for result in runs if result["end"] != "rejected"]
    rejected = len(runs) - len(results)
    tiers = [
        sum(any((Oracle(bug["oracle"]) in CERTAIN_ORACLES) == certain for bug in bugs) for bugs in results)
        for certain in (True, False)
    ]
    return (
        f"Of {len(results)} {group} classes, {tiers[0]} have alarms in tiers 1-2 (exceptions, hangs) and {tiers[1]} in "
        f"tiers 3-4 (results, states).{f' {rejected} more were rejected.' if rejected else ''}"
    )
