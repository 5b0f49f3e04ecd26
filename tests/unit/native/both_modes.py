"""Runs programs in native and controlled executions with the real measuring code, and returns their coverage."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import raddle
from raddle.criteria import THREADS as NAMES
from raddle.criteria import make_criteria
from raddle.entities import AbstractObject, AbstractVariable, Entities
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.measuring.measurement import Measurement
from raddle.native.ids.names import VariableNames
from raddle.native.measuring_sink import MeasuringSink
from raddle.native.watch import Watch
from raddle.operation import ACCESSES, GIVES, TAKES
from raddle.record import Record
from raddle.report.coverage import rows
from raddle.schedulers.sequential import Sequential
from raddle.step import Step
from raddle.store import add, read
from raddle.tally import Key

MEASURED = Path(__file__).parent.parent.parent / "programs" / "measured"


@dataclass
class MeasuredRun:
    """The coverage of one run."""

    record: Record

    def covered(self, criterion: str) -> set[Key]:
        return set(self.record.tally.covered.get(criterion, ()))

    def line(self, site: int) -> int:
        return self.record.sites[site].line

    def line_pairs(self, kind: str, criterion: str = "hbpair") -> set[tuple[int, int]]:
        """Return the pairs of lines ordered by primitives of this kind.

        The kind "" represents thread starts and joins.
        """
        return {
            (self.line(key[0]), self.line(key[1]))
            for key in self.covered(criterion)
            if (AbstractObject(*key[2]).type if key[2] else "") == kind
        }

    def resources(self) -> set[AbstractObject]:
        """Return the resources of all covered happens-before pairs."""
        return {AbstractObject(*key[2]) for key in self.covered("hbpair") if key[2]}

    def static_totals(self, data_file: Path) -> dict[str, int | None]:
        """Return the static total of each criterion after storing the run in the data file."""
        add(data_file, self.record)
        return {row.name: row.static_total.number for row in rows(read(data_file))}

    def warned_lines(self, kind: str) -> set[tuple[int, ...]]:
        """Return the lines of each warning of this kind."""
        return {tuple(map(self.line, warning.sites)) for warning in self.record.warnings if warning.kind == kind}


@dataclass
class ModeComparison:
    """The coverage of one native and one controlled execution. In each pair, the native result comes first."""

    covered: dict[str, tuple[set[Key], set[Key]]]  # maps each criterion to the covered keys
    variables: tuple[set[AbstractVariable], set[AbstractVariable]]  # variables that the criteria received
    resources: tuple[set[AbstractObject], set[AbstractObject]]


class _StepKeepingSink(MeasuringSink):
    """A measuring sink that also keeps the steps."""

    def __init__(self, names: VariableNames) -> None:
        super().__init__(names, criteria=NAMES, data_file=None, origin="run")
        self.steps: list[Step] = []

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self.entities = entities

    def feed(self, steps: Sequence[Step]) -> None:
        super().feed(steps)
        self.steps += steps


@contextmanager
def imported(path: Path) -> Iterator[ModuleType]:
    """Import a new copy of the program for the duration of the block."""
    sys.path.insert(0, str(path.parent))
    sys.modules.pop(path.stem, None)
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(path.stem)
    finally:
        sys.path.remove(str(path.parent))
        sys.modules.pop(path.stem, None)


def run_natively(
    path: Path, criteria: str, prepare: Callable[[ModuleType], object] = lambda module: None
) -> MeasuredRun:
    """Call `prepare` with the program's module, then run its scenario once, natively."""
    sinks: list[MeasuringSink] = []

    def make_sink(names: object) -> MeasuringSink:
        sinks.append(MeasuringSink(names, criteria=(criteria,), data_file=None, origin="run"))  # type: ignore[arg-type]
        return sinks[-1]

    watch = Watch(lambda name, file: file == str(path), make_sink)
    watch.start()
    try:
        with imported(path) as module:
            prepare(module)
            module.scenario()
    finally:
        watch.stop()
    assert watch.stream.error is None, watch.stream.error
    assert sinks[0].record is not None
    return MeasuredRun(sinks[0].record)


def explore_all(path: Path, criteria: str) -> MeasuredRun:
    """Explore the scenario of a program exhaustively."""
    with imported(path) as module:
        result = raddle.explore(
            module.scenario, source=[str(path)], scheduler="reachability", until="budget", executions=3000,
            criteria=criteria,
        )  # fmt: skip
    assert result.stopped_because == "exhausted"
    assert result.record is not None
    return MeasuredRun(result.record)


def run_in_both_modes(path: Path) -> ModeComparison:
    """Run the scenario once in each mode with every criterion. The controlled execution has no preemptions."""
    sinks: list[_StepKeepingSink] = []

    def make_sink(names: VariableNames) -> _StepKeepingSink:
        sinks.append(_StepKeepingSink(names))
        return sinks[-1]

    watch = Watch(lambda name, file: file == str(path), make_sink)
    watch.start()
    try:
        with imported(path) as module:
            module.scenario()
    finally:
        watch.stop()
    assert watch.stream.error is None, watch.stream.error
    (sink,) = sinks
    assert sink.record is not None
    with imported(path) as module, Session(
        module.scenario, Threads(Selection(sources=(str(path),))).install(), measuring=True
    ) as session:  # fmt: skip
        session.rehearse()
        execution = session.run(Sequential().choose)
    assert execution.outcome.kind == "passed", execution.outcome
    assert execution.observed is not None
    steps, entities = execution.observed
    measurement = Measurement(make_criteria(NAMES))
    measurement.early = sink.record.model.early
    covered = measurement.add(steps, entities)
    native = {name: set(sink.record.tally.covered.get(name, ())) for name in NAMES}
    return ModeComparison(
        {name: (native[name], set(covered[name])) for name in NAMES},
        (_variables(sink.steps, sink.entities), _variables(steps, entities)),
        (_resources(sink.steps, sink.entities), _resources(steps, entities)),
    )


def _variables(steps: Iterable[Step], entities: Entities) -> set[AbstractVariable]:
    return {entities.variables[target] for _, kind, target, _ in steps if kind in ACCESSES}


def _resources(steps: Iterable[Step], entities: Entities) -> set[AbstractObject]:
    """Return the resources that the program's own code acquires or releases."""
    kinds = GIVES | TAKES
    return {entities.resources[target] for _, kind, target, site in steps if kind in kinds and site}
