"""Programs whose bugs are hard to find, and programs small enough that every order can be run.

As in `scenarios`, the methods `first` and `second` of an object run concurrently, and its `outcome` is the result.
`wrong` is the outcome that a search has to find.
"""

import queue
import threading
from collections.abc import Callable
from typing import NamedTuple

from scenarios import CondBuf3, Lock1, Queue3, Rmw1, Scenario, State, run


class Trap(NamedTuple):
    state: type[State]
    model: Callable[[], None]  # starts the threads, and asserts that the outcome is not `wrong`
    wrong: int


class Rmw2(Rmw1):
    """Each thread does two unlocked read-modify-writes: 70 interleavings in 34 partial orders."""

    def first(self) -> None:
        for _ in range(2):
            v = self.n
            self.n = v + 1

    second = first


class Rmw3(Rmw1):
    """Each thread does three unlocked read-modify-writes: 924 interleavings in 328 partial orders."""

    def first(self) -> None:
        for _ in range(3):
            v = self.n
            self.n = v + 1

    second = first


class Lock2:
    """Each thread has two critical sections, and the four sections can run in 6 orders.

    The outcome has one digit per section, in execution order.
    """

    times = 2

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.order = 0

    def first(self) -> None:
        for _ in range(self.times):
            with self.lock:
                self.order = 10 * self.order + 1

    def second(self) -> None:
        for _ in range(self.times):
            with self.lock:
                self.order = 10 * self.order + 2

    def outcome(self) -> int:
        return self.order


class Lock3(Lock2):
    """Each thread has three critical sections, and the six sections can run in 20 orders."""

    times = 3


class Queue2:
    """Two threads put two items each into a queue.

    The puts can happen in 6 orders, and each order has a different outcome.
    """

    def __init__(self) -> None:
        self.items: queue.Queue[int] = queue.Queue()

    def first(self) -> None:
        self.items.put(1)
        self.items.put(1)

    def second(self) -> None:
        self.items.put(2)
        self.items.put(2)

    def outcome(self) -> int:
        order = 0
        while not self.items.empty():
            order = 10 * order + self.items.get()
        return order


class LateTail:
    """An easy race between two lazy initializations, followed by racy increments that overwhelm depth-first search."""

    increments = 0

    def __init__(self) -> None:
        self.instance: object = None
        self.made = 0
        self.n = 0

    def first(self) -> None:
        if self.instance is None:
            self.instance = object()
            self.made += 1
        for _ in range(self.increments):
            v = self.n
            self.n = v + 1

    second = first

    def outcome(self) -> int:
        return self.made


class Needle:
    """One thread does a lot of work, and the state is inconsistent only between the thread's last two writes.

    The other thread reads the state once.
    """

    rounds = 0

    def __init__(self) -> None:
        self.n = 0
        self.state = 0
        self.seen_half_done = 0

    def first(self) -> None:
        for _ in range(self.rounds):
            v = self.n
            self.n = v + 1
        self.state = 1
        self.state = 2

    def second(self) -> None:
        v = self.n
        self.n = v + 1
        if self.state == 1:
            self.seen_half_done = 1

    def outcome(self) -> int:
        return self.seen_half_done


class Alternation:
    """The outcome is wrong only if the two threads alternate at every write."""

    rounds = 0

    def __init__(self) -> None:
        self.n = 0

    def first(self) -> None:
        for number in range(self.rounds):
            if self.n == 2 * number:
                self.n = 2 * number + 1

    def second(self) -> None:
        for number in range(self.rounds):
            if self.n == 2 * number + 1:
                self.n = 2 * number + 2

    def outcome(self) -> int:
        return self.n


def _scenario(state: type[State], possible: range) -> Scenario:
    return Scenario(state, lambda: run(state()), possible)


def _trap(state: type[State], wrong: int, **sizes: int) -> Trap:
    sized = type(state.__name__, (state,), sizes)

    def model() -> None:
        made = sized()
        run(made)
        assert made.outcome() != wrong

    return Trap(sized, model, wrong)


# Scenarios small enough for a complete search.
SPACES = {
    "rmw1": _scenario(Rmw1, range(1, 3)),
    "rmw2": _scenario(Rmw2, range(1, 5)),
    "rmw3": _scenario(Rmw3, range(1, 7)),
    "lock1": _scenario(Lock1, range(2, 3)),
    "lock2": _scenario(Lock2, range(1122, 2212)),
    "lock3": _scenario(Lock3, range(111222, 222112)),
    "put2": _scenario(Queue2, range(1122, 2212)),
    "queue3": _scenario(Queue3, range(3, 4)),
    "condbuf3": _scenario(CondBuf3, range(3, 4)),
}

TRAPS = {
    **{f"late-tail-{k}": _trap(LateTail, 2, increments=k) for k in (5, 10, 20, 40)},
    **{f"needle-{k}": _trap(Needle, 1, rounds=k) for k in (50, 1000)},
    **{f"alternation-{k}": _trap(Alternation, 2 * k, rounds=k) for k in (2, 4)},
}
