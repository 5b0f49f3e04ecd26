"""Rounds: a search in units that several processes run, with the same end however many there are.

What is cut into units must not depend on the number of processes, nor on which of them is faster. So units come in
rounds of a fixed number. Those of a round know the same: what earlier rounds learnt, covered and found. Between rounds
everything is put together, in the order of the executions' numbers, and it is asked whether the search is over. Units
grow from round to round: a short search should not overshoot, a long one not wait for the slowest too often.
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
from raddle.distribute.references import referred
from raddle.distribute.workers import Borrowed, Makers, Workers
from raddle.errors import UsageError
from raddle.execute.interrupts import Interrupts
from raddle.exploring.ledger import Clock
from raddle.exploring.progress import ProgressCallback, ProgressUpdate
from raddle.exploring.results import make_result
from raddle.exploring.stop_rules import Budget
from raddle.exploring.units import Done, Known, Plan, Unit
from raddle.measuring.measurement import all_covered
from raddle.result import Result
from raddle.stop_reason import StopReason

UNITS = 8  # in a round, for any number of workers: the result must not depend on it
SMALLEST, LARGEST = 64, 2048  # executions of a unit
LEAST = 16  # below that, beginning a unit costs more than running it


def check_workers(workers: int | Executor, scheduler: str, *, complete: bool) -> None:
    """Refuse a search that cannot be split into units.

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
            f"{scheduler} goes from one execution to the next and cannot be cut into parts: leave workers away, or "
            "take another scheduler",
        )


def search(
    plan: Plan,
    budget: Budget,
    corpus: Sequence[CorpusEntry],
    *,
    workers: int | Executor,
    progress: ProgressCallback | None,
) -> tuple[Result, tuple[CorpusEntry, ...]]:
    """Search with several processes; return the result and the schedules of the corpus that no longer fit."""
    check_workers(workers, plan.scheduler, complete=plan.make_policy().complete)
    number, makers = (workers, None) if isinstance(workers, int) else (UNITS, Borrowed(workers))
    with ExitStack() as stack:
        scenario = stack.enter_context(referred(plan.scenario.load(), forked=makers is None))
        setup = stack.enter_context(referred(plan.setup.load(), forked=makers is None)) if plan.setup else None
        plan = replace(plan, scenario=scenario, setup=setup)
        rounds = Rounds(plan, budget, workers=number, progress=progress, makers=makers)
        return rounds.run(corpus), rounds.unfit


def cut(before: int, executions: int, size: int) -> Iterator[tuple[int, int]]:
    """A round: units of at most so many executions each, as (number before the first, how many).

    >>> list(cut(64, 1000, 64))[:2], sum(count for _, count in cut(64, 1000, 64))
    ([(64, 64), (128, 64)], 512)
    >>> list(cut(990, 20, 64))
    [(990, 16), (1006, 4)]
    """
    total = min(executions, UNITS * size)
    each = max(LEAST, -(-total // UNITS))
    for start in range(0, total, each):
        yield before + start, min(each, total - start)


class Rounds:
    """A search by several processes."""

    def __init__(
        self,
        plan: Plan,
        budget: Budget,
        *,
        workers: int,
        progress: ProgressCallback | None = None,
        makers: Makers | None = None,
    ) -> None:
        self._plan = replace(plan, until=budget.until)
        self._budget = budget
        self._number = workers
        self._progress = progress
        self._makers = makers if makers is not None else Processes()
        self._all = Done()
        self._clock = Clock(None)
        self._under_way = [0, 0]  # executions and findings of the round that is not over yet

    @property
    def unfit(self) -> tuple[CorpusEntry, ...]:
        """The schedules of the corpus that no longer fit the code."""
        return self._all.unfit

    def run(self, corpus: Sequence[CorpusEntry] = ()) -> Result:
        """Search, after replaying the corpus."""
        self._clock = Clock(self._budget.seconds)
        with Interrupts() as interrupts:
            interrupted = _flag(interrupts)
            with Workers(min(self._number, UNITS), self._makers, interrupted=interrupted) as workers:
                reason = self._rounds(workers, tuple(corpus), interrupted)
        self._all = replace(self._all, reasons=frozenset({reason}), seconds=self._clock.seconds)
        return make_result(self._plan, self._all)

    def _rounds(self, workers: Workers, corpus: tuple[CorpusEntry, ...], interrupted: Callable[[], bool]) -> StopReason:
        size = SMALLEST
        deadline = None if self._budget.seconds is None else time.time() + self._budget.seconds
        units = [Unit(self._plan, 0, min(size, self._left(0)), deadline=deadline, corpus=corpus)]
        end = units[0].before + min(size, self._left(0))
        while True:
            self._under_way = [0, 0]
            last = self._add(workers.run(units, self._finished))
            reason = StopReason.INTERRUPTED if interrupted() else self._over(last, end)
            if reason is not None:
                return reason
            parts = list(cut(end, self._left(end), size))
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
            size = min(2 * size, LARGEST)

    def _left(self, before: int) -> int:
        most = self._budget.executions
        return UNITS * LARGEST if most is None else most - before

    def _add(self, units: Sequence[Done]) -> Done:
        """Add a round, whose units all knew the same; return what came of it alone."""
        covered = sum(self._all.tally.counts().values())
        # Each unit had its share of what can be predicted, so all of them must be through with it.
        shapes = [done.known.targets.shapes for done in units if done.reasons and not done.crashes]
        through = frozenset.intersection(*shapes) if shapes else frozenset()
        round_ = sum((_with_shapes(done, through) for done in units), Done())
        self._all += round_
        if sum(self._all.tally.counts().values()) > covered:
            self._clock.new_at = self._clock.seconds
        return round_

    def _known(self) -> Known:
        covered = {name: frozenset(keys) for name, keys in self._all.tally.covered.items()}
        return replace(self._all.known, covered=covered)

    def _over(self, last: Done, end: int) -> StopReason | None:
        """Return a reason to stop after a round, if there is one."""
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
        """Show that a unit is done; its results are added when all of its round are."""
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
