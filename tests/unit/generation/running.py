"""Runs generated calls on a workbench that instruments nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.sandbox import Sandbox
from raddle.generation.sequential import SequentialRunner
from raddle.instrument import Selection


@contextmanager
def sequential_runner(**options: object) -> Iterator[SequentialRunner]:
    """Yield a runner; `options` are passed to `SequentialRunner`."""
    domain = Threads(Selection(root="/nowhere"), patience_seconds=30)
    with (
        Workbench(domain) as workbench,
        Sandbox() as sandbox,
        SequentialRunner(workbench, sandbox, **options) as runner,  # type: ignore[arg-type]
    ):
        yield runner
