"""The plan of the experiments, and how their cells are run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass

from raddle_lab.autocontest.cell import AUTOCONTEST, CONTEGE, NATIVE_CONTEGE, RULES, Cell, Part
from raddle_lab.cell_processes import CellProcesses, CellTask
from raddle_lab.class_subject import ClassSubject
from raddle_lab.class_subjects import SUBJECTS
from raddle_lab.result_log import Json, ResultLog

GRACE_SECONDS = 120.0  # after which a process that exceeds its time is killed
UNLIMITED_SECONDS = 3600.0  # the time limit if the number of tests is limited
EXAMPLE = "F1"  # the class of the paper's Fig. 1

# Maps the paper's numbers of the classes to those in `raddle_lab.class_subjects`, which MAPTest's paper also numbers.
_IDS = {"A1": "A1", "A2": "A2", "A3": "A3", "A4": "V12", "A5": "V6", "A6": "V10", EXAMPLE: EXAMPLE}
CLASSES: Mapping[str, ClassSubject] = {
    name: next(subject for subject in SUBJECTS if subject.id == known) for name, known in _IDS.items()
}
NAMES = tuple(name for name in CLASSES if name != EXAMPLE)
METHODS = (AUTOCONTEST, CONTEGE, NATIVE_CONTEGE)
PARTS = tuple(map(str, Part))


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of the experiments."""

    subjects: tuple[str, ...] = NAMES
    methods: tuple[str, ...] = METHODS
    parts: tuple[str, ...] = PARTS
    seeds: int = 5
    seconds: float = 60.0  # the paper's hour
    generator_seconds: float = 60.0  # the paper's hour
    example_seconds: float = 20.0
    max_tests: int | None = None  # number of tests that replaces all time limits

    @property
    def description(self) -> Json:
        """The plan as JSON data."""
        return asdict(self)

    def cells(self) -> Iterator[Cell]:
        """Yield all cells. Cells with the same seed are adjacent, so that an interrupted run has complete seeds."""
        if Part.FIGURE_1 in self.parts:
            yield self._cell(Part.FIGURE_1, EXAMPLE, AUTOCONTEST, 1, self.example_seconds)
        if Part.GENERATED in self.parts:
            yield self._cell(Part.GENERATED, EXAMPLE, AUTOCONTEST, 1, self.example_seconds)
        if Part.GENERATOR in self.parts:
            for subject in self.subjects:
                yield from (self._cell(Part.GENERATOR, subject, one, 1, self.generator_seconds) for one in RULES)
        if Part.FAULTS in self.parts:
            for seed in range(1, self.seeds + 1):
                for subject in self.subjects:
                    yield from (self._cell(Part.FAULTS, subject, one, seed, self.seconds) for one in self.methods)

    def _cell(self, part: Part, subject: str, method: str, seed: int, seconds: float) -> Cell:
        if self.max_tests is not None:
            return Cell(part, subject, method, seed, UNLIMITED_SECONDS, self.max_tests)
        return Cell(part, subject, method, seed, seconds)


QUICK = Plan(subjects=("A1", "A2", "A3"), seeds=1, seconds=2.0, generator_seconds=1.0, example_seconds=5.0)


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
