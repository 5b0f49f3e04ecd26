"""The match-based explorer with several workers, on executors of `concurrent.futures`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field

from raddle.distribute.processes import Processes
from raddle.errors import UsageError
from raddle.execute.fork import without_fork_warning
from raddle.exploring.stop_rules import Budget
from raddle.messages.coordinator import Coordinator
from raddle.messages.scenario import MessageScenario
from raddle.messages.variant_worker import Batch, Begin, Ran, initialize_worker, run_anywhere, run_in_worker
from raddle.mpi.sequence import Sequence as SynSequence
from raddle.stop_reason import StopReason

MAX_BATCH = 16  # number of executions per task
UNKNOWN_WORKERS = 8  # number of workers to assume for the caller's executor
AHEAD = 2  # number of tasks per worker, so that no worker waits for its next task


@dataclass(slots=True)
class Gathered:
    """The results of parallel executions."""

    reason: StopReason = StopReason.EXHAUSTED
    executions: int = 0
    redundant: int = 0
    steps: int = 0
    endless: int = 0
    sequences: set[SynSequence] = field(default_factory=set)
    failures: dict[tuple[str, ...], Ran] = field(default_factory=dict)  # by signature
    bound: str = ""
    used_collectives: bool = False
    limited_polls: bool = False
    refusal: str = ""

    def add(self, batch: Batch) -> None:
        """Add the executions of a batch."""
        self.used_collectives |= batch.used_collectives
        self.limited_polls |= batch.limited_polls
        self.refusal = self.refusal or batch.refusal
        for ran in batch.ran:
            self.executions += 1
            self.steps += ran.steps
            self.endless += ran.endless
            self.sequences.add(ran.sequence)
            self.bound = self.bound or ran.bound
            if ran.signature:
                known = self.failures.get(ran.signature)
                if known is None or _rank(ran) < _rank(known):
                    self.failures[ran.signature] = ran

    def representatives(self) -> list[Begin]:
        """Return an execution for each kind of failure, in an order that does not depend on the workers."""
        return [ran.decided for ran in sorted(self.failures.values(), key=_rank)]


def _rank(ran: Ran) -> tuple[int, str, tuple[object, ...]]:
    text = str(ran.sequence)
    return len(text), text, ran.decided


class ParallelSearch:
    """Runs every SYN-sequence of a scenario exactly once, with several workers.

    `workers` is a number of processes, or an executor of the caller.
    """

    def __init__(self, scenario: MessageScenario, workers: int | Executor, budget: Budget) -> None:
        self._scenario = scenario
        self._budget = budget
        self._processes = Processes()
        self._is_prepared = isinstance(workers, int)
        if isinstance(workers, int):
            self._number = workers
            self._executor: Executor = self._processes.pool(workers, initialize_worker, scenario)
        else:
            self._number = UNKNOWN_WORKERS
            self._executor = workers
        self._coordinator = Coordinator()
        self._tasks: dict[Future[Batch], list[Begin]] = {}
        self._started = 0  # number of executions

    def run(self) -> Gathered:
        """Run the search; return its results."""
        gathered = Gathered()
        try:
            gathered.reason = self._run(gathered)
        except KeyboardInterrupt:
            gathered.reason = StopReason.INTERRUPTED
        except BrokenExecutor:
            self._close(kill=True)
            raise UsageError(
                "worker-died", "a worker process died while it executed the program; explore it without workers"
            ) from None
        self._close(kill=gathered.reason is not StopReason.EXHAUSTED)
        gathered.redundant = self._coordinator.redundant
        return gathered

    def _close(self, *, kill: bool) -> None:
        if self._is_prepared:
            if kill:
                self._processes.kill()
            with suppress(BrokenExecutor):
                self._executor.shutdown(wait=True, cancel_futures=True)
        else:
            for task in self._tasks:
                task.cancel()

    def _run(self, gathered: Gathered) -> StopReason:
        deadline = None if self._budget.seconds is None else time.monotonic() + self._budget.seconds
        coordinator = self._coordinator
        while True:
            self._start()
            if not self._tasks:
                return StopReason.EXHAUSTED if coordinator.is_finished else StopReason.EXECUTIONS
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            done, _ = wait(self._tasks, left, FIRST_COMPLETED)
            if not done:
                return StopReason.SECONDS
            for task in done:
                batch = task.result()
                coordinator.landed(self._tasks.pop(task), batch.ran)
                gathered.add(batch)
            reason = self._budget.reason_to_stop(
                found=bool(gathered.failures), endless=gathered.endless, crashes=0, reached=lambda goal: False
            )
            if reason is not None or gathered.refusal:
                return reason or StopReason.EXHAUSTED

    def _start(self) -> None:
        """Start as many tasks as the workers and the budget allow."""
        while len(self._tasks) < AHEAD * self._number:
            size = max(1, min(MAX_BATCH, self._coordinator.waiting // (AHEAD * self._number)))
            if self._budget.executions is not None:
                size = min(size, self._budget.executions - self._started)
            batch = self._coordinator.batch(size) if size else []
            if not batch:
                return
            self._started += len(batch)
            self._tasks[self._submit(batch)] = batch

    def _submit(self, batch: Sequence[Begin]) -> Future[Batch]:
        if not self._is_prepared:
            return self._executor.submit(run_anywhere, self._scenario, batch)
        with without_fork_warning():
            return self._executor.submit(run_in_worker, batch)
