"""Runs small programs in controlled executions and returns the recorded entities, for comparison with native runs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

from raddle.entities import Entities
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.schedulers.sequential import Sequential


@contextmanager
def imported(folder: Path, name: str, source: str) -> Iterator[ModuleType]:
    (folder / f"{name}.py").write_text(dedent(source), encoding="utf-8")
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        del sys.modules[name]


def controlled(module: ModuleType, *, times: int = 1, **options: Any) -> Entities:
    """Return the entities of the last of `times` controlled executions of the module's `main`."""
    with Session(
        module.main, Threads(Selection(sources=(str(module.__file__),))).install(), measuring=True, **options
    ) as session:
        session.rehearse()
        for _ in range(times):
            execution = session.run(Sequential().choose)
            assert execution.outcome.kind == "passed", execution.outcome
    assert execution.observed is not None
    return execution.observed[1]
