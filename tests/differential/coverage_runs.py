"""Runs generated programs in controlled and native executions, and measures their coverage with raddle."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from coverage_log import LOG, Entry
from coverage_source import Program

from raddle.criteria import THREADS as NAMES
from raddle.criteria import make_criteria
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.measuring.measurement import Measurement
from raddle.native.ids.names import VariableNames
from raddle.native.measuring_sink import MeasuringSink
from raddle.native.watch import Watch
from raddle.schedulers import make_scheduler
from raddle.site import SiteTable

Key = tuple[Any, ...]

_numbers = itertools.count(1)


@dataclass
class Run:
    """One execution of a program."""

    scheduler: str
    number: int
    log: list[Entry]
    covered: dict[str, set[Key]]
    outcome: str
    lines: set[int]  # lines of the program that called its log

    def can_be_repeated(self, program: Program) -> bool:
        """Return whether a native run can be forced into the same order.

        In a native run, a notified thread acquires the lock as soon as the lock is free. Also, the log determines
        neither which pool worker runs a task nor when an unjoined thread ends.
        """
        joined = {entry.target for entry in self.log if entry.kind == "join"}
        if self.outcome != "passed" or program.workers > 1 or not (program.workers or joined >= set(program.threads)):
            return False
        if any(entry.kind == "expired" for entry in self.log):
            return False  # in a native run, the timeout would take real time to expire
        waiting: set[str] = set()
        notified = free = False
        for entry in self.log:
            if entry.kind == "woken":
                waiting.remove(entry.thread)
                notified = free = False
            elif free and entry.kind not in ("reach", "enter", "leave", "begin", "end"):
                return False
            elif entry.kind == "waits":
                waiting.add(entry.thread)
            notified = notified or (entry.kind == "notify" and bool(waiting))
            free = free or (notified and (entry.kind, entry.target) == ("release", "cond1.lock"))
        return True

    def __str__(self) -> str:
        lines = "\n".join(f"  {e.thread:5} {e.kind:10} {e.target:16} {e.site}" for e in self.log)
        return f"{self.scheduler}, execution {self.number}, {self.outcome}; its log:\n{lines}"


@contextmanager
def loaded(program: Program, folder: Path) -> Iterator[ModuleType]:
    """Write the program to a file and import it."""
    number = next(_numbers)
    program_folder = folder / str(number)
    program_folder.mkdir()
    path = program_folder / "program.py"
    path.write_text(program.text, encoding="utf-8")
    name = f"coverage_program_{number}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules[name]


def controlled(module: ModuleType, scheduler: str, seed: int, executions: int) -> Iterator[Run]:
    """Yield controlled executions of the program.

    If the seed is odd, the session has the additional scheduling points that criteria request.
    """
    policy = make_scheduler(scheduler, seed=seed)
    selection = Selection(root=str(Path(str(module.__file__)).parent))
    with Session(
        module.scenario,
        Threads(selection, blocks=True).install(),
        measuring=True,
        criteria=NAMES if seed % 2 else (),
        setup=LOG.begin,
        step_limit=5_000,
    ) as session:
        session.rehearse()
        measurement = Measurement(make_criteria(NAMES))
        for number in range(1, executions + 1):
            if not policy.begin(number, session.known_points.version):
                return
            execution = session.run_for(policy)
            assert execution.observed is not None
            measurement.early = session.model().early
            covered = measurement.add(*execution.observed)
            keys = {name: {translated(key, session.table) for key in found} for name, found in covered.items()}
            yield Run(scheduler, number, list(LOG.entries), keys, execution.outcome.kind, LOG.lines)


def native(program: Program, folder: Path, log: Sequence[Entry]) -> Run:
    """Run the program natively in the order of an earlier log, and measure it as `raddle run` does."""
    measured: list[MeasuringSink] = []

    def sink(names: VariableNames) -> MeasuringSink:
        measured.append(MeasuringSink(names, criteria=NAMES, data_file=None, origin="a generated program"))
        return measured[-1]

    watch = Watch(lambda name, path: path is not None and path.startswith(str(folder)), sink, blocks=True)
    with loaded(
        program, folder
    ) as module:  # imported before the watch starts, because the import is not part of the execution
        watch.start()
        try:
            LOG.force([entry.thread for entry in log if entry.kind != "reach"])
            module.scenario()
        finally:
            watch.stop()
    assert watch.stream.error is None, watch.stream.error
    record = measured[-1].record
    assert record is not None
    covered = {name: set(record.tally.covered.get(name, {})) for name in NAMES}
    keys = {name: {translated(key, watch.table) for key in found} for name, found in covered.items()}
    return Run("native", 1, list(LOG.entries), keys, "passed", LOG.lines)


SUFFIXES = {"read": "r", "write": "w", "delete": "w"}


def translated(value: Any, table: SiteTable) -> Any:
    """Replace the site numbers in a key with line numbers."""
    if isinstance(value, tuple):
        return tuple(translated(part, table) for part in value)
    if isinstance(value, int) and not isinstance(value, bool) and value in table:
        site = table[value]
        return f"{site.line}{SUFFIXES.get(site.kind, '')}"
    return value
