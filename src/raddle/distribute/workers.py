"""Workers: units run side by side, whatever becomes of the processes that run them.

A process that dies takes the others of its executor with it. The units that are lost so are run again, each alone: then
it is known in which execution it died. That one is a crash; those before it and those after it are run for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Protocol

from raddle.distribute.units import Done, Unit

POLL_SECONDS = 0.05  # between two looks at whether Ctrl-C was pressed
MOST_CRASHES = 5  # in one unit: to find each of them takes a while


class Makers(Protocol):
    """Whoever makes executors; see `raddle.distribute.processes`."""

    def executor(self, workers: int) -> Executor:
        """One that runs so many units at a time."""

    def submit(self, executor: Executor, unit: Unit) -> Future[Done]:
        """Have a unit run."""

    def stop(self) -> None:
        """Whatever is under way is to end soon, and to give what it has."""

    def kill(self) -> None:
        """At once, and with nothing."""

    def death(self) -> tuple[int, str]:
        """Of the only worker of the last executor: the number of the execution that it had begun, and how it ended."""


@dataclass(frozen=True, slots=True)
class Crash:
    """An execution that its process did not survive."""

    number: int
    how: str
    rehearsed: bool = True  # False: it died before the first execution, without any preemption


@dataclass(slots=True)
class Round:
    """What came of some units, in their order."""

    done: list[Done] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, other: Round) -> None:
        """What came of others."""
        self.done = sorted([*self.done, *other.done], key=lambda done: done.unit.before)
        self.crashes = sorted([*self.crashes, *other.crashes], key=lambda crash: crash.number)
        self.notes += other.notes


class Workers:
    """So many processes. `interrupted` says whether Ctrl-C was pressed: then nothing new is begun."""

    def __init__(self, number: int, makers: Makers, *, interrupted: Callable[[], bool]) -> None:
        self._number = number
        self._makers = makers
        self._interrupted = interrupted
        self._executor: Executor | None = None
        self._stopped = False

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._makers.kill()
        self._close()

    def _close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def run(self, units: Sequence[Unit], finished: Callable[[Done], None]) -> Round:
        """Run units; one is told of each that is finished, in any order."""
        result = Round()
        if self._executor is None:
            self._executor = self._makers.executor(self._number)
        futures: dict[Future[Done], Unit] = {}
        with suppress(BrokenExecutor):  # by a unit that was faster than this loop
            for unit in units:
                futures[self._makers.submit(self._executor, unit)] = unit
        lost = list(units[len(futures) :])
        for future in self._completed(futures):
            try:
                done = future.result()
            except CancelledError:
                continue
            except BrokenExecutor:
                lost.append(futures[future])
                continue
            finished(done)
            result.add(Round([done]))
        if lost:
            self._close()
        for unit in lost:
            result.add(self._alone(unit, finished))
        if lost and not result.crashes and not self._interrupted():
            result.notes.append("a process died; what it was to do was done again, and it did not happen again")
        return result

    def _completed(self, futures: Iterable[Future[Done]]) -> Iterable[Future[Done]]:
        """One after the other, as they come; after Ctrl-C those that were not begun are cancelled."""
        left = set(futures)
        while left:
            done, left = wait(left, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            yield from done
            if self._interrupted() and not self._stopped:
                self._stopped = True
                self._makers.stop()
                for future in left:
                    future.cancel()

    def _alone(self, unit: Unit, finished: Callable[[Done], None]) -> Round:
        """Run a unit whose process may have died: what is left of it, and who is to blame."""
        result = Round()
        while unit.executions > 0 and not self._interrupted():
            done, number, how = self._one(unit)
            if done is not None:
                finished(done)
                result.add(Round([done]))
                return result
            if self._interrupted():
                return result
            if number <= unit.before:
                if not unit.corpus:
                    result.add(Round(crashes=[Crash(unit.before + 1, how, rehearsed=unit.rehearsed)]))
                    return result
                result.notes.append("a process died of a schedule kept by an earlier run; these were left out")
                unit = replace(unit, corpus=())
                continue
            whole, before = unit.executions, number - 1 - unit.before
            if before:
                result.add(self._alone(replace(unit, executions=before), finished))
            result.add(Round(crashes=[Crash(number, how)]))
            if unit.plan.until == "first-finding" or len(result.crashes) >= MOST_CRASHES:
                return result
            unit = replace(unit, before=number, executions=whole - before - 1, rehearsed=True, corpus=())
        return result

    def _one(self, unit: Unit) -> tuple[Done | None, int, str]:
        """A unit in a process of its own; where that dies, the number of the execution, and how it ended."""
        executor = self._makers.executor(1)
        try:
            future = self._makers.submit(executor, unit)
            for _ in self._completed([future]):
                pass
            return future.result(), 0, ""
        except (CancelledError, BrokenExecutor):
            pass
        except BaseException:
            self._makers.kill()
            raise
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
        number, how = self._makers.death()
        return None, number, how
