"""Two-threaded programs without locks, and a function that runs them with native threads.

This module imports only the standard library. As a script, it runs each program ROUNDS times and prints the number of
failures of each program as JSON:

    python3.13t benchmarks/unlocked.py 100000
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class Box:
    """The object that the threads share."""

    def __init__(self) -> None:
        self.n = 0
        self.low = 0
        self.high = 0
        self.torn = False
        self.values: list[int] | None = None


def call() -> None:
    """Do nothing. With the GIL, the interpreter may switch threads when this call returns."""


def increment(box: Box) -> None:
    box.n += 1


def read_then_write(box: Box) -> None:
    value = box.n
    box.n = value + 1


def call_in_between(box: Box) -> None:
    value = box.n
    call()
    box.n = value + 1


def increment_item(items: list[int]) -> None:
    items[0] += 1


def count_key(counts: dict[str, int]) -> None:
    if "a" not in counts:
        counts["a"] = 0
    counts["a"] += 1


def make_when_needed(box: Box) -> None:
    if box.values is None:
        box.values = []
    box.values += [1]


def move(box: Box) -> None:
    box.low = 1
    box.high = 1


def read_both(box: Box) -> None:
    low = box.low
    high = box.high
    box.torn = low != high


@dataclass(frozen=True)
class Program:
    """The functions that two threads run on one object, and a check for a wrong result."""

    name: str
    bodies: tuple[Callable[[Any], None], Callable[[Any], None]]
    went_wrong: Callable[[Any], bool]
    make: Callable[[], Any] = field(default=Box)

    def scenario(self) -> None:
        """Run the program once with new threads, for raddle to explore."""
        shared = self.make()
        threads = [threading.Thread(target=body, args=(shared,)) for body in self.bodies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not self.went_wrong(shared)


def _lost(box: Box) -> bool:
    return box.n != 2


ONLY_WITHOUT_THE_GIL = (
    Program("box.n += 1", (increment, increment), _lost),
    Program("value = box.n; box.n = value + 1", (read_then_write, read_then_write), _lost),
    Program("items[0] += 1", (increment_item, increment_item), lambda items: items[0] != 2, lambda: [0]),
    Program("if 'a' not in counts: ...", (count_key, count_key), lambda counts: counts["a"] != 2, dict),
    Program("if box.values is None: ...", (make_when_needed, make_when_needed), lambda box: len(box.values) != 2),
    Program("two attributes, one after the other", (move, read_both), lambda box: box.torn),
)
ON_ANY_BUILD = (Program("value = box.n; call(); box.n = value + 1", (call_in_between, call_in_between), _lost),)
PATIENCE = 500  # maximum number of checks for the other thread's arrival before the round begins anyway
DELAYS = 8  # number of different delays between a thread's arrival and its start
PROGRAMS = ONLY_WITHOUT_THE_GIL + ON_ANY_BUILD


def count_failures(program: Program, rounds: int) -> int:
    """Run a program with two native threads, on a new object in each round. Return the number of failures."""
    things = [program.make() for _ in range(rounds)]
    arrived = [-1, -1]  # the round that each thread has reached

    def run_rounds(me: int) -> None:
        body, other = program.bodies[me], 1 - me
        for number, thing in enumerate(things):
            arrived[me] = number
            for _ in range(PATIENCE):  # begin the round together, unless the other thread is not running at all
                if arrived[other] >= number:
                    break
            # The thread that arrives first notices the other's arrival only after a delay. Trying all combinations of
            # delays compensates for that.
            for _ in range(number // DELAYS**me % DELAYS):
                pass
            body(thing)

    threads = [threading.Thread(target=run_rounds, args=(me,)) for me in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(map(program.went_wrong, things))


def main(rounds: int) -> None:
    sys.setswitchinterval(1e-6)  # with the GIL, switch as often as possible
    gil = not hasattr(sys, "_is_gil_enabled") or sys._is_gil_enabled()
    print(
        json.dumps(
            {"version": sys.version.split()[0], "gil": gil, "wrong": [count_failures(p, rounds) for p in PROGRAMS]}
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
