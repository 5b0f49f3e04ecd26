"""Generates long random executions, in which threads use shared objects with and without locks.

Like a real program, such an execution has few sites, each used many times by all threads, and objects with several
attributes. It also contains nested locks, events, queues and method calls.
"""

import random
from collections.abc import Iterator

from raddle.entities import AbstractObject, AbstractVariable, Entities
from raddle.step import Step

OBJECTS = 4
ATTRIBUTES = 3
LOCKS = 4
SITE = 1 << 20


class Trace:
    """A generated sequence of steps, and the entities in it."""

    def __init__(self, *, threads: int, length: int, seed: int = 1) -> None:
        self.threads = threads
        self.length = length
        self._random = random.Random(seed)
        self.entities = Entities()
        for number in range(OBJECTS):
            for name in "abc"[:ATTRIBUTES]:
                self.entities.add_variable(AbstractVariable("shop.py:Cart", f"shop.py:{number}", name), number + 1)
        for number in range(LOCKS):
            self.entities.add_resource(AbstractObject("Lock", f"shop.py:{100 + number}"))
        self._event = self.entities.add_resource(AbstractObject("Event", "shop.py:200"))
        self._queue = self.entities.add_resource(AbstractObject("Queue", "shop.py:201"))
        for number in range(threads):
            self.entities.add_actor("main" if number == 0 else "worker")
            for method in range(number % 3):
                self.entities.entered(number, f"shop.py:Cart.m{method}")

    def steps(self) -> list[Step]:
        made: list[Step] = []
        for number in range(1, self.threads):
            made += [(0, "start", number, SITE), (number, "begin", number, 0)]
        rounds = [self._work(thread) for thread in range(self.threads)]
        holders: dict[int, int] = {}
        pending: list[Step | None] = [None] * self.threads
        while len(made) < self.length:
            thread = self._random.randrange(self.threads)
            step = pending[thread] or next(rounds[thread])
            pending[thread] = None
            kind, target = step[1], step[2]
            if kind == "acquire":
                if target in holders:
                    if self._random.random() < 0.2:
                        made.append((thread, "blocked", target, step[3]))
                    pending[thread] = step
                    continue
                holders[target] = thread
            elif kind == "release":
                del holders[target]
            made.append(step)
        return made[: self.length]

    def _work(self, thread: int) -> Iterator[Step]:
        """Yield an endless sequence of steps for one thread.

        The thread runs methods that make a few accesses each. Most methods hold locks, which they acquire in a fixed
        order.
        """
        choose = self._random.randrange
        while True:
            method = choose(6)
            base = SITE + 100 * (method + 1)
            target = choose(OBJECTS)
            locked = sorted({choose(LOCKS) for _ in range(method % 3)})
            yield (thread, "enter", target + 1, base)
            for position, lock in enumerate(locked):
                yield (thread, "acquire", lock, base + 1 + position)
            for position in range(4):
                kind = "write" if (method + position) % 3 == 0 else "read"
                yield (thread, kind, target * ATTRIBUTES + position % ATTRIBUTES, base + 10 + position)
            for position, lock in reversed(list(enumerate(locked))):
                yield (thread, "release", lock, base + 1 + position)
            if method == 5:
                give, take = ("set", "wait-set") if choose(2) else ("put", "get")
                resource = self._event if give == "set" else self._queue
                yield (thread, give if thread % 2 else take, resource, base + 20)
            yield (thread, "leave", 0, base + 30)
