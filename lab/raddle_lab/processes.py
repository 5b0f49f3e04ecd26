"""Runs the parts of an experiment in parallel processes, or in this process."""

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

ReportProgress = Callable[[str, int, int], None]  # called with a name, the number of executions done, and the total


def report_nothing(name: str, number: int, total: int) -> None:
    """Ignore a progress report."""


class Work(Protocol[Plan_contra, Result_co]):
    """One part of an experiment."""

    def __call__(self, name: str, plan: Plan_contra, executed: ReportProgress = report_nothing) -> Result_co:
        """Run the part with the given name."""


@contextmanager
def executor_of(jobs: int) -> Iterator[Executor | None]:
    """Yield an executor with `jobs` processes, or None if `jobs` is 1. Terminate the processes on any exception."""
    if jobs <= 1:
        yield None
        return
    # Processes are spawned, not forked, so that raddle patches a fresh interpreter in each. Ctrl-C reaches all
    # processes, but only this one handles it.
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


def run_in_parallel(
    work: Work[Plan, Result], names: Sequence[str], plan: Plan, *, jobs: int, executed: ReportProgress
) -> Iterator[Result]:
    """Run the named parts, and yield their results in order. Progress is reported only for work in this process."""
    with executor_of(jobs) as executor:
        if executor is None:
            yield from map(partial(work, executed=executed), names, [plan] * len(names))
        else:
            yield from executor.map(work, names, [plan] * len(names))


@contextmanager
def silence_pool_logging() -> Iterator[None]:
    """Silence `concurrent.futures`, whose threads log a critical error when an aborted execution ends them."""
    logger = logging.getLogger("concurrent.futures")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
