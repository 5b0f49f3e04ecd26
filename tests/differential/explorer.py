"""Finds every outcome of a small program with raddle's exhaustive search."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from small_programs import Program, render

from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.schedulers.exhaustive import Exhaustive

_numbers = itertools.count(1)


class Notebook:
    """Collects the notes of all threads of one execution. This class is not instrumented."""

    def __init__(self, threads: int) -> None:
        self.notes: list[list] = [[] for _ in range(threads)]
        self.shared: Any = None

    def begin(self, *shared: Any) -> None:
        self.shared = shared

    def clear(self) -> None:
        for notes in self.notes:
            notes.clear()

    def visible(self) -> tuple:
        """Return the observable state, in the same form as `brute_force.visible`."""
        c, d, items, queue, names = self.shared
        notes = tuple(tuple(n) for n in self.notes)
        return notes, (c.a, c.b, *names()), tuple(sorted(d.items())), tuple(items), tuple(queue.queue)


def load(program: Program, folder: Path, name: str = "small") -> tuple[ModuleType, Notebook]:
    """Write the program to a file and import it."""
    path = folder / f"{name}.py"
    path.write_text(render(program))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    notebook = Notebook(len(program.bodies))
    module.begin = notebook.begin  # type: ignore[attr-defined]
    for number, notes in enumerate(notebook.notes):
        setattr(module, f"note{number}", notes.append)
    return module, notebook


def outcomes(program: Program, folder: Path, max_executions: int) -> tuple[set[tuple], bool, int]:
    """Return the outcomes, whether the search was exhausted, and the number of executions."""
    name = f"small{next(_numbers)}"
    module, notebook = load(program, folder, name)
    try:
        return _search(module, notebook, folder, max_executions)
    finally:
        del sys.modules[name]


def _search(module: ModuleType, notebook: Notebook, folder: Path, max_executions: int) -> tuple[set[tuple], bool, int]:
    found: set[tuple] = set()
    search = Exhaustive()
    number = 0
    session = Session(
        module.scenario, Threads(Selection(root=str(folder))).install(), setup=notebook.clear, step_limit=5_000
    )
    with session:
        session.rehearse()
        session.rehearse()
        while number < max_executions:
            number += 1
            if not search.begin(number, session.known_points.version):
                return found, True, number - 1
            outcome = session.run_for(search).outcome
            if outcome.error is not None:
                found.add(("error", (_thread_of(outcome.error, module), type(outcome.error).__name__)))
            else:
                stuck = outcome.kind in ("deadlock", "lost-wakeup")
                assert stuck or outcome.kind == "passed", outcome
                found.add(("stuck" if stuck else "passed", *notebook.visible()))
        assert not session.not_instrumented, session.not_instrumented
    return found, False, number


def difference(expected: set[tuple], found: set[tuple]) -> tuple[set[tuple], set[tuple]]:
    """Compare raddle's outcomes (`found`) with brute force (`expected`); return the missed and the impossible outcomes.

    raddle ends an execution at the first error. So if brute force finds several errors in one outcome, raddle has to
    find only one of them. All other outcomes are compared one by one.
    """
    errors = {error for kind, *rest in found if kind == "error" for error in rest}
    wanted = {outcome for outcome in expected if outcome[0] == "errors"}
    possible = {error for _, several in wanted for error in several}
    missed = {outcome for outcome in wanted if not outcome[1] & errors}
    invented = {("error", error) for error in errors - possible}
    others = {outcome for outcome in found if outcome[0] != "error"}
    return missed | (expected - wanted - others), invented | (others - expected)


def _thread_of(error: BaseException, module: ModuleType) -> int:
    """Return the number of the thread that raised the error, from its function's name (f0, f1, ...)."""
    trace = error.__traceback__
    names = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == module.__file__:
            names.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    return next(int(name[1:]) for name in names if name[:1] == "f" and name[1:].isdigit())
