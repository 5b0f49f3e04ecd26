"""Executions for testing the variable metrics: handwritten ones, and random ones with their own entities."""

from __future__ import annotations

from raddle.criteria.avio import Avio, AvioByThread
from raddle.criteria.du_pairs import DefinitionUsePairs, DefinitionUsePairsByThread
from raddle.criteria.eraser import Eraser, EraserByThread
from raddle.criteria.goldilocks import GoldiLock, GoldiLockByThread
from raddle.entities import AbstractObject, AbstractVariable, Entities, make_entities

S = 70_000  # base for site numbers
X, Y = 0, 1  # numbers of variables
LOCK, OTHER, QUEUE = 0, 1, 2  # numbers of resources

METRICS = {
    metric.name: metric
    for metric in (
        Avio, AvioByThread, DefinitionUsePairs, DefinitionUsePairsByThread,
        Eraser, EraserByThread, GoldiLock, GoldiLockByThread,
    )
}  # fmt: skip

VARIABLES = [AbstractVariable("m.py:C", "m.py:20", "x"), AbstractVariable("m.py:C", "m.py:20", "y")]
RESOURCES = [AbstractObject("Lock", "m.py:21"), AbstractObject("Lock", "m.py:22"), AbstractObject("Queue", "m.py:23")]


def small_entities(actors=("main", "one", "two", "three")):
    """Return entities whose actors all have different types."""
    return make_entities(variables=VARIABLES, resources=RESOURCES, actors=actors)


def steps_of(*texts, target=X):
    """Parse steps such as "1 read 4": thread, kind and a number.

    For a read or write, the number is the site. For every other kind, it is the target.
    """
    steps = []
    for text in texts:
        thread, kind, number = text.split()
        if kind in ("read", "write"):
            steps.append((int(thread), kind, target, S + int(number)))
        else:
            steps.append((int(thread), kind, int(number), 0))
    return steps


def covered(name, steps, entities=None):
    """Return the keys that the criterion called `name` covers in one execution."""
    criterion = METRICS[name]()
    criterion.begin(entities or small_entities())
    criterion.feed(steps)
    return criterion.collect(final=True)


class RandomExecution:
    """Random steps, with the points at which a recorder would update the entities.

    The entities are updated when an actor enters a method and when the actor ends.
    """

    def __init__(self, choose, *, length=60):
        self.entities = Entities(methods=2)
        for variable in [*VARIABLES, VARIABLES[0]]:  # the first and last have the same description
            self.entities.add_variable(variable, 1)
        for resource in [*RESOURCES, RESOURCES[0]]:
            self.entities.add_resource(resource)
        self.entities.add_actor("main")
        self.steps, self._notifications = [], []
        self._choose, self._holder = choose, {}
        self._actors = {0: 0}
        for thread in range(1, choose.randrange(2, 5)):
            self._begin(thread, "begin")
        while len(self.steps) < length:
            self._do_something(choose.choice(sorted(self._actors)))

    def batches(self):
        """Yield the steps in batches, and update the entities between batches."""
        position = 0
        for place, notify in self._notifications:
            yield self.steps[position:place]
            notify()
            position = place
        yield self.steps[position:]

    def _begin(self, thread, kind):
        actor = self._actors[thread] = self.entities.add_actor(self._choose.choice(["worker", "helper"]))
        if kind == "begin":
            self.steps.append((0, "start", thread, S))
        self.steps.append((thread, kind, actor, 0))

    def _do_something(self, thread):
        choose, entities, actor = self._choose, self.entities, self._actors[thread]
        chance = choose.random()
        if chance < 0.7:
            site = choose.randrange(4)
            self.steps.append((thread, "read" if site < 2 else "write", choose.randrange(3), S + site))
        elif chance < 0.9:
            lock = choose.choice([0, 1, 3])
            if self._holder.get(lock) == thread:
                del self._holder[lock]
                self.steps.append((thread, "release", lock, S + 9))
            elif lock not in self._holder:
                self._holder[lock] = thread
                self.steps.append((thread, "acquire", lock, S + 9))
        elif chance < 0.95:
            method = choose.choice(["C.f", "C.g"])
            self._notifications.append((len(self.steps), lambda: entities.entered(actor, method)))
        elif chance < 0.97 and thread:
            self._notifications.append((len(self.steps), lambda: entities.ended(actor)))
            self._begin(thread, "task")
        elif chance < 0.98:
            self.steps.append((thread, "put", QUEUE, S + 8))
        elif chance < 0.99:
            self.steps.append((thread, "get", QUEUE, S + 8))


def actor_of(steps, index):
    """Return the actor that performed the step at `index`."""
    thread = steps[index][0]
    turns = [step[2] for step in steps[:index] if step[0] == thread and step[1] in ("begin", "task")]
    return turns[-1] if turns else thread


def accesses_to(steps, variable):
    """Return the indices of the accesses to `variable`, in order."""
    return [i for i, step in enumerate(steps) if step[1] in ("read", "write") and step[2] == variable]


def shared_variables(steps):
    """Yield each variable that at least two threads access, with the indices of its accesses."""
    for variable in sorted({step[2] for step in steps if step[1] in ("read", "write")}):
        accesses = accesses_to(steps, variable)
        if len({steps[i][0] for i in accesses}) > 1:
            yield variable, accesses


def agrees(name, expected, choose, *, executions):
    """Check a criterion against its definition on random executions.

    Collect at random points, and return how many requirements were covered in total.
    """
    criterion = METRICS[name]()
    number = 0
    for _ in range(executions):
        execution = RandomExecution(choose)
        criterion.begin(execution.entities)
        parts = []
        for batch in execution.batches():
            criterion.feed(batch)
            if choose.random() < 0.5:
                parts.append(criterion.collect(final=False))
        parts.append(criterion.collect(final=True))
        found = set().union(*parts)
        assert found == expected(execution.steps, execution.entities)
        assert sum(map(len, parts)) == len(found)  # no key was collected twice
        number += len(found)
    return number
