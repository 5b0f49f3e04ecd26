"""Workers: units run side by side, whatever becomes of the processes that run them.

A process that dies takes the others of its executor with it. The units that are lost so are run again, each alone: then
it is known in which execution it died. That one is a crash; those before it and those after it are run for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol, TypeVar

from raddle.checks.crash import how_it_died
from raddle.errors import UsageError
from raddle.exploring.turns import Turn
from raddle.exploring.units import Done, Known, Signed, Unit, run_unit
from raddle.finding import THIS_INTERPRETER, Finding
from raddle.outcome import OutcomeKind
from raddle.result import WITHOUT_PREEMPTION
from raddle.stop_reason import StopReason
from raddle.trace import Trace

T = TypeVar("T")
POLL_SECONDS = 0.05  # between two looks at whether Ctrl-C was pressed
MAX_CRASHES = 5  # in one unit: to find each of them takes a while


class Makers(Protocol):
    """Makes executors, on this machine (`raddle.distribute.processes`) or anywhere else (`Borrowed`)."""

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


def crashed(unit: Unit, number: int, how: str, *, rehearsed: bool = True) -> Done:
    """Return an execution that its process did not survive, as the result of a unit.

    `rehearsed`: False if the process died before the first execution, without any preemption.
    """
    plan, signature = unit.plan, (OutcomeKind.CRASH, how)
    where = f"in execution {number:,}" if rehearsed else "without any preemption, before the first execution"
    finding = Finding(
        kind=OutcomeKind.CRASH,
        message=f"{how_it_died(how)} {where} of {plan.scheduler} with seed {plan.seed}",
        thread="",
        possible_on=THIS_INTERPRETER,
        schedule=None,
        trace=Trace(()),
        details=("nothing else is known of it; `python -X faulthandler` shows where a segmentation fault happens",),
        execution=number,
    )
    decided_by = plan.make_policy().member_for(number) if rehearsed else WITHOUT_PREEMPTION
    return Done(
        before=number - 1,
        executions=1,
        crashes=1,
        reasons=frozenset() if rehearsed else frozenset({StopReason.FIRST_FINDING}),  # it cannot be run at all
        findings=(Signed(signature, finding),),
        turns=(Turn(number, 1, decided_by),),
        known=Known(reported=frozenset({signature})),
    )


class Unowned(Executor):
    """An executor of the caller's, which `shutdown` leaves alone."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, function: Callable[..., T], /, *arguments: Any, **options: Any) -> Future[T]:
        return self._executor.submit(function, *arguments, **options)


class Borrowed:
    """Runs units on an executor of the caller's; its workers are neither stopped early nor started again."""

    def __init__(self, executor: Executor) -> None:
        self._executor = Unowned(executor)

    def executor(self, workers: int) -> Executor:
        """Return the executor, however many units it runs at a time."""
        return self._executor

    def submit(self, executor: Executor, unit: Unit) -> Future[Done]:
        """Run a unit in one of the workers."""
        return executor.submit(run_unit, unit)

    def stop(self) -> None:
        """Let the units that have begun end."""

    def kill(self) -> None:
        """Let the units that have begun end."""

    def death(self) -> tuple[int, str]:
        """Refuse to go on: a worker of this executor cannot be replaced."""
        raise UsageError("bad-workers", "a worker of the given executor died; give a number of workers to find out why")


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

    def run(self, units: Sequence[Unit], finished: Callable[[Done], None]) -> list[Done]:
        """Run units and return what came of them, in their order; `finished` is called for each, in any order."""
        result: list[Done] = []
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
            result.append(done)
        if lost:
            self._close()
        for unit in lost:
            result += self._alone(unit, finished)
        result.sort(key=lambda done: done.before)
        if lost and not any(done.crashes for done in result) and not self._interrupted():
            note = "a process died; what it was to do was done again, and it did not happen again"
            result.append(Done(notes=(note,)))
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

    def _alone(self, unit: Unit, finished: Callable[[Done], None]) -> list[Done]:
        """Run a unit whose process died, and find out in which executions it dies."""
        result: list[Done] = []
        while not self._interrupted():
            done, number, how = self._one(unit)
            if done is not None:
                finished(done)
                return [*result, done]
            if self._interrupted():
                return result
            if number <= unit.before:
                if not unit.corpus:
                    return [*result, crashed(unit, unit.before + 1, how, rehearsed=unit.rehearsed)]
                note = "a process died of a schedule kept by an earlier run; these were left out"
                result.append(Done(notes=(note,), before=unit.before))
                unit = replace(unit, corpus=())
                continue
            whole, before = unit.executions or 0, number - 1 - unit.before
            if before:
                result += self._alone(replace(unit, executions=before), finished)
            result.append(crashed(unit, number, how))
            left, crashes = whole - before - 1, sum(done.crashes for done in result)
            if not left or unit.plan.until == "first-finding" or crashes >= MAX_CRASHES:
                return result
            unit = replace(unit, before=number, executions=left, rehearsed=True, corpus=())
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
