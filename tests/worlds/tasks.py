"""A third world on the engine, in small: tasks that take turns in one carrier, as those of an event loop do.

A task is a generator. Between two yields it runs without interruption, and what it touches is known only afterwards: a
step is one operation of the task, in the carrier of its loop.
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
READ, WRITE = range(2)  # modes of accesses


class Shared:
    """A namespace that notes what is read and written."""

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
    """Run the tasks to their ends in the running carrier; the policy chooses whose turn it is."""
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
    """One loop with tasks."""

    letter = "T"

    def explain_error(self, error: BaseException, me: Carrier) -> Outcome:
        return Outcome(OutcomeKind.EXCEPTION, repr(error), me.label, (OutcomeKind.EXCEPTION, repr(error)), error=error)

    def explain_stuck(self, waiting: Sequence[Carrier], engine: Engine) -> Outcome:
        return Outcome(OutcomeKind.DEADLOCK, "no task can go on", "", (OutcomeKind.DEADLOCK,))


class TaskCalculus(Calculus):
    """Two accesses to one name conflict if one of them writes."""

    conflicts = conflict_table(2, {(READ, READ)})

    def reader(self, visible: Container[str], *, everything: bool) -> Late:
        return Late()

    def supplies(self, log: Log) -> Nothing:
        return Nothing()


class Late(Reader):
    """A step's footprint is known only after it."""

    def touched(self, participant: Any, alternative: Any) -> None:
        return None


@dataclass(frozen=True)
class Tasks(Domain):
    """Scenarios of tasks."""

    def install(self) -> Installation:
        return Installation(TaskWorld(), TaskCalculus())
