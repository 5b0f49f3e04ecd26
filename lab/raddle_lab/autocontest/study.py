"""The results of the experiments, with what is needed to make tables of them. They can come from a stored file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raddle.generation.targets import find_targets
from raddle_lab.autocontest.cell import Cell, Part
from raddle_lab.autocontest.experiment import CLASSES, Plan, Run
from raddle_lab.machine import machine
from raddle_lab.maptest.class_size import class_size
from raddle_lab.result_log import Json


@dataclass(frozen=True, slots=True)
class Study:
    """All results."""

    plan: Plan
    runs: tuple[Run, ...]
    machine: Mapping[str, Any]
    lines: Mapping[str, int]  # maps the ids of classes to their lines of code
    jobs: int
    quick: bool = False

    @classmethod
    def of_runs(cls, plan: Plan, runs: Sequence[Run], *, jobs: int, quick: bool = False) -> Study:
        """Return the study that has just been made on this machine."""
        lines = {name: class_size(find_targets(CLASSES[name].target)[0].cls).lines for name in plan.subjects}
        return cls(plan, tuple(runs), machine(), lines, jobs, quick)

    @classmethod
    def of_json(cls, data: Json) -> Study:
        """Return the study that was stored."""
        plan = {name: tuple(value) if isinstance(value, list) else value for name, value in data["plan"].items()}
        runs = tuple(Run(Cell.of(run["cell"]), run["result"]) for run in data["runs"])
        return cls(Plan(**plan), runs, data["machine"], data["lines"], data["jobs"], data["quick"])

    def as_json(self) -> Json:
        """Return the study as JSON data, from which all tables and figures can be made again."""
        plan = self.plan.description
        return {
            "plan": {name: list(value) if isinstance(value, tuple) else value for name, value in plan.items()},
            "machine": dict(self.machine),
            "jobs": self.jobs,
            "quick": self.quick,
            "lines": dict(self.lines),
            "runs": [{"cell": run.cell.description, "result": run.result} for run in self.runs],
        }

    def of(self, part: Part, method: str | None = None) -> Iterator[Run]:
        """Yield the runs of a part that ended normally, for one method or for all."""
        for run in self.runs:
            if run.cell.part is part and method in (None, run.cell.method) and "error" not in run.result:
                yield run

    def results(self, part: Part, subject: str, method: str) -> dict[int, Json]:
        """Map the seeds of the runs for one class and one method to their results."""
        return {run.cell.seed: run.result for run in self.of(part, method) if run.cell.subject == subject}
