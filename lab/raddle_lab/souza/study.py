"""The results of the experiment, with what is needed to make tables of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raddle_lab.machine import machine
from raddle_lab.result_log import Json
from raddle_lab.souza.cell import Cell, Part
from raddle_lab.souza.experiment import Plan, Run
from raddle_lab.souza.run_cell import FINISHED

APPROACHES = ("CovT", "RTCovT", "random", "RT", "RTCovT*")  # in the order of Table VIII, with two of our own


@dataclass(frozen=True, slots=True)
class Study:
    """All results."""

    plan: Plan
    runs: tuple[Run, ...]
    machine: Mapping[str, Any]
    quick: bool = False

    @classmethod
    def of_runs(cls, plan: Plan, runs: Sequence[Run], *, quick: bool = False) -> Study:
        """Return the study that has just been made on this machine."""
        return cls(plan, tuple(runs), machine(), quick)

    @classmethod
    def of_json(cls, data: Json) -> Study:
        """Return the study that was stored."""
        plan = {name: tuple(value) if isinstance(value, list) else value for name, value in data["plan"].items()}
        runs = tuple(Run(Cell.of(run["cell"]), run["result"]) for run in data["runs"])
        return cls(Plan(**plan), runs, data["machine"], data["quick"])

    def as_json(self) -> Json:
        """Return the study as JSON data, from which all tables can be made again."""
        return {
            "plan": self.plan.description,
            "machine": dict(self.machine),
            "quick": self.quick,
            "runs": [{"cell": run.cell.description, "result": run.result} for run in self.runs],
        }

    @property
    def unfinished(self) -> list[Run]:
        """The runs whose processes died or were killed."""
        return [run for run in self.runs if run.result["end"] != FINISHED]

    def finished(self, part: Part, program: str | None = None) -> list[Json]:
        """Return the results of a part whose processes did not die, perhaps of one program only."""
        return [
            run.result
            for run in self.runs
            if run.cell.part is part and program in (None, run.cell.program) and run.result["end"] == FINISHED
        ]

    @property
    def figure_3(self) -> Json | None:
        """The example of the paper."""
        return next(iter(self.finished(Part.FIGURE_3)), None)

    def costs(self, program: str) -> Json | None:
        """Return what the approaches cost and cover; None if it was not measured."""
        return next(iter(self.finished(Part.COSTS, program)), None)

    def executions(self, program: str, approach: str) -> int | None:
        """Return the number of SYN-sequences that an approach executed; None if it was not measured."""
        found = self.costs(program)
        return None if found is None else sum(one["executions"] for one in found["approaches"][approach])

    def is_complete(self, program: str, approach: str) -> bool:
        """Return whether an approach reached its limit with no input."""
        found = self.costs(program)
        return found is not None and all(one["complete"] for one in found["approaches"][approach])

    def defects(self, program: str) -> list[Json]:
        """Return the defects of a program with which all approaches were tried."""
        return [result for result in self.finished(Part.DEFECT, program) if "approaches" in result]

    def effectiveness(self, program: str, approach: str) -> float | None:
        """Return the percentage of the defects that an approach reveals; None if it was not measured."""
        found = self.defects(program)
        if not found:
            return None
        return 100 * sum(result["approaches"][approach]["revealed"] for result in found) / len(found)
