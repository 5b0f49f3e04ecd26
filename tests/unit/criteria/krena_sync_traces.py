"""Random executions for testing the synchronization metrics.

The executions contain every kind of step, in an order that a real program could produce.
"""

from __future__ import annotations

from raddle.entities import AbstractObject, Entities

SITE = 70000
LOCKS, CONDITION, EVENT, SEMAPHORE, QUEUE = (0, 1, 2), 3, 4, 5, 6
RESOURCES = [
    AbstractObject("Lock", "m.py:1"),
    AbstractObject("Lock", "m.py:1"),  # created at the same line as the first lock
    AbstractObject("RLock", "m.py:2"),
    AbstractObject("Condition", "m.py:3"),
    AbstractObject("Event", "m.py:4"),
    AbstractObject("Semaphore", "m.py:5"),
    AbstractObject("Queue", "m.py:6"),
]
CALLS = [
    ("notify", CONDITION), ("set", EVENT), ("clear", EVENT), ("wait-set", EVENT), ("up", SEMAPHORE),
    ("down", SEMAPHORE), ("put", QUEUE), ("get", QUEUE), ("task-done", QUEUE), ("join-queue", QUEUE),
    ("blocked", QUEUE), ("blocked", SEMAPHORE),
    ("read", 0), ("read", 0), ("write", 0), ("write", 0), ("enter", 0), ("leave", 0), ("block", 0),
]  # fmt: skip


class RandomExecution:
    """The steps and entities of one execution.

    Actors have few types, so different actors often map to the same abstract thread.
    """

    def __init__(self, rng, *, length):
        self.rng = rng
        self.entities = Entities(methods=2)
        for resource in RESOURCES:
            self.entities.add_resource(resource)
        self.entities.add_actor("main")
        self.steps = []
        self.alive, self.ended, self.actors = [0], [], {0: 0}
        self.holders, self.waiting = {}, {}
        for _ in range(2 * length):  # twice the length, because a chosen thread takes no step if it keeps waiting
            if len(self.steps) < length:
                self.advance(rng.choice(self.alive))

    def site(self):
        return 0 if self.rng.random() < 0.1 else SITE + self.rng.randrange(6)

    def add(self, thread, kind, target, site):
        self.steps.append((thread, kind, target, site))

    def advance(self, thread):
        chance = self.rng.random()
        if thread in self.waiting:
            self.stop_waiting(thread)
        elif chance < 0.3:
            self.lock(thread)
        elif chance < 0.5:
            self.unlock(thread)
        elif chance < 0.55:
            self.waiting[thread] = CONDITION
            self.add(thread, "wait", CONDITION, self.site())
        elif chance < 0.7:
            self.thread_step(thread)
        else:
            kind, target = self.rng.choice(CALLS)
            self.add(thread, kind, target, self.site())
            if kind == "enter":
                self.entities.entered(self.actors[thread], self.rng.choice("fg"))

    def lock(self, thread):
        lock = self.rng.choice(LOCKS)
        if lock not in self.holders:
            self.holders[lock] = thread
            self.add(thread, "acquire", lock, self.site())
        elif self.holders[lock] != thread:
            self.add(thread, "blocked", lock, self.site())

    def unlock(self, thread):
        mine = [lock for lock, holder in self.holders.items() if holder == thread]
        if self.rng.random() < 0.1:
            mine = sorted(self.holders)  # a thread may also release a lock that another thread holds
        if mine:
            lock = self.rng.choice(mine)
            del self.holders[lock]
            self.add(thread, "release", lock, self.site())

    def stop_waiting(self, thread):
        free = [lock for lock in LOCKS if lock not in self.holders]
        if free:
            del self.waiting[thread]
            if self.rng.random() < 0.6:
                self.add(thread, "woken", CONDITION, self.site())
            self.holders[free[0]] = thread
            self.add(thread, "acquire", free[0], self.site())

    def thread_step(self, thread):
        kind = self.rng.choice(["start", "end", "join", "task"])
        if kind == "start" and len(self.alive) + len(self.ended) < 6:
            new = len(self.alive) + len(self.ended)
            self.alive.append(new)
            self.actors[new] = self.entities.add_actor("worker")
            self.add(thread, "start", new, self.site())
            self.add(new, "begin", self.actors[new], 0)
        elif kind == "task" and thread:
            self.entities.ended(self.actors[thread])
            self.actors[thread] = self.entities.add_actor("task")
            self.add(thread, "task", self.actors[thread], 0)
        elif kind == "end" and thread:
            self.alive.remove(thread)
            self.ended.append(thread)
            self.entities.ended(self.actors[thread])
            self.add(thread, "end", thread, 0)
        elif kind == "join" and self.ended:
            self.add(thread, "join", self.rng.choice(self.ended), self.site())


def actors_of(steps):
    """Return, for each step, the actor that performed it."""
    now, actors = {}, []
    for thread, kind, target, _ in steps:
        if kind in ("begin", "task"):
            now[thread] = target
        actors.append(now.get(thread, thread))
    return actors


def covered(criterion, execution, *, rng=None):
    """Return the keys that `criterion` covers in `execution`.

    If `rng` is given, call `collect` at random points as well. No key may be collected twice.
    """
    criterion.begin(execution.entities)
    found = set()
    for step in execution.steps:
        criterion.feed([step])
        if rng is not None and rng.random() < 0.1:
            more = criterion.collect(final=False)
            assert not more & found
            found |= more
    more = criterion.collect(final=True)
    assert not more & found
    return found | more


class HandwrittenExecution:
    """A complete execution, written by hand."""

    def __init__(self, steps, entities):
        self.steps, self.entities = steps, entities
