"""Rounds: a search in units that several processes run, with the same end however many there are.

What is cut into units must not depend on the number of processes, nor on which of them is faster. So units come in
rounds of a fixed number. Those of a round know the same: what earlier rounds learnt, covered and found. Between rounds
everything is put together, in the order of the executions' numbers, and it is asked whether the search is over. Units
grow from round to round: a short search should not overshoot, a long one not wait for the slowest too often.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from raddle.corpus import Kept
from raddle.distribute.gathering import Gathered
from raddle.distribute.processes import Processes
from raddle.distribute.references import Function, referred
from raddle.distribute.units import Done, Plan, Unit
from raddle.distribute.workers import Makers, Workers
from raddle.errors import UsageError
from raddle.execute.interrupts import Interrupts
from raddle.exploring.exploration import LATER, MOST_ENDLESS, Budget, Moment, Progress
from raddle.guide.policies import make_policy
from raddle.outcome import OutcomeKind
from raddle.result import Result
from raddle.stop_reason import StopReason

UNITS = 8  # in a round, whoever runs them: what is found must not depend on that
SMALLEST, LARGEST = 64, 2048  # executions of a unit
LEAST = 16  # below that, beginning a unit costs more than running it
MOST_CRASHES = 20  # in all
_GOALS = ("saturated", "covered")


def check_workers(workers: int, scheduler: str, *, complete: bool) -> None:
    """Can this search be cut into parts?

    >>> check_workers(0, "pos", complete=False)
    Traceback (most recent call last):
    ...
    raddle.errors.UsageError: workers must be at least 1, not 0
    """
    if workers < 1:
        raise UsageError("bad-workers", f"workers must be at least 1, not {workers}")
    if complete:
        raise UsageError(
            "bad-workers",
            f"{scheduler} goes from one execution to the next and cannot be cut into parts: leave workers away, or "
            "take another scheduler",
        )


@contextmanager
def plans(
    scenario: Function, setup: Function | None, session: Mapping[str, Any], *, criteria: Sequence[str], **options: Any
) -> Iterator[Plan]:
    """A plan by which other processes can find the scenario while this lasts."""
    with ExitStack() as stack:
        found = stack.enter_context(referred(scenario))
        prepared = stack.enter_context(referred(setup)) if setup is not None else None
        yield Plan(found, prepared, session, criteria=tuple(criteria), until="", **options)


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
        progress: Progress | None = None,
        makers: Makers | None = None,
    ) -> None:
        self._plan = replace(plan, until=LATER if budget.until in _GOALS else budget.until)
        self._budget = budget
        self._number = workers
        self._progress = progress
        self._makers = makers if makers is not None else Processes()
        self._gathered = Gathered(plan, make_policy(plan.scheduler, seed=plan.seed, criteria=plan.criteria))
        self._new_at = 0.0
        self._under_way = [0, 0]  # executions and findings of the round that is not over yet

    @property
    def unfit(self) -> Sequence[Kept]:
        """What of the corpus no longer fits the code."""
        return self._gathered.unfit

    def run(self, corpus: Sequence[Kept] = ()) -> Result:
        """Search; first what earlier runs kept."""
        self._start = time.monotonic()
        with Interrupts() as interrupts:
            interrupted = _flag(interrupts)
            with Workers(min(self._number, UNITS), self._makers, interrupted=interrupted) as workers:
                reason = self._rounds(workers, tuple(corpus), interrupted)
        return self._result(reason)

    def _rounds(self, workers: Workers, corpus: tuple[Kept, ...], interrupted: Callable[[], bool]) -> StopReason:
        gathered, size = self._gathered, SMALLEST
        deadline = None if self._budget.seconds is None else time.time() + self._budget.seconds
        first = Unit(self._plan, 0, min(size, self._left(0)), deadline=deadline, corpus=corpus)
        units = [first]
        while True:
            last_new, self._under_way = gathered.last_new, [0, 0]
            gathered.add(workers.run(units, self._finished))
            if gathered.last_new != last_new:
                self._new_at = time.monotonic() - self._start
            before = units[-1].before + units[-1].executions
            reason = StopReason.INTERRUPTED if interrupted() else self._over(before)
            if reason is not None:
                return reason
            parts = list(cut(before, self._left(before), size))
            units = [
                Unit(
                    self._plan,
                    start,
                    count,
                    gathered.known,
                    rehearsed=True,
                    share=(index, len(parts)),
                    deadline=deadline,
                    saturated=gathered.saturated and self._budget.until == "first-finding",
                )
                for index, (start, count) in enumerate(parts)
            ]
            size = min(2 * size, LARGEST)

    def _left(self, before: int) -> int:
        most = self._budget.executions
        return UNITS * LARGEST if most is None else most - before

    def _over(self, before: int) -> StopReason | None:
        """A reason to stop after a round, if there is one."""
        gathered, until = self._gathered, self._budget.until
        reasons = gathered.reasons
        if StopReason.FIRST_FINDING in reasons or (until == "first-finding" and gathered.findings):
            return StopReason.FIRST_FINDING
        if StopReason.ENDLESS in reasons or (until in _GOALS and gathered.endless >= MOST_ENDLESS):
            return StopReason.ENDLESS
        if gathered.crashes >= MOST_CRASHES:
            return StopReason.CRASHING
        if until in _GOALS and (gathered.saturated if until == "saturated" else gathered.covered()):
            return StopReason(until)
        if StopReason.SECONDS in reasons:
            return StopReason.SECONDS
        return StopReason.EXECUTIONS if self._left(before) <= 0 else None

    def _finished(self, done: Done) -> None:
        """A unit is through; what it brought is put together when all of its round are."""
        if self._progress is None:
            return
        gathered = self._gathered
        self._under_way[0] += done.result.executions
        self._under_way[1] += len(done.result.findings)
        now = time.monotonic() - self._start
        self._progress(
            Moment(
                executions=gathered.executions + self._under_way[0],
                findings=len(gathered.findings) + self._under_way[1],
                seconds=now,
                covered=gathered.tally.counts(),
                seconds_since_new=now - self._new_at,
            )
        )

    def _result(self, reason: StopReason) -> Result:
        gathered, plan = self._gathered, self._plan
        if self._budget.until == "first-finding":
            gathered.keep_first()
        findings = tuple(gathered.findings)
        return Result(
            outcome=findings[0].kind if findings else OutcomeKind.PASSED,
            findings=findings,
            executions=gathered.executions,
            scheduling_points=gathered.points,
            seconds=time.monotonic() - self._start,
            stopped_because=reason,
            seed=plan.seed,
            scheduler=plan.scheduler,
            switches=plan.session.get("switches", "free-threaded"),
            not_instrumented=tuple(gathered.not_instrumented),
            notes=tuple(gathered.notes),
            record=gathered.whole_record(),
            shares={name: share.as_json() for name, share in gathered.shares.items()},
            corpus=gathered.corpus(),
            aims=gathered.aims(),
            left_out=gathered.left_out,
            chance_of_new=gathered.chance_of_new(),
        )


def _flag(interrupts: Interrupts) -> Callable[[], bool]:
    return lambda: interrupts.seen
