"""Processes on this machine that run units: executors of them, how to stop them, how one of them died."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing.sharedctypes import RawValue
from typing import Any

from raddle.execute.fork import can_fork, how_it_ended, without_fork_warning
from raddle.execute.session import Session
from raddle.exploring.units import Done, Plan, Unit, open_session, run_unit

_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux


class Line:
    """What this process and those that it started can read and write at any time."""

    def __init__(self) -> None:
        self._stopped = RawValue("b", 0)
        self._number = RawValue("q", 0)

    def stop(self) -> None:
        """Units that are under way are to end before their next execution."""
        self._stopped.value = 1

    def goes_on(self, number: int) -> bool:
        """The execution of that number is about to begin: may it?"""
        self._number.value = number
        return not self._stopped.value

    @property
    def number(self) -> int:
        """Of the execution that was begun last, if only one process is at work."""
        return self._number.value  # type: ignore[no-any-return]


class Worker:
    """What a process keeps between two units of a search: modules stay instrumented, which takes a while."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._open: tuple[Plan, Session] | None = None

    def work(self, unit: Unit) -> Done:
        """Run a unit."""
        self._line.goes_on(unit.before)
        session = self._session(unit.plan)
        session.forget()
        return run_unit(unit, session, self._line.goes_on)

    def _session(self, plan: Plan) -> Session:
        if self._open is not None and self._open[0] == plan:
            return self._open[1]
        if self._open is not None:
            self._open[1].__exit__()
        session = open_session(plan).__enter__()
        self._open = plan, session
        return session


_worker: Worker | None = None  # of a process that was started for units: a unit cannot bring it along


def _begin(line: Line) -> None:
    """In a new process, once."""
    global _worker
    _worker = Worker(line)
    _die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; only the first is to answer it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _die_with_parent() -> None:
    """A process that is killed cannot end those that it started; where the system does that for it, it is asked to."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _work(unit: Unit) -> Done:
    """In such a process."""
    assert _worker is not None
    return _worker.work(unit)


class Processes:
    """Makes executors. Another way to have units run, by the machines of a cluster, has these methods, too.

    Processes are forked where that is possible: they have the scenario at once, also one that cannot be named, and sets
    of texts have the same order in all of them.
    """

    def __init__(self, method: str | None = None) -> None:
        self._method = method or ("fork" if can_fork() else "spawn")
        self._line = Line()
        self._started: list[Any] = []

    def executor(self, workers: int) -> Executor:
        """One that runs so many units at a time."""
        self._line = Line()
        self._started = []
        context: Any = _Noting(multiprocessing.get_context(self._method), self._started)
        return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(self._line,))

    def submit(self, executor: Executor, unit: Unit) -> Future[Done]:
        """Have a unit run."""
        with without_fork_warning(), _same_order_of_sets() if self._method == "spawn" else nullcontext():
            return executor.submit(_work, unit)

    def stop(self) -> None:
        """Whatever is under way is to end soon, and to give what it has."""
        self._line.stop()

    def kill(self) -> None:
        """At once, and with nothing."""
        for process in self._started:
            with suppress(ValueError, AttributeError):  # closed, or not started
                process.kill()

    def death(self) -> tuple[int, str]:
        """Of the only worker of the last executor: the number of the execution that it had begun, and how it ended."""
        codes = [process.exitcode for process in self._started]
        return self._line.number, how_it_ended(codes[0] if codes else None)


@contextmanager
def _same_order_of_sets() -> Iterator[None]:
    """Processes that are started meanwhile hash texts alike, as forked ones do."""
    before = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = before or "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONHASHSEED"]
        else:
            os.environ["PYTHONHASHSEED"] = before


class _Noting:
    """A context of multiprocessing that notes which processes are made: an executor does not tell."""

    def __init__(self, context: Any, made: list[Any]) -> None:
        self._context = context
        self._made = made

    def Process(self, *args: Any, **options: Any) -> Any:  # noqa: N802 -- the name that executors use
        process = self._context.Process(*args, **options)
        self._made.append(process)
        return process

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)
