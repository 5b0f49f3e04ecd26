"""Six two-threaded programs. Every tool runs the same code, which has no assertions.

Each program is a class. Each execution creates an instance and runs its methods `first` and `second` concurrently. The
instance's method `outcome` then returns the result. A tool that starts the threads itself takes the class; the other
tools take a function that starts the threads. Either way, each execution ends with one call to `finished(outcome)`. An
execution that a tool reports but never ran is therefore missing from `outcomes`.
"""

import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

ITEMS = 3

outcomes: list[int] = []
finished = outcomes.append  # a bound method implemented in C, so there is nothing for a tool to trace or rewrite


class State(Protocol):
    def first(self) -> None: ...
    def second(self) -> None: ...
    def outcome(self) -> int: ...


class Scenario(NamedTuple):
    state: type[State]
    model: Callable[[], None]
    possible: range  # the outcomes that an execution can have


class Rmw1:
    """Each thread does one unlocked read-modify-write: the outcome is 2, or 1 if an update is lost."""

    def __init__(self) -> None:
        self.n = 0

    def first(self) -> None:
        v = self.n
        self.n = v + 1

    second = first

    def outcome(self) -> int:
        return self.n


class Rmw10(Rmw1):
    """Each thread does ten unlocked read-modify-writes: the outcome is between 2 and 20."""

    def first(self) -> None:
        for _ in range(10):
            v = self.n
            self.n = v + 1

    second = first


class Lock1(Rmw1):
    """Each thread does one locked read-modify-write: the outcome is always 2."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def first(self) -> None:
        with self.lock:
            v = self.n
            self.n = v + 1

    second = first


class Lock10(Lock1):
    """Each thread does ten locked read-modify-writes: the outcome is always 20."""

    def first(self) -> None:
        for _ in range(10):
            with self.lock:
                v = self.n
                self.n = v + 1

    second = first


class Queue3:
    """A producer and a consumer that share a `queue.Queue(maxsize=1)`: the outcome is always 0 + 1 + 2."""

    def __init__(self) -> None:
        self.items: queue.Queue[int] = queue.Queue(maxsize=1)
        self.total = 0

    def first(self) -> None:
        for item in range(ITEMS):
            self.items.put(item)

    def second(self) -> None:
        for _ in range(ITEMS):
            self.total += self.items.get()

    def outcome(self) -> int:
        return self.total


class CondBuf3:
    """A producer and a consumer that share a one-item buffer with a `Condition`: the outcome is always 0 + 1 + 2."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.items: deque[int] = deque()
        self.total = 0

    def first(self) -> None:
        for item in range(ITEMS):
            with self.changed:
                while self.items:
                    self.changed.wait()
                self.items.append(item)
                self.changed.notify()

    def second(self) -> None:
        for _ in range(ITEMS):
            with self.changed:
                while not self.items:
                    self.changed.wait()
                self.total += self.items.popleft()
                self.changed.notify()

    def outcome(self) -> int:
        return self.total


def run(state: State) -> None:
    """Run one execution with the current `threading` module, which the tool may have patched."""
    first = threading.Thread(target=state.first)
    second = threading.Thread(target=state.second)
    first.start()
    second.start()
    first.join()
    second.join()
    finished(state.outcome())


def rmw1() -> None:
    run(Rmw1())


def rmw10() -> None:
    run(Rmw10())


def lock1() -> None:
    run(Lock1())


def lock10() -> None:
    run(Lock10())


def queue3() -> None:
    run(Queue3())


def condbuf3() -> None:
    run(CondBuf3())


SCENARIOS = {
    "rmw1": Scenario(Rmw1, rmw1, range(1, 3)),
    "rmw10": Scenario(Rmw10, rmw10, range(2, 21)),
    "lock1": Scenario(Lock1, lock1, range(2, 3)),
    "lock10": Scenario(Lock10, lock10, range(20, 21)),
    "queue3": Scenario(Queue3, queue3, range(3, 4)),
    "condbuf3": Scenario(CondBuf3, condbuf3, range(3, 4)),
}
