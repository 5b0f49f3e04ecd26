"""Runs units in parallel worker processes, and continues if a process dies.

When a process dies, its executor loses all running units. Each lost unit is run again in its own process, which reveals
the execution that kills the process. That execution is reported as a crash. The executions before and after it are run
as separate units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol, TypeVar

from raddle.checks.crash import death_message
from raddle.errors import UsageError
from raddle.exploring.turns import Turn
from raddle.exploring.units import Done, Known, Signed, Unit, run_unit
from raddle.finding import THIS_INTERPRETER, Finding
from raddle.outcome import OutcomeKind
from raddle.result import WITHOUT_PREEMPTION
from raddle.stop_reason import StopReason
from raddle.trace import Trace

T = TypeVar("T")
POLL_SECONDS = 0.05  # interval between checks for Ctrl-C
MAX_CRASHES = 5  # maximum number of crashes located per unit, since locating a crash takes a while


class ExecutorProvider(Protocol):
    """Provides executors, on this machine (`raddle.distribute.processes`) or elsewhere (`BorrowedExecutor`)."""

    def executor(self, workers: int) -> Executor:
        """Return an executor that runs `workers` units at a time."""

    def submit(self, executor: Executor, unit: Unit) -> Future[Done]:
        """Submit a unit to the executor."""

    def stop(self) -> None:
        """Request that running units end soon and return their results so far."""

    def kill(self) -> None:
        """Kill all workers immediately; their results are lost."""

    def death(self) -> tuple[int, str]:
        """Return, for an executor with one worker that died, the number of its last execution and how it died."""


def crash_result(unit: Unit, number: int, how: str, *, rehearsed: bool = True) -> Done:
    """Return the result to report for one execution that killed its worker process.

    `rehearsed` is False if the process died in a rehearsal, before the first execution.
    """
    plan, signature = unit.plan, (OutcomeKind.CRASH, how)
    where = f"in execution {number:,}" if rehearsed else "in a rehearsal, before the first execution"
    finding = Finding(
        kind=OutcomeKind.CRASH,
        message=f"{death_message(how)} {where} of the scheduler {plan.scheduler!r} with seed {plan.seed}",
        thread="",
        possible_on=THIS_INTERPRETER,
        schedule=None,
        trace=Trace(()),
        details=("no trace is available; `python -X faulthandler` shows where a segmentation fault happens",),
        execution=number,
    )
    decided_by = plan.make_policy().member_for(number) if rehearsed else WITHOUT_PREEMPTION
    return Done(
        before=number - 1,
        executions=1,
        crashes=1,
        reasons=frozenset() if rehearsed else frozenset({StopReason.FIRST_FINDING}),  # the scenario cannot run at all
        findings=(Signed(signature, finding),),
        turns=(Turn(number, 1, decided_by),),
        known=Known(reported=frozenset({signature})),
    )


class UnownedExecutor(Executor):
    """Wraps the caller's executor so that `shutdown` has no effect."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, function: Callable[..., T], /, *arguments: Any, **options: Any) -> Future[T]:
        return self._executor.submit(function, *arguments, **options)


class BorrowedExecutor:
    """Runs units on the caller's executor. Its workers are neither stopped early nor restarted."""

    def __init__(self, executor: Executor) -> None:
        self._executor = UnownedExecutor(executor)

    def executor(self, workers: int) -> Executor:
        """Return the caller's executor, regardless of `workers`."""
        return self._executor

    def submit(self, executor: Executor, unit: Unit) -> Future[Done]:
        """Submit a unit to the caller's executor."""
        return executor.submit(run_unit, unit)

    def stop(self) -> None:
        """Ignore the request, because a unit on a borrowed executor cannot be stopped once it has begun."""

    def kill(self) -> None:
        """Ignore the request, because a unit on a borrowed executor cannot be stopped once it has begun."""

    def death(self) -> tuple[int, str]:
        """Raise `UsageError`, because a borrowed executor does not reveal how its worker died."""
        raise UsageError(
            "bad-workers", "a worker of the given executor died; pass a number as `workers` to find out why"
        )


class Workers:
    """Runs units in up to `number` processes. Once `interrupted()` returns True, no new unit begins."""

    def __init__(self, number: int, provider: ExecutorProvider, *, interrupted: Callable[[], bool]) -> None:
        self._number = number
        self._provider = provider
        self._interrupted = interrupted
        self._executor: Executor | None = None
        self._stopped = False

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._provider.kill()
        self._close()

    def _close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def run(self, units: Sequence[Unit], finished: Callable[[Done], None]) -> list[Done]:
        """Run units and return their results in order. Call `finished` with each result as soon as it is available."""
        result: list[Done] = []
        if self._executor is None:
            self._executor = self._provider.executor(self._number)
        futures: dict[Future[Done], Unit] = {}
        with suppress(BrokenExecutor):  # an earlier unit may already have broken the executor
            for unit in units:
                futures[self._provider.submit(self._executor, unit)] = unit
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
            note = "a worker process died; its work was repeated, this time without a crash"
            result.append(Done(notes=(note,)))
        return result

    def _completed(self, futures: Iterable[Future[Done]]) -> Iterable[Future[Done]]:
        """Yield the futures as they complete. After Ctrl-C, cancel those that have not started."""
        left = set(futures)
        while left:
            done, left = wait(left, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            yield from done
            if self._interrupted() and not self._stopped:
                self._stopped = True
                self._provider.stop()
                for future in left:
                    future.cancel()

    def _alone(self, unit: Unit, finished: Callable[[Done], None]) -> list[Done]:
        """Run a lost unit alone, and find the executions in which its process dies."""
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
                    return [*result, crash_result(unit, unit.before + 1, how, rehearsed=unit.rehearsed)]
                note = "a worker process died while replaying the corpus, so the corpus was skipped"
                result.append(Done(notes=(note,), before=unit.before))
                unit = replace(unit, corpus=())
                continue
            whole, before = unit.executions or 0, number - 1 - unit.before
            if before:
                result += self._alone(replace(unit, executions=before), finished)
            result.append(crash_result(unit, number, how))
            left, crashes = whole - before - 1, sum(done.crashes for done in result)
            if not left or unit.plan.until == "first-finding" or crashes >= MAX_CRASHES:
                return result
            unit = replace(unit, before=number, executions=left, rehearsed=True, corpus=())
        return result

    def _one(self, unit: Unit) -> tuple[Done | None, int, str]:
        """Run a unit in its own process.

        Return (result, 0, ""). If the process died, return (None, number of its last execution, how it died).
        """
        executor = self._provider.executor(1)
        try:
            future = self._provider.submit(executor, unit)
            for _ in self._completed([future]):
                pass
            return future.result(), 0, ""
        except (CancelledError, BrokenExecutor):
            pass
        except BaseException:
            self._provider.kill()
            raise
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
        number, how = self._provider.death()
        return None, number, how
