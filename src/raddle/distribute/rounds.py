"""Rounds: split a search into units for several processes, with the same result for any number of processes.

The split into units must depend neither on the number of processes nor on their speed. So each round has a fixed number
of units. All units of a round start with the same knowledge: everything that earlier rounds learned, covered and found.
After each round the results are merged in the order of the execution numbers, and the stop rules are checked. Units
grow from round to round. Small units let a short search stop promptly. In a long search, large units reduce the time
that workers spend waiting for the slowest unit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import replace

from raddle.analysis.saturation import saturated
from raddle.corpus import CorpusEntry
from raddle.criteria import make_criteria
from raddle.distribute.processes import Processes
from raddle.distribute.references import reference_to
from raddle.distribute.workers import BorrowedExecutor, ExecutorProvider, Workers
from raddle.errors import UsageError
from raddle.execute.interrupts import Interrupts
from raddle.exploring.ledger import Clock
from raddle.exploring.progress import ProgressCallback, ProgressUpdate
from raddle.exploring.results import make_result
from raddle.exploring.stop_rules import Budget
from raddle.exploring.units import Done, Known, SearchPlan, Unit
from raddle.measuring.measurement import all_covered
from raddle.result import Result
from raddle.stop_reason import StopReason

UNITS = 8  # units per round, for any number of workers, so that the result does not depend on that number
FIRST_SIZE, MAX_SIZE = 64, 2048  # initial and maximum number of executions per unit
MIN_EXECUTIONS = 16  # minimum number of executions per unit; starting a smaller unit costs more than running it


def check_workers(workers: int | Executor, scheduler: str, *, complete: bool) -> None:
    """Raise `UsageError` if a search cannot be split into units.

    >>> check_workers(0, "pos", complete=False)
    Traceback (most recent call last):
    ...
    raddle.errors.UsageError: workers must be at least 1, not 0
    """
    if isinstance(workers, int) and workers < 1:
        raise UsageError("bad-workers", f"workers must be at least 1, not {workers}")
    if complete:
        raise UsageError(
            "bad-workers",
            f"a search with the scheduler {scheduler!r} is sequential and cannot be split among workers: "
            "drop `workers`, or choose another scheduler",
        )


def search(
    plan: SearchPlan,
    budget: Budget,
    corpus: Sequence[CorpusEntry],
    *,
    workers: int | Executor,
    progress: ProgressCallback | None,
) -> tuple[Result, tuple[CorpusEntry, ...]]:
    """Search with several processes. Return the result and the corpus schedules that no longer fit the code."""
    check_workers(workers, plan.scheduler, complete=plan.make_policy().complete)
    number, provider = (workers, None) if isinstance(workers, int) else (UNITS, BorrowedExecutor(workers))
    with ExitStack() as stack:
        scenario = stack.enter_context(reference_to(plan.scenario.load(), forked=provider is None))
        setup = stack.enter_context(reference_to(plan.setup.load(), forked=provider is None)) if plan.setup else None
        plan = replace(plan, scenario=scenario, setup=setup)
        rounds = Rounds(plan, budget, workers=number, progress=progress, provider=provider)
        return rounds.run(corpus), rounds.unfit


def split_round(before: int, executions: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield each unit of a round as (number of executions before it, number of executions in it).

    A unit has at most `size` executions.

    >>> list(split_round(64, 1000, 64))[:2], sum(count for _, count in split_round(64, 1000, 64))
    ([(64, 64), (128, 64)], 512)
    >>> list(split_round(990, 20, 64))
    [(990, 16), (1006, 4)]
    """
    total = min(executions, UNITS * size)
    each = max(MIN_EXECUTIONS, -(-total // UNITS))
    for start in range(0, total, each):
        yield before + start, min(each, total - start)


class Rounds:
    """A search that several processes run in rounds."""

    def __init__(
        self,
        plan: SearchPlan,
        budget: Budget,
        *,
        workers: int,
        progress: ProgressCallback | None = None,
        provider: ExecutorProvider | None = None,
    ) -> None:
        self._plan = replace(plan, until=budget.until)
        self._budget = budget
        self._number = workers
        self._progress = progress
        self._provider = provider if provider is not None else Processes()
        self._all = Done()
        self._clock = Clock(None)
        self._under_way = [0, 0]  # numbers of executions and findings in the current round so far

    @property
    def unfit(self) -> tuple[CorpusEntry, ...]:
        """The corpus schedules that no longer fit the code."""
        return self._all.unfit

    def run(self, corpus: Sequence[CorpusEntry] = ()) -> Result:
        """Replay the corpus, then search."""
        self._clock = Clock(self._budget.seconds)
        with Interrupts() as interrupts:
            interrupted = _flag(interrupts)
            with Workers(min(self._number, UNITS), self._provider, interrupted=interrupted) as workers:
                reason = self._rounds(workers, tuple(corpus), interrupted)
        self._all = replace(self._all, reasons=frozenset({reason}), seconds=self._clock.seconds)
        return make_result(self._plan, self._all)

    def _rounds(self, workers: Workers, corpus: tuple[CorpusEntry, ...], interrupted: Callable[[], bool]) -> StopReason:
        size = FIRST_SIZE
        deadline = None if self._budget.seconds is None else time.time() + self._budget.seconds
        units = [Unit(self._plan, 0, min(size, self._left(0)), deadline=deadline, corpus=corpus)]
        end = units[0].before + min(size, self._left(0))
        while True:
            self._under_way = [0, 0]
            last = self._add(workers.run(units, self._finished))
            reason = StopReason.INTERRUPTED if interrupted() else self._reason_to_stop(last, end)
            if reason is not None:
                return reason
            parts = list(split_round(end, self._left(end), size))
            saturated = self._saturated(last) and self._budget.until == "first-finding"
            units = [
                Unit(
                    self._plan,
                    start,
                    count,
                    self._known(),
                    rehearsed=True,
                    share=(index, len(parts)),
                    deadline=deadline,
                    saturated=saturated,
                )
                for index, (start, count) in enumerate(parts)
            ]
            end = parts[-1][0] + parts[-1][1]
            size = min(2 * size, MAX_SIZE)

    def _left(self, before: int) -> int:
        most = self._budget.executions
        return UNITS * MAX_SIZE if most is None else most - before

    def _add(self, units: Sequence[Done]) -> Done:
        """Add the results of a round. Return the merged results of this round alone."""
        covered = sum(self._all.tally.counts().values())
        # Each unit predicts only its share of the possible orders. So an execution shape has no orders left to predict
        # only if no unit has any left.
        shapes = [done.known.targets.shapes for done in units if done.reasons and not done.crashes]
        exhausted = frozenset.intersection(*shapes) if shapes else frozenset()
        round_ = sum((_with_shapes(done, exhausted) for done in units), Done())
        self._all += round_
        if sum(self._all.tally.counts().values()) > covered:
            self._clock.new_at = self._clock.seconds
        return round_

    def _known(self) -> Known:
        covered = {name: frozenset(keys) for name, keys in self._all.tally.covered.items()}
        return replace(self._all.known, covered=covered)

    def _reason_to_stop(self, last: Done, end: int) -> StopReason | None:
        """Return the reason to stop after a round, or None to continue."""
        for ended in (StopReason.FIRST_FINDING, StopReason.ENDLESS):
            if ended in last.reasons:
                return ended
        reason = self._budget.reason_to_stop(
            found=bool(self._all.findings),
            endless=self._all.endless,
            crashes=self._all.crashes,
            reached=lambda goal: self._saturated(last) if goal == "saturated" else self._covered(last),
        )
        if reason is not None or StopReason.SECONDS in last.reasons:
            return reason or StopReason.SECONDS
        return StopReason.EXECUTIONS if self._left(end) <= 0 else None

    def _saturated(self, last: Done) -> bool:
        return not last.has_targets_left and saturated(self._all.tally)

    def _covered(self, last: Done) -> bool:
        record = self._all.record
        if record is None:
            return False
        criteria = make_criteria(list(self._plan.criteria), self._plan.settings)
        for criterion in criteria:
            if criterion.name in record.extras:
                criterion.restore(record.extras[criterion.name])
        otherwise = self._saturated(last)
        return all_covered(criteria, record.tally.counts(), record.model, record.facts, if_unknown=otherwise)

    def _finished(self, done: Done) -> None:
        """Report progress when a unit ends. The unit's results are added when the whole round has ended."""
        if self._progress is None:
            return
        self._under_way[0] += done.executions
        self._under_way[1] += len(done.findings)
        now = self._clock.seconds
        self._progress(
            ProgressUpdate(
                executions=self._all.executions + self._under_way[0],
                findings=len(self._all.findings) + self._under_way[1],
                seconds=now,
                covered=self._all.tally.counts(),
                seconds_since_new=now - self._clock.new_at,
            )
        )


def _with_shapes(done: Done, shapes: frozenset[int]) -> Done:
    return replace(done, known=replace(done.known, targets=replace(done.known.targets, shapes=shapes)))


def _flag(interrupts: Interrupts) -> Callable[[], bool]:
    return lambda: interrupts.seen
