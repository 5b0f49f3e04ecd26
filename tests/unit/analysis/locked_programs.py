"""Random programs and their executions: threads start and join other threads and call methods that acquire locks.

Each object has its own locks. A program has one list of operations (kind, target, site) per thread. The operations
are the same under every schedule.
"""

from __future__ import annotations

from raddle.entities import AbstractObject, AbstractVariable, Entities
from raddle.static_model import Accesses, StaticModel

OWNER, BASE, OTHER = "m.py:C", "m.py:B", "m.py:D"
BASES = {OWNER: frozenset({BASE}), OTHER: frozenset({BASE})}


class LockedProgram:
    def __init__(self, chance):
        self._chance = chance
        self._objects, self._names, self._locks = (
            chance.randint(1, 2),
            "xyz"[: chance.randint(1, 3)],
            chance.randint(1, 2),
        )
        self.entities = Entities()
        inherited = chance.choice(("", "", "x", "xy"))  # the names of inherited variables
        for number in range(self._objects):
            cls = OTHER if number and inherited and chance.random() < 0.5 else OWNER
            for name in self._names:
                owner, kind = (BASE, cls) if name in inherited else (cls, "")
                self.entities.add_variable(AbstractVariable(owner, f"m.py:{number}", name, kind), number + 1)
            for lock in range(self._locks):  # sometimes two locks of an object have the same description
                place = number if chance.random() < 0.5 else 10 + lock
                self.entities.add_resource(AbstractObject("Lock", f"m.py:{place}"))
        self._methods = [self._method(1000 * index) for index in range(1, chance.randint(2, 5))]
        workers = range(1, chance.randint(2, 4))
        self.threads = [self._main(list(workers)), *(self._worker(thread) for thread in workers)]

    def _method(self, base):
        """Return the body of a random method: operations on variables and locks, numbered within one object."""
        body, held = [], []
        for index in range(self._chance.randint(1, 5)):
            chance = self._chance.random()
            free = [lock for lock in range(self._locks) if lock not in held]
            if chance < 0.35 and free:
                held.append(self._chance.choice(free))
                body.append(("acquire", held[-1], 0))
            elif chance < 0.5 and held:
                body.append(("release", held.pop(), 0))
            else:
                place = self._chance.randrange(len(self._names))
                kind = self._chance.choice(("read", "write"))
                common = 70000 + 10 * place + (kind == "write")  # a site that several methods can share
                body.append((kind, place, common if chance > 0.8 else 70000 + base + index))
        return body + [("release", lock, 0) for lock in reversed(held)]

    def _call(self):
        number = self._chance.randrange(self._objects)
        for kind, target, site in self._chance.choice(self._methods):
            size = self._locks if kind in ("acquire", "release") else len(self._names)
            yield kind, number * size + target, site

    def _worker(self, thread):
        calls = [operation for _ in range(self._chance.randint(1, 3)) for operation in self._call()]
        return [*calls, ("end", thread, 0)]

    def _main(self, unstarted):
        operations = [
            ("write", number, 90000 + number % len(self._names)) for number in range(len(self.entities.variables))
        ]
        running = []
        while unstarted or running:
            chance = self._chance.random()
            if chance < 0.5 and unstarted:
                running.append(unstarted.pop(0))
                operations.append(("start", running[-1], 0))
            elif chance < 0.8 and running:
                operations.append(("join", running.pop(0), 0))
            else:
                operations += self._call()
        return [*operations, ("read", 0, 95000)]

    def model(self):
        variables = {}
        for kind, target, site in (operation for thread in self.threads for operation in thread):
            if kind in ("read", "write"):
                name = (self.entities.variables[target].owner, self.entities.variables[target].name)
                more = Accesses(**{f"{kind}s": frozenset({site})})
                variables[name] = variables[name] + more if name in variables else more
        return StaticModel(variables, bases=BASES)

    def execute(self):
        """Return the steps of one execution under a random schedule. A deadlock may cut the execution short."""
        position, alive, ended, holders, steps = [0] * len(self.threads), [0], set(), {}, []

        def enabled(thread):
            if position[thread] == len(self.threads[thread]):
                return False
            kind, target, _ = self.threads[thread][position[thread]]
            return not (kind == "acquire" and target in holders) and not (kind == "join" and target not in ended)

        while runnable := [thread for thread in alive if enabled(thread)]:
            thread = self._chance.choice(runnable)
            for _ in range(self._chance.choice((1, 1, 2, 8))):
                if not enabled(thread):
                    break
                kind, target, site = self.threads[thread][position[thread]]
                position[thread] += 1
                steps.append((thread, kind, target, site))
                if kind == "acquire":
                    holders[target] = thread
                elif kind == "release":
                    del holders[target]
                elif kind == "start":
                    alive.append(target)
                elif kind == "end":
                    ended.add(thread)
        return steps
