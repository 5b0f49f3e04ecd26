"""The results of the experiments, with what is needed to make tables of them. They can come from a stored file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from raddle.generation.targets import find_targets
from raddle_lab.machine import machine
from raddle_lab.maptest.cell import Cell, Part
from raddle_lab.maptest.class_size import ClassSize, class_size
from raddle_lab.maptest.experiment import CLASSES, Plan, Run
from raddle_lab.result_log import Json


@dataclass(frozen=True, slots=True)
class Attempt:
    """A search for the known bug of a class."""

    seconds: float  # the time limit if the bug was not found
    tests: int | None  # None if it was not found
    executions: int | None
    found: bool  # whether a bug with a known symptom of the class was found
    found_any: bool  # whether any bug was found
    symptom: str
    sentence: str
    aimed_at: int
    explained_by: int
    end: str

    @classmethod
    def of(cls, cell: Cell, result: Json) -> Attempt:
        """Return the attempt that a cell made."""
        found = bool(result.get("matches"))
        return cls(
            result["seconds"] if found else cell.seconds,
            result["tests"] if found else None,
            result["executions"] if found else None,
            found,
            "symptom" in result,
            result.get("symptom", ""),
            result.get("sentence", ""),
            result.get("aimed_at", 0),
            result.get("explained_by", 0),
            result["end"],
        )


@dataclass(frozen=True, slots=True)
class Series:
    """The attempts to find the bug of one class by one method, by seed."""

    attempts: Mapping[int, Attempt] = field(default_factory=dict)

    @property
    def seconds(self) -> list[float]:
        """The time of each attempt; the time limit if it failed."""
        return [one.seconds for one in self.attempts.values()]

    @property
    def mean(self) -> float | None:
        return fmean(self.seconds) if self.attempts else None

    @property
    def median(self) -> float | None:
        return median(self.seconds) if self.attempts else None

    @property
    def found(self) -> int:
        return sum(one.found for one in self.attempts.values())

    @property
    def found_any(self) -> int:
        return sum(one.found_any for one in self.attempts.values())

    def paired(self, other: Series) -> tuple[list[float], list[float]]:
        """Return the times of the attempts with the same seeds."""
        both = sorted(self.attempts.keys() & other.attempts.keys())
        return [self.attempts[seed].seconds for seed in both], [other.attempts[seed].seconds for seed in both]


@dataclass(frozen=True, slots=True)
class Study:
    """All results."""

    plan: Plan
    runs: tuple[Run, ...]
    machine: Mapping[str, Any]
    sizes: Mapping[str, ClassSize]  # maps the ids of classes
    jobs: int
    quick: bool = False

    @classmethod
    def of_runs(cls, plan: Plan, runs: Sequence[Run], *, jobs: int, quick: bool = False) -> Study:
        """Return the study that has just been made on this machine."""
        targets = {subject.id: subject.target for subject in CLASSES if subject.id in plan.subjects}
        sizes = {name: class_size(find_targets(target)[0].cls) for name, target in targets.items()}
        return cls(plan, tuple(runs), machine(), sizes, jobs, quick)

    @classmethod
    def of_json(cls, data: Json) -> Study:
        """Return the study that was stored."""
        plan = {name: tuple(value) if isinstance(value, list) else value for name, value in data["plan"].items()}
        runs = tuple(Run(Cell.of(run["cell"]), run["result"]) for run in data["runs"])
        sizes = {name: ClassSize(**size) for name, size in data["sizes"].items()}
        return cls(Plan(**plan), runs, data["machine"], sizes, data["jobs"], data["quick"])

    def as_json(self) -> Json:
        """Return the study as JSON data, from which all tables and figures can be made again."""
        return {
            "plan": {**self.plan.description, **{name: list(value) for name, value in self.plan.description.items()
                                                 if isinstance(value, tuple)}},
            "machine": dict(self.machine),
            "jobs": self.jobs,
            "quick": self.quick,
            "sizes": {
                name: {"fields": size.fields, "methods": size.methods, "lines": size.lines}
                for name, size in self.sizes.items()
            },
            "runs": [{"cell": run.cell.description, "result": run.result} for run in self.runs],
        }  # fmt: skip

    def series(self) -> Mapping[tuple[str, str], Series]:
        """Map each class and method to the attempts to find a bug."""
        found: dict[tuple[str, str], dict[int, Attempt]] = defaultdict(dict)
        for run in self.of(Part.BUGS):
            found[run.cell.subject, run.cell.method][run.cell.seed] = Attempt.of(run.cell, run.result)
        return defaultdict(Series, {key: Series(dict(sorted(attempts.items()))) for key, attempts in found.items()})

    def of(self, part: Part) -> list[Run]:
        """Return the runs of one part."""
        return [run for run in self.runs if run.cell.part is part]

    def sampled(self, part: Part, subject: str, method: str) -> list[Run]:
        """Return the runs of a part that have samples, for one class and one method."""
        return [
            run
            for run in self.of(part)
            if (run.cell.subject, run.cell.method) == (subject, method) and "samples" in run.result
        ]


def text_of(data: Json) -> str:
    """Return JSON data as text with one run per line, so that a stored file is compact and can be compared by line."""
    head = json.dumps({name: value for name, value in data.items() if name != "runs"}, indent=1)
    runs = ",\n  ".join(json.dumps(run, separators=(",", ":")) for run in data["runs"])
    return f'{head[:-2]},\n "runs": [\n  {runs}\n ]\n}}\n'
