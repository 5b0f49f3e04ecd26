"""Threads that only pretend: lists of operations, run as the controller would run real ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from typing import Any, NamedTuple


class Do(NamedTuple):
    """One operation. Each thing is a variable or a lock of its own; a site is made of the kind and the thing."""

    kind: str
    thing: str
    after: tuple[int, int] = (0, 0)  # for the first of a thread: once that thread has done so many operations


class Fake:
    """A thread as schedulers see it."""

    def __init__(
        self,
        index: int,
        program: Sequence[Do],
        things: dict[str, object],
        held: dict[str, Fake] | None = None,
        *,
        label: str = "",
    ) -> None:
        self.index = index
        self.label = label or f"T{index}"
        self.program = program
        self.at = 0  # how many operations it has done
        self._things = things
        self._held = {} if held is None else held  # by thing: the thread that acquired it
        self.kind, self.target, self.name, self.site = "begin", None, "", 0
        self.arrive()

    @property
    def done(self) -> bool:
        return self.at == len(self.program)

    @property
    def awaited(self) -> Fake | None:
        return self._held.get(self.program[self.at].thing) if self.kind == "acquire" else None

    def arrive(self) -> None:
        if self.at < len(self.program):
            do = self.program[self.at]
            self.kind = do.kind
            self.target: Any = self._things.setdefault(do.thing, object())
            if do.kind in ("read", "write"):
                self.name = do.thing
                self.site = 65536 + sum(map(ord, do.kind + do.thing))


def writes(thing: str, count: int) -> list[Do]:
    return [Do("write", thing)] * count


def run(scheduler: Any, programs: Sequence[Sequence[Do]], *, number: int = 1, space: int = 0) -> tuple[int, ...] | None:
    """One execution; the indexes of the threads in the order of their operations, None when nothing is left.

    Threads are numbered from 1, or from 0 where one is started later (then 0 is its parent).
    """
    if not scheduler.begin(number, space):
        return None
    things: dict[str, object] = {}
    first = 0 if any(do.after != (0, 0) for program in programs for do in program) else 1
    held: dict[str, Fake] = {}
    threads = [Fake(first + at, program, things, held) for at, program in enumerate(programs)]
    order: list[int] = []
    current: Fake | None = None

    def can_go_on(thread: Fake) -> bool:
        if thread.at == len(thread.program):
            return False
        do = thread.program[thread.at]
        parent, operations = do.after
        if operations and threads[parent].at < operations:
            return False
        return do.kind != "acquire" or do.thing not in held

    while enabled := [t for t in threads if can_go_on(t)]:
        chosen = scheduler.choose(enabled, current) if len(enabled) > 1 else enabled[0]
        do = chosen.program[chosen.at]
        if do.kind == "acquire":
            held[do.thing] = chosen
        elif do.kind == "release":
            del held[do.thing]
        chosen.at += 1
        chosen.arrive()
        order.append(chosen.index)
        current = chosen if chosen.at < len(chosen.program) else None
    scheduler.end()
    return tuple(order)


def every_order(*steps: int) -> set[tuple[int, ...]]:
    """All interleavings of threads that take so many steps."""
    return set(permutations([1 + at for at, count in enumerate(steps) for _ in range(count)]))


def chi_square(seen: Counter[Any], expected: dict[Any, float]) -> float:
    """How far the counts are from the probabilities; nothing else may have been seen.

    It is about the number of outcomes, give or take twice that number's root, if they agree.
    """
    assert set(seen) <= set(expected)
    total = sum(seen.values())
    return sum((seen[one] - total * p) ** 2 / (total * p) for one, p in expected.items())


def even(outcomes: set[Any]) -> dict[Any, float]:
    return dict.fromkeys(outcomes, 1 / len(outcomes))


def preemptions(order: Sequence[int]) -> int:
    last = {thread: max(i for i, t in enumerate(order) if t == thread) for thread in order}
    return sum(1 for i in range(len(order) - 1) if order[i] != order[i + 1] and last[order[i]] > i)
