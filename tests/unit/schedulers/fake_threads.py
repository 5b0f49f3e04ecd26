"""Fake threads: lists of operations that `run` executes the way the engine runs real threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from typing import Any, NamedTuple


class Do(NamedTuple):
    """One operation on a variable or lock, named by `thing`. The site is derived from the kind and the name."""

    kind: str
    thing: str
    after: tuple[int, int] = (0, 0)  # (parent, count): a thread starts once its parent has done `count` operations


class Fake:
    """A thread as a scheduler sees it."""

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
        self.at = 0  # number of completed operations
        self._things = things
        self._held = {} if held is None else held  # maps each held lock to the thread that holds it
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
    """Run one execution; return the thread index of each operation, or None when the search is exhausted.

    Threads are numbered from 1, or from 0 if thread 0 starts another thread.
    """
    if not scheduler.begin(number, space):
        return None
    things: dict[str, object] = {}
    first = 0 if any(do.after != (0, 0) for program in programs for do in program) else 1
    held: dict[str, Fake] = {}
    threads = [Fake(first + at, program, things, held) for at, program in enumerate(programs)]
    order: list[int] = []
    current: Fake | None = None

    def is_enabled(thread: Fake) -> bool:
        if thread.at == len(thread.program):
            return False
        do = thread.program[thread.at]
        parent, operations = do.after
        if operations and threads[parent].at < operations:
            return False
        return do.kind != "acquire" or do.thing not in held

    while enabled := [t for t in threads if is_enabled(t)]:
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
    """Return all interleavings of threads 1, 2, ... that take the given numbers of steps."""
    return set(permutations([1 + at for at, count in enumerate(steps) for _ in range(count)]))


def chi_square(counts: Counter[Any], expected: dict[Any, float]) -> float:
    """Return the chi-square statistic of the counts against the expected probabilities.

    Fail if an unexpected outcome occurred. If counts and probabilities agree, the statistic is about n, plus or minus
    twice the square root of n, where n is the number of outcomes.
    """
    assert set(counts) <= set(expected)
    total = sum(counts.values())
    return sum((counts[outcome] - total * p) ** 2 / (total * p) for outcome, p in expected.items())


def uniform(outcomes: set[Any]) -> dict[Any, float]:
    return dict.fromkeys(outcomes, 1 / len(outcomes))


def preemptions(order: Sequence[int]) -> int:
    last = {thread: max(i for i, t in enumerate(order) if t == thread) for thread in order}
    return sum(1 for i in range(len(order) - 1) if order[i] != order[i + 1] and last[order[i]] > i)
