"""The plan of the experiments, and how their cells are run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass

from raddle_lab.cell_processes import CellProcesses, CellTask
from raddle_lab.class_subject import ClassSubject
from raddle_lab.class_subjects import SUBJECTS
from raddle_lab.maptest.cell import Cell, Part
from raddle_lab.result_log import Json, ResultLog

MAPTEST, RANDOM, COVCON = "maptest", "random", "covcon*"
METHODS = ("portfolio", MAPTEST, COVCON, "covcon", "maptest-random")  # the default; others are possible
QUESTIONS = (1, 2, 3)
COVERAGE_FACTOR = 4  # the paper compares 30 minutes with 2 hours
CORRELATION_FACTOR = 6  # the paper compares 20 minutes with 2 hours
GRACE_SECONDS = 120.0  # after which a process that exceeds its time is killed; shrinking a bug takes time as well
UNLIMITED_SECONDS = 3600.0  # the time limit if the number of tests is limited

CLASSES: tuple[ClassSubject, ...] = tuple(subject for subject in SUBJECTS if subject.id.startswith("V"))
NAMES = tuple(subject.id for subject in CLASSES)


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of the experiments."""

    subjects: tuple[str, ...] = NAMES
    methods: tuple[str, ...] = METHODS
    questions: tuple[int, ...] = QUESTIONS  # the paper's research questions
    seeds: int = 10
    seconds: float = 60.0  # time limit for a search for the first bug
    coverage_seconds: float = 60.0  # the paper's 30 minutes
    coverage_seeds: int = 1
    correlation_seconds: float = 20.0  # the paper's 20 minutes
    correlation_seeds: int = 10
    max_tests: int | None = None  # number of tests that replaces all time limits

    @property
    def description(self) -> Json:
        """The plan as JSON data."""
        return asdict(self)

    def cells(self) -> Iterator[Cell]:
        """Yield all cells. Cells with the same seed are adjacent, so that an interrupted run has complete seeds."""
        if 1 in self.questions:
            for seed in range(1, self.seeds + 1):
                for subject in self.subjects:
                    yield from (self._cell(Part.BUGS, subject, one, seed, self.seconds) for one in self.methods)
        if 2 in self.questions:
            seconds = self.coverage_seconds
            for seed in range(1, self.coverage_seeds + 1):
                for subject in self.subjects:
                    yield self._cell(Part.COVERAGE_TOTAL, subject, MAPTEST, seed, seconds, COVERAGE_FACTOR)
                    yield self._cell(Part.COVERAGE, subject, MAPTEST, seed + self.coverage_seeds, seconds)
                    yield self._cell(Part.COVERAGE, subject, RANDOM, seed + self.coverage_seeds, seconds)
        if 3 in self.questions:
            seconds = self.correlation_seconds
            for subject in self.subjects:
                yield self._cell(Part.CORRELATION_TOTAL, subject, MAPTEST, 1, seconds, CORRELATION_FACTOR)
            for seed in range(2, self.correlation_seeds + 2):
                for subject in self.subjects:
                    yield self._cell(Part.CORRELATION, subject, MAPTEST, seed, seconds)
                    yield self._cell(Part.CORRELATION, subject, COVCON, seed, seconds)

    def _cell(self, part: Part, subject: str, method: str, seed: int, seconds: float, factor: int = 1) -> Cell:
        if self.max_tests is not None:
            return Cell(part, subject, method, seed, UNLIMITED_SECONDS, factor * self.max_tests)
        return Cell(part, subject, method, seed, factor * seconds)


QUICK = Plan(
    subjects=("V3", "V17", "V19"),
    seeds=2,
    seconds=1.5,
    coverage_seconds=1.0,
    correlation_seconds=1.0,
    correlation_seeds=1,
)


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
    with closing(CellProcesses("raddle_lab.maptest.run_cell", jobs=jobs).results(tasks)) as results:
        for task, result in results:
            log.add(task.description, result)
            number += 1
            done(Run(Cell.of(task.description), result), number, len(cells))


def runs_of(plan: Plan, log: ResultLog) -> list[Run]:
    """Return the runs of the plan whose results are known."""
    found = ((cell, log.get(cell.description)) for cell in plan.cells())
    return [Run(cell, result) for cell, result in found if result is not None]
