"""The plan of the experiments, and how their cells are run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass

from raddle_lab.autocontest.cell import Approach, Cell, Part, Pruning
from raddle_lab.autocontest.subjects import FIGURE_ONE, SUBJECTS
from raddle_lab.cell_processes import CellProcesses, CellTask
from raddle_lab.result_log import Json, ResultLog

NAMES = tuple(SUBJECTS)
PARTS = (1, 2, 3)  # the class of Fig. 1; Table 1 with Fig. 10; Table 2
GIVEN_SECONDS = 60.0  # time limit for the sequences of Fig. 4, which take about a second
GRACE_SECONDS = 60.0  # after which a process that exceeds its time is killed


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of the experiments."""

    subjects: tuple[str, ...] = NAMES
    parts: tuple[int, ...] = PARTS
    seconds: float = 60.0  # the paper's hour for each run of Table 1
    seeds: int = 5  # number of runs of ConTeGe and ConTeGe*
    generator_seconds: float = 60.0  # the paper's hour for each run of Table 2

    @property
    def description(self) -> Json:
        """The plan as JSON data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def cells(self) -> Iterator[Cell]:
        """Yield all cells. Those of the same class are adjacent, so that an interrupted run has complete rows."""
        if 1 in self.parts:
            yield Cell(Part.GIVEN, FIGURE_ONE, GIVEN_SECONDS)
            yield Cell(Part.FAULTS, FIGURE_ONE, self.seconds)
        for subject in self.subjects:
            if 2 in self.parts:
                yield Cell(Part.FAULTS, subject, self.seconds)
                for approach in (Approach.CONTEGE_STAR, Approach.CONTEGE):
                    for seed in range(self.seeds):  # from 0, as in the paper
                        yield Cell(Part.FAULTS, subject, self.seconds, approach, seed=seed)
            if 3 in self.parts:
                yield Cell(Part.SATURATION, subject, self.generator_seconds)
                for pruning in Pruning:
                    yield Cell(Part.FIRST, subject, self.generator_seconds, pruning=pruning)


QUICK = Plan(subjects=("A1", "A2"), seconds=4.0, seeds=1, generator_seconds=2.0)


@dataclass(frozen=True, slots=True)
class Run:
    """A cell with its result."""

    cell: Cell
    result: Json


Done = Callable[[Run, int, int], None]  # called with a run, the number of runs done so far and the number of all runs


def run(plan: Plan, log: ResultLog, *, jobs: int = 1, done: Done = lambda run, number, total: None) -> None:
    """Run the cells whose results are not in the log yet, and add their results."""
    cells = list(plan.cells())
    missing = [cell for cell in cells if log.get(cell.description) is None]
    tasks = [CellTask(cell.description, cell.seconds + GRACE_SECONDS) for cell in missing]
    number = len(cells) - len(missing)
    with closing(CellProcesses("raddle_lab.autocontest.run_cell", jobs=jobs).results(tasks)) as results:
        for task, result in results:
            log.add(task.description, result)
            number += 1
            done(Run(Cell.of(task.description), result), number, len(cells))


def runs_of(plan: Plan, log: ResultLog) -> list[Run]:
    """Return the runs of the plan whose results are known."""
    found = ((cell, log.get(cell.description)) for cell in plan.cells())
    return [Run(cell, result) for cell, result in found if result is not None]
