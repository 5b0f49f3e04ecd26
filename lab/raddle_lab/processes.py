"""Work side by side in several processes, or in this one."""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Protocol, TypeVar

Plan = TypeVar("Plan")
Plan_contra = TypeVar("Plan_contra", contravariant=True)
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

Executed = Callable[[str, int, int], None]  # told of what was executed: so many executions of so many


def silent(name: str, number: int, total: int) -> None:
    """Nobody is told."""


class Work(Protocol[Plan_contra, Result_co]):
    """One part of an experiment."""

    def __call__(self, name: str, plan: Plan_contra, executed: Executed = silent) -> Result_co:
        """Do it."""


@contextmanager
def executor_of(jobs: int) -> Iterator[Executor | None]:
    """For so many processes; None where one is enough. When it is left by an exception, as Ctrl-C is, so are they."""
    if jobs <= 1:
        yield None
        return
    # Spawned, not forked: raddle patches what it finds, and what it finds should not depend on what ran before.
    # Ctrl-C goes to all processes; only this one is to answer it.
    with ProcessPoolExecutor(
        jobs,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    ) as executor:
        try:
            yield executor
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def side_by_side(
    work: Work[Plan, Result], names: Sequence[str], plan: Plan, *, jobs: int, executed: Executed
) -> Iterator[Result]:
    """Results in the order of the names. Only work in this process tells how far it is."""
    with executor_of(jobs) as executor:
        if executor is None:
            yield from map(partial(work, executed=executed), names, [plan] * len(names))
        else:
            yield from executor.map(work, names, [plan] * len(names))


@contextmanager
def quiet_pools() -> Iterator[None]:
    """An execution that is given up ends the threads of its pools, which log that as something critical."""
    logger = logging.getLogger("concurrent.futures")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
