"""The results of the experiments, with what is needed to make tables of them. They can come from a stored file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raddle.generation.targets import find_targets
from raddle_lab.autocontest.cell import Approach, Cell, Part, Pruning
from raddle_lab.autocontest.experiment import Plan, Run
from raddle_lab.autocontest.run_cell import FINISHED
from raddle_lab.autocontest.subjects import FIGURE_ONE, subject_of
from raddle_lab.machine import machine
from raddle_lab.maptest.class_size import class_size
from raddle_lab.result_log import Json


@dataclass(frozen=True, slots=True)
class Fault:
    """The first failure with a symptom that the class is known for."""

    seconds: float
    explored: int  # number of tests explored completely before
    calls: tuple[str, ...]

    @property
    def is_in_first_test(self) -> bool:
        return self.explored == 0


@dataclass(frozen=True, slots=True)
class Trial:
    """A run of one approach on one class."""

    seed: int
    result: Json

    @property
    def fault(self) -> Fault | None:
        """The known fault; None if it was not found."""
        for fault in self.result["faults"]:
            if fault["matches"]:
                return Fault(fault["seconds"], fault["explored"], tuple(fault["calls"]))
        return None

    @property
    def keys(self) -> frozenset[str]:
        """The triggered requirements."""
        return frozenset(key for _, key in self.result["triggered"])

    def triggered_at(self, seconds: float) -> frozenset[str]:
        """Return the requirements that were triggered up to a time."""
        return frozenset(key for at, key in self.result["triggered"] if at <= seconds)


@dataclass(frozen=True, slots=True)
class Study:
    """All results."""

    plan: Plan
    runs: tuple[Run, ...]
    machine: Mapping[str, Any]
    lines: Mapping[str, int]  # maps the names of classes to their lines of code
    jobs: int
    quick: bool = False

    @classmethod
    def of_runs(cls, plan: Plan, runs: Sequence[Run], *, jobs: int, quick: bool = False) -> Study:
        """Return the study that has just been made on this machine."""
        lines = {name: class_size(find_targets(subject_of(name).target)[0].cls).lines for name in plan.subjects}
        return cls(plan, tuple(runs), machine(), lines, jobs, quick)

    @classmethod
    def of_json(cls, data: Json) -> Study:
        """Return the study that was stored."""
        plan = {name: tuple(value) if isinstance(value, list) else value for name, value in data["plan"].items()}
        runs = tuple(Run(Cell.of(run["cell"]), run["result"]) for run in data["runs"])
        return cls(Plan(**plan), runs, data["machine"], data["lines"], data["jobs"], data["quick"])

    def as_json(self) -> Json:
        """Return the study as JSON data, from which all tables and figures can be made again."""
        return {
            "plan": self.plan.description,
            "machine": dict(self.machine),
            "jobs": self.jobs,
            "quick": self.quick,
            "lines": dict(self.lines),
            "runs": [{"cell": run.cell.description, "result": run.result} for run in self.runs],
        }

    def finished(self, part: Part) -> Iterator[Run]:
        """Yield the runs of a part whose processes did not die."""
        return (run for run in self.runs if run.cell.part is part and run.result["end"] == FINISHED)

    @property
    def unfinished(self) -> list[Run]:
        """The runs whose processes died or were killed."""
        return [run for run in self.runs if run.result["end"] != FINISHED]

    @property
    def given(self) -> Json | None:
        """The result of the sequences of Fig. 4."""
        return next((run.result for run in self.finished(Part.GIVEN)), None)

    @property
    def generated(self) -> Trial | None:
        """The run of AutoConTest on the class of Fig. 1."""
        return next(iter(self.trials(FIGURE_ONE, Approach.AUTOCONTEST)), None)

    def trials(self, subject: str, approach: Approach) -> list[Trial]:
        """Return the runs of an approach on a class."""
        return [
            Trial(run.cell.seed, run.result)
            for run in self.finished(Part.FAULTS)
            if (run.cell.subject, run.cell.approach) == (subject, approach)
        ]

    def best(self, subject: str, approach: Approach) -> Trial | None:
        """Return the run that finds the fault first; if none does, the one that triggers the most requirements."""
        return min(self.trials(subject, approach), key=_rank, default=None)

    def generator(self, subject: str, part: Part, pruning: Pruning = Pruning.ALL) -> Json | None:
        """Return the result of the generator alone."""
        found = (
            run.result for run in self.finished(part) if (run.cell.subject, run.cell.pruning) == (subject, pruning)
        )
        return next(found, None)


def _rank(trial: Trial) -> tuple[float, int, int]:
    fault = trial.fault
    return float("inf") if fault is None else fault.seconds, -len(trial.result["triggered"]), trial.seed
