"""A third, small world for the engine: tasks that take turns in one carrier, like the tasks of an event loop.

A task is a generator. Between two yields, the task runs without interruption as one operation in the carrier of its
loop. The footprint of that operation is known only afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.engine import Engine
from raddle.engine.world import World
from raddle.execute.domain import Domain
from raddle.execute.installation import Installation
from raddle.operation import Kind
from raddle.outcome import Outcome, OutcomeKind
from raddle.schedulers.calculus import Access, Calculus, Reader
from raddle.schedulers.dependence import conflict_table
from raddle.schedulers.operation_log import Log
from supplies import Nothing

STEP = Kind("step", "takes a step")
READ, WRITE = range(2)  # access modes


class Shared:
    """A namespace that logs its reads and writes."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self.touched: list[Access] = []

    def get(self, name: str) -> Any:
        self.touched.append((self, name, READ))
        return self._values.get(name, 0)

    def set(self, name: str, value: object) -> None:
        self.touched.append((self, name, WRITE))
        self._values[name] = value


def run_loop(shared: Shared, *tasks: Callable[[], Generator[None, None, None]]) -> None:
    """Run the tasks to completion in the current carrier. The policy chooses the task that takes the next step."""
    me: Any = getcurrent()
    engine: Engine = me.engine
    ready = [
        engine.board(me, label=f"{me.label}/{number}", kind=STEP, own=task())
        for number, task in enumerate(tasks, 1)
    ]  # fmt: skip
    while ready:
        task = engine.take_turn(me, ready)
        shared.touched = []
        try:
            next(task.own)
        except StopIteration:
            task.done = True
            ready.remove(task)
        engine.did(task, shared.touched)


class TaskWorld(World):
    """The world of an event loop with tasks."""

    letter = "T"

    def explain_error(self, error: BaseException, me: Carrier) -> Outcome:
        return Outcome(OutcomeKind.EXCEPTION, repr(error), me.label, (OutcomeKind.EXCEPTION, repr(error)), error=error)

    def explain_stuck(self, waiting: Sequence[Carrier], engine: Engine) -> Outcome:
        return Outcome(OutcomeKind.DEADLOCK, "no task can continue", "", (OutcomeKind.DEADLOCK,))


class TaskCalculus(Calculus):
    """Rules for tasks: two accesses to the same name conflict if at least one is a write."""

    conflicts = conflict_table(2, {(READ, READ)})

    def reader(self, visible: Container[str], *, everything: bool) -> LateReader:
        return LateReader()

    def supplies(self, log: Log) -> Nothing:
        return Nothing()


class LateReader(Reader):
    """Reports no footprint in advance, because a step's footprint is known only after the step has run."""

    def touched(self, participant: Any, alternative: Any) -> None:
        return None


@dataclass(frozen=True)
class Tasks(Domain):
    """The domain of scenarios with tasks."""

    def install(self) -> Installation:
        return Installation(TaskWorld(), TaskCalculus())
