"""Starts and stops worker processes on this machine, and reports how a process died."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing.sharedctypes import RawValue
from typing import Any

from raddle.execute.fork import can_fork, how_it_ended, without_fork_warning
from raddle.execute.session import Session
from raddle.exploring.units import Done, SearchPlan, Unit, open_session, run_unit

_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG on Linux


class SharedState:
    """Memory shared by this process and its workers."""

    def __init__(self) -> None:
        self._stopped = RawValue("b", 0)
        self._number = RawValue("q", 0)

    def stop(self) -> None:
        """Request that running units end before their next execution."""
        self._stopped.value = 1

    def begin_execution(self, number: int) -> bool:
        """Record that execution `number` is about to begin. Return False if the unit has to end instead."""
        self._number.value = number
        return not self._stopped.value

    @property
    def number(self) -> int:
        """The number of the most recently started execution. It is meaningful only with a single worker."""
        return self._number.value  # type: ignore[no-any-return]


class Worker:
    """Runs units in a worker process. The session stays open between units, so modules are instrumented only once."""

    def __init__(self, shared: SharedState) -> None:
        self._shared = shared
        self._open: tuple[SearchPlan, Session] | None = None

    def work(self, unit: Unit) -> Done:
        self._shared.begin_execution(unit.before)
        session = self._session(unit.plan)
        session.forget()
        return run_unit(unit, session, self._shared.begin_execution)

    def _session(self, plan: SearchPlan) -> Session:
        if self._open is not None and self._open[0] == plan:
            return self._open[1]
        if self._open is not None:
            self._open[1].__exit__()
        session = open_session(plan).__enter__()
        self._open = plan, session
        return session


# This process's `Worker`, or None if the process was not started to run units. A unit cannot contain the worker, since
# units are pickled.
_worker: Worker | None = None


def _initialize_worker(shared: SharedState) -> None:
    """Prepare a new worker process."""
    global _worker
    _worker = Worker(shared)
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes, but only the main one handles it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def die_with_parent() -> None:
    """Ask Linux to kill this process when its parent dies. A parent that is killed cannot stop its workers."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _work(unit: Unit) -> Done:
    """Run a unit in a worker process."""
    assert _worker is not None
    return _worker.work(unit)


class Processes:
    """Creates executors whose workers are processes on this machine. Implements `ExecutorProvider`.

    Processes are forked where possible. A forked process already has the scenario, even one that cannot be imported by
    name, and iterates over sets of strings in the same order as its parent.
    """

    def __init__(self, method: str | None = None) -> None:
        self._method = method or ("fork" if can_fork() else "spawn")
        self._shared = SharedState()
        self._started: list[Any] = []

    def executor(self, workers: int) -> Executor:
        """Return an executor that runs `workers` units at a time."""
        self._shared = SharedState()
        return self.pool(workers, _initialize_worker, self._shared)

    def pool(self, workers: int, initializer: Callable[..., None], *arguments: Any) -> Executor:
        """Return an executor whose processes begin by calling `initializer`."""
        self._started = []
        context: Any = _RecordingContext(multiprocessing.get_context(self._method), self._started)
        return ProcessPoolExecutor(workers, mp_context=context, initializer=initializer, initargs=arguments)

    def submit(self, executor: Executor, unit: Unit) -> Future[Done]:
        """Submit a unit to the executor."""
        with without_fork_warning(), _same_string_hashes() if self._method == "spawn" else nullcontext():
            return executor.submit(_work, unit)

    def stop(self) -> None:
        """Request that running units end soon and return their results so far."""
        self._shared.stop()

    def kill(self) -> None:
        """Kill all workers immediately; their results are lost."""
        for process in self._started:
            with suppress(ValueError, AttributeError):  # already closed, or never started
                process.kill()

    def death(self) -> tuple[int, str]:
        """Return the number of the last execution that the only worker began, and how the worker died."""
        codes = [process.exitcode for process in self._started]
        return self._shared.number, how_it_ended(codes[0] if codes else None)


@contextmanager
def _same_string_hashes() -> Iterator[None]:
    """Give all processes started within this context the same string hashes, as forking does."""
    before = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = before or "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONHASHSEED"]
        else:
            os.environ["PYTHONHASHSEED"] = before


class _RecordingContext:
    """A multiprocessing context that records the processes it creates, since executors do not expose them."""

    def __init__(self, context: Any, created: list[Any]) -> None:
        self._context = context
        self._created = created

    def Process(self, *args: Any, **options: Any) -> Any:  # noqa: N802 -- the name that executors use
        process = self._context.Process(*args, **options)
        self._created.append(process)
        return process

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)
