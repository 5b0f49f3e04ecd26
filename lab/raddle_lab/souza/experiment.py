"""The plan of the experiment, and how its cells are run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass

from raddle_lab.cell_processes import CellProcesses, CellTask
from raddle_lab.messages.programs import FIGURE_3, PROGRAMS
from raddle_lab.result_log import Json, ResultLog
from raddle_lab.souza.cell import Cell, Part
from raddle_lab.souza.published import PROGRAMS as PUBLISHED_NAMES
from raddle_lab.souza.published import TABLE_7_TOTALS
from raddle_lab.souza.run_cell import FINISHED

NAMES = tuple(PROGRAMS)
PUBLISHED = dict(zip(NAMES, PUBLISHED_NAMES, strict=True))  # maps our names to those of `published`
COSTS_SECONDS, DEFECT_SECONDS = 1_800.0, 120.0  # after which the process of a cell is killed


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of the experiment."""

    programs: tuple[str, ...] = NAMES
    executions: int = 500  # limit of RT for each input
    random_runs: int = 100  # limit of CovT's random executions for each input
    pool: int = 50  # size of the pool from which T2 is chosen
    mutants: int | None = None  # for each program; None for the totals of Table VII
    mutant_executions: int = 50  # like `executions`, for programs with a defect
    mutant_random_runs: int = 10  # like `random_runs`, for programs with a defect
    random_inputs: int = 30  # the paper's TS_rand
    seed: int = 1

    @property
    def description(self) -> Json:
        """The plan as JSON data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def first_cells(self) -> Iterator[Cell]:
        """Yield the cells that need no results of others."""
        yield Cell(Part.FIGURE_3, FIGURE_3.name, 0, 0)
        for name in self.programs:
            yield Cell(Part.COSTS, name, self.executions, self.random_runs, self.pool, seed=self.seed)

    def cells(self, log: ResultLog) -> Iterator[Cell]:
        """Yield all cells that can be run. Those with defects need T2, which is among the first results."""
        yield from self.first_cells()
        for first in self.first_cells():
            result = log.get(first.description)
            if first.part is Part.COSTS and result is not None and result["end"] == FINISHED:
                t2 = tuple(tuple(arguments) for arguments in result["t2"])
                for number in range(self.defects(first.program)):
                    yield Cell(
                        Part.DEFECT, first.program, self.mutant_executions, self.mutant_random_runs,
                        self.random_inputs, number, self.defects(first.program), t2, self.seed,
                    )  # fmt: skip

    def defects(self, name: str) -> int:
        """Return the number of mutants of a program."""
        total = TABLE_7_TOTALS[PUBLISHED[name]]
        return total if self.mutants is None else min(total, self.mutants)


QUICK = Plan(
    programs=("gcd", "mmult", "reduction"), executions=20, random_runs=10, pool=5, mutants=2, mutant_executions=10
)


@dataclass(frozen=True, slots=True)
class Run:
    """A cell with its result."""

    cell: Cell
    result: Json


Done = Callable[[Run, int, int], None]  # called with a run, the number of runs done so far and the number of all runs


def run(plan: Plan, log: ResultLog, *, jobs: int = 1, done: Done = lambda run, number, total: None) -> None:
    """Run the cells whose results are not in the log yet, and add their results."""
    _run(list(plan.first_cells()), log, jobs, done)
    _run(list(plan.cells(log)), log, jobs, done)


def _run(cells: Sequence[Cell], log: ResultLog, jobs: int, done: Done) -> None:
    missing = [cell for cell in cells if log.get(cell.description) is None]
    tasks = [
        CellTask(cell.description, DEFECT_SECONDS if cell.part is Part.DEFECT else COSTS_SECONDS) for cell in missing
    ]
    number = len(cells) - len(missing)
    with closing(CellProcesses("raddle_lab.souza.run_cell", jobs=jobs).results(tasks)) as results:
        for task, result in results:
            log.add(task.description, result)
            number += 1
            done(Run(Cell.of(task.description), result), number, len(cells))


def runs_of(plan: Plan, log: ResultLog) -> list[Run]:
    """Return the runs of the plan whose results are known."""
    found = ((cell, log.get(cell.description)) for cell in plan.cells(log))
    return [Run(cell, result) for cell, result in found if result is not None]
