"""Small random programs that log what they do (see `coverage_log`).

Every operation is on its own line, so the line number identifies the operation. In every interleaving, a program either
terminates or deadlocks.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from coverage_source import CONSTRUCTED, FACTORY_LINE, OWN, Item, Named, Program, Writer

FEATURES = (
    "attributes", "classes", "heirs", "methods", "members", "cells", "locals", "globals", "lists", "dicts",
    "loops", "exceptions", "locks", "rlocks", "tries", "nesting", "semaphores", "conditions", "timeouts", "events",
    "clears", "queues", "tasks", "barriers", "children", "pools",
)  # fmt: skip

# Features that require other features.
NEEDS = {
    "tries": frozenset({"locks"}),
    "nesting": frozenset({"locks"}),
    "timeouts": frozenset({"conditions"}),
    "clears": frozenset({"events"}),
    "tasks": frozenset({"queues"}),
}


class Draw:
    """Generates random programs with the given features."""

    def __init__(self, seed: int, features: Sequence[str] = FEATURES, *, always: str = "attributes") -> None:
        self._seed = seed
        self._always = always
        self._chance = random.Random(seed)
        self._features = frozenset(features)

    def program(self) -> Program:
        """Return a random program. To keep the program small, use only some of the features."""
        chance = self._chance
        some = chance.sample(sorted(self._features), chance.randint(0, min(4, len(self._features))))
        self._on = frozenset(some) | {"attributes", self._always} | NEEDS.get(self._always, frozenset())
        self._program = Program(self._seed, features=self._on)
        self._made: list[str] = []  # lines of the scenario that create objects
        self._bodies: list[list[Item]] = [[] for _ in range(chance.choice((2, 2, 3)))]
        kinds = ("Box", "Crate", "Plain", "Card") if "classes" in self._on else ("Box",)
        if "heirs" in self._on:
            kinds = ("Crate",)
        self._boxes = {name: chance.choice(kinds) for name in ["box1", "box2"][: chance.choice((1, 1, 2))]}
        for body in self._bodies:
            for _ in range(chance.randint(1, 3)):
                body.append(self._statement())
            if "heirs" in self._on:
                body += [self._pair_access() for _ in range(4)]
        for feature, add in self._across().items():
            if feature in self._on:
                add()
        self._write()
        return self._program

    # -- objects ------------------------------------------------------------------------------------

    def _make(self, kind: str, call: str, names: Sequence[str]) -> str:
        """Return a random name from `names`, and create its resource with `call` if it does not exist yet."""
        name = self._chance.choice(list(names))
        if name not in self._program.resources:
            self._program.resources[name] = Named(kind, len(self._made))
            self._made.append(f"{name} = {call}")
        return name

    def _lock(self) -> tuple[str, bool]:
        """Return the name of a lock, and whether the lock is reentrant."""
        if "rlocks" in self._on and self._chance.random() < 0.5:
            return self._make("RLock", "threading.RLock()", ["rlock1"]), True
        return self._make("Lock", "threading.Lock()", ["lock1", "lock2"]), False

    # -- statements within one thread ---------------------------------------------------------------

    def _access(self) -> Item:
        chance, box = self._chance, self._chance.choice(list(self._boxes))
        full = self._boxes[box] in CONSTRUCTED
        ways: list[Item] = []
        for name in ("a", "b", *OWN.get(self._boxes[box], ())):
            whole = f"{box}.{name}"
            ways.append(lambda w, whole=whole: w.do(f"seen = {whole}", ("read", whole, "r")))  # type: ignore[misc]
            ways.append(lambda w, whole=whole: w.do(f"{whole} = 1", ("write", whole, "w")))  # type: ignore[misc]
        full_a = f"{box}.a"
        ways.append(lambda w: w.do(f'{full_a} += between("read", "{full_a}", "LINEr")', ("write", full_a, "w")))
        if full and "methods" in self._on:
            calls = [f'{box}.bump("{box}")', f'{box}.look("{box}")']
            ways += [lambda w, call=call: w.add(call) for call in calls * 2]  # type: ignore[misc]
        if full and "lists" in self._on:
            items = f"{box}.items"
            ways.append(lambda w: w.do(f"{items}.append(1)", ("write", items + "[]", "")))
            ways.append(lambda w: w.do(f"{items}.extend([1])", ("write", items + "[]", "")))
            ways.append(lambda w: w.do(f"{items}.clear()", ("write", items + "[]", "")))
            ways.append(lambda w: w.do(f"len({items})", ("read", items + "[]", "")))
            ways.append(lambda w: w.do(f"list({items})", ("read", items + "[]", "")))
        if full and "dicts" in self._on:
            table = f"{box}.table"
            ways.append(lambda w: w.do(f'{table}["k"] = 1', ("write", table + "[]", "w")))
            ways.append(lambda w: w.do(f'{table}.get("k")', ("read", table + "[]", "")))
            ways.append(lambda w: w.do(f'{table}.pop("k", 0)', ("write", table + "[]", "")))
            ways.append(lambda w: w.do(f'"k" in {table}', ("read", table + "[]", "r")))
        if "locals" in self._on:
            ways.append(lambda w: w.do("stack.append(1)", ("write", "stack[]", "")))
            ways.append(lambda w: w.do("len(stack)", ("read", "stack[]", "")))
        if "globals" in self._on:
            ways.append(lambda w: w.do('total += between("read", "total", "LINEr")', ("write", "total", "w")))
            ways.append(lambda w: w.do("seen = total", ("read", "total", "r")))
        if "members" in self._on:
            ways.append(lambda w: w.do('Box.count += between("read", "count", "LINEr")', ("write", "count", "w")))
            ways.append(lambda w: w.do("seen = Box.count", ("read", "count", "r")))
        if "cells" in self._on:
            ways += [lambda w: w.add("tick()")] * 2
        return chance.choice(ways)

    def _pair_access(self) -> Item:
        """Return an access to one of two attributes of an object, of which the class declares one and inherits one."""
        whole = self._chance.choice(("box1.a", "box1.lid"))
        if self._chance.random() < 0.4:
            return lambda w: w.do(f"seen = {whole}", ("read", whole, "r"))
        return lambda w: w.do(f"{whole} = 1", ("write", whole, "w"))

    def _accesses(self) -> list[Item]:
        return [self._access() for _ in range(self._chance.randint(0, 2))]

    def _statement(self) -> Item:
        chance = self._chance
        ways = [self._access]
        if self._on & {"locks", "rlocks"}:
            ways += [self._locked, self._locked]
        if "tries" in self._on:
            ways.append(self._tried)
        if "semaphores" in self._on:
            ways += [self._permitted, self._permitted]
        if "exceptions" in self._on:
            ways.append(self._raised)
        item = chance.choice(ways)()
        return self._repeated(item) if "loops" in self._on and chance.random() < 0.4 else item

    def _repeated(self, item: Item) -> Item:
        def repeated(w: Writer) -> None:
            w.add("for _ in range(2):")
            w.indent += 1
            item(w)
            w.indent -= 1

        return repeated

    def _raised(self) -> Item:
        """Return a `with` statement whose body raises an exception."""
        name, _ = self._lock()
        body = self._accesses()

        def raised(w: Writer) -> None:
            w.add("try:")
            w.indent += 1
            number = w.next + 1
            w.add(f'at("{name}", "{number}")')
            w.add(f"with {name}:")
            w.indent += 1
            w.add(f'note("acquire", "{name}", "{number}")')
            for item in body:
                item(w)
            w.add("at()")
            w.add("raise KeyError")
            w.indent -= 2
            w.add("except KeyError:")
            w.add(f'    note("release", "{name}", "{number}")')

        return raised

    def _locked(self, depth: int = 0) -> Item:
        chance = self._chance
        name, reentrant = self._lock()
        body = self._accesses()
        if depth < 2 and "nesting" in self._on and chance.random() < 0.7:
            body.insert(chance.randint(0, len(body)), self._locked(depth + 1))
        if reentrant and chance.random() < 0.4:
            body.insert(chance.randint(0, len(body)), self._reentered(name))
        if chance.random() < 0.5:
            return lambda w: w.under(f"with {name}:", body, taken="acquire", given="release", target=name)

        def called(w: Writer) -> None:
            w.do(f"{name}.acquire()", ("acquire", name, ""), waits_for=name)
            for item in body:
                item(w)
            w.do(f"{name}.release()", ("release", name, ""))

        return called

    def _reentered(self, name: str) -> Item:
        body = self._accesses()
        return lambda w: w.under(f"with {name}:", body, taken="acquire", given="release", target=name)

    def _tried(self) -> Item:
        name, _ = self._lock()
        body = self._accesses()

        def tried(w: Writer) -> None:
            number = w.next + 1
            w.add("at()")
            w.add(f"if {name}.acquire(False):")
            w.indent += 1
            w.add(f'note("acquire", "{name}", "{number}")')
            for item in body:
                item(w)
            w.do(f"{name}.release()", ("release", name, ""))
            w.indent -= 1
            w.add("else:")
            w.add(f'    note("failed", "{name}", "{number}")')

        return tried

    def _permitted(self) -> Item:
        chance = self._chance
        number = chance.choice((1, 2))
        name = self._make("Semaphore", f"threading.Semaphore({number})", [f"sem{number}"])
        self._program.permits[name] = number
        body = self._accesses()
        if chance.random() < 0.5:
            return lambda w: w.under(f"with {name}:", body, taken="down", given="up", target=name)

        def called(w: Writer) -> None:
            w.do(f"{name}.acquire()", ("down", name, ""), waits_for=name)
            for item in body:
                item(w)
            w.do(f"{name}.release()", ("up", name, ""))

        return called

    # -- between threads ----------------------------------------------------------------------------

    def _across(self) -> dict[str, Callable[[], None]]:
        return {
            "conditions": self._condition,
            "semaphores": self._handover,
            "events": self._event,
            "queues": self._queue,
            "barriers": self._barrier,
            "children": self._child,
            "pools": self._pool,
        }

    def _insert(self, thread: int, item: Item) -> None:
        body = self._bodies[thread]
        body.insert(self._chance.randint(0, len(body)), item)

    def _two(self) -> tuple[int, int]:
        """Return the numbers of two threads in ascending order.

        The first thread usually provides what the second waits for, so few programs deadlock.
        """
        one, other = sorted(self._chance.sample(range(len(self._bodies)), 2))
        return one, other

    def _condition(self) -> None:
        chance = self._chance
        name = self._make("Condition", "threading.Condition()", ["cond1"])
        lock = f"{name}.lock"
        self._program.resources[lock] = Named("RLock", self._program.resources[name].line)
        flag = f"{next(iter(self._boxes))}.b"
        method = chance.choice(("notify", "notify_all"))
        limit = "5" if "timeouts" in self._on else ""

        def notify(w: Writer) -> None:
            body: list[Item] = [
                lambda w: w.do(f"{flag} = 1", ("write", flag, "w")),
                lambda w: w.do(f"{name}.{method}()", ("notify", name, "")),
            ]
            w.under(f"with {name}:", body, taken="acquire", given="release", target=lock)

        def wait(w: Writer) -> None:
            number = w.next + 1
            w.add("at()")
            w.add(f"while not {flag}:")
            w.indent += 1
            w.add(f'note("read", "{flag}", "{number}r")')
            w.add("at()")
            w.add(f'note("waits", "{name}", "{w.next + 1}")')
            wait_line = w.next
            w.add(f"woken = {name}.wait({limit})")
            w.add("at()")
            w.add(f'note("woken" if woken else "expired", "{name}", "{wait_line}")')
            if limit:
                w.add("if not woken:")
                w.add("    at()")
                w.add('    note("gives up")')
                w.add("    break")
            w.add("at()")
            w.indent -= 1
            w.add("else:")
            w.add(f'    note("read", "{flag}", "{number}r")')

        one, other = self._two()
        if limit and chance.random() < 0.5:
            one, other = other, one
        self._insert(one, notify)
        self._insert(other, lambda w: w.under(f"with {name}:", [wait], taken="acquire", given="release", target=lock))

    def _handover(self) -> None:
        """Add a semaphore that starts with no permits. One thread releases it, and another acquires it."""
        if self._chance.random() < 0.5:
            return
        name = self._make("Semaphore", "threading.Semaphore(0)", ["sem0"])
        self._program.permits[name] = 0
        one, other = self._two()
        self._insert(one, lambda w: w.do(f"{name}.release()", ("up", name, "")))
        self._insert(other, lambda w: w.do(f"{name}.acquire()", ("down", name, ""), waits_for=name))

    def _event(self) -> None:
        name = self._make("Event", "threading.Event()", ["event1"])
        one, other = self._two()
        self._insert(one, lambda w: w.do(f"{name}.set()", ("set", name, "")))
        self._insert(other, lambda w: w.do(f"{name}.wait()", ("wait-set", name, ""), waits_for=name))
        if "clears" in self._on:
            third = self._chance.randrange(len(self._bodies))
            self._insert(third, lambda w: w.do(f"{name}.clear()", ("clear", name, "")))

    def _queue(self) -> None:
        chance, size = self._chance, self._chance.choice((0, 1))
        name = self._make("Queue", f"queue.Queue({size})", ["queue1"])
        self._program.room[name] = size
        tasks = "tasks" in self._on
        one, other = self._two()
        rounds = chance.randint(1, 2)
        for _ in range(rounds):
            self._insert(one, lambda w: w.do(f"{name}.put(1)", ("put", name, ""), waits_for=name))

        def get(w: Writer) -> None:
            w.do(f"{name}.get()", ("get", name, ""), waits_for=name)
            if tasks:
                w.do(f"{name}.task_done()", ("task-done", name, ""))

        for _ in range(rounds):
            self._insert(other, get)
        if tasks:
            self._bodies[one].append(
                lambda w: w.do(f"{name}.join()", ("join-queue", name, ""), waits_for=name + " tasks")
            )

    def _barrier(self) -> None:
        name = self._make("Barrier", "threading.Barrier(2)", ["barrier1"])

        def meet(w: Writer) -> None:
            w.add("at()")
            w.add(f'note("arrives", "{name}")')  # when the last thread arrives, it releases the others
            w.add(f"{name}.wait()")
            w.add("at()")
            w.add(f'note("passes", "{name}")')

        for thread in self._two():
            self._insert(thread, meet)

    def _child(self) -> None:
        """Add a thread that one of the other threads starts and may join."""
        joins = self._chance.random() < 0.7
        thread = self._chance.randrange(len(self._bodies))
        self._child_of, self._child_body = thread, [self._statement() for _ in range(self._chance.randint(1, 2))]
        label = f"T{thread + 1}.1"
        self._program.threads[label] = f"w{thread + 1}_1"
        self._insert(thread, lambda w: w.do("child.start()", ("start", label, "")))
        if joins:
            self._bodies[thread].append(lambda w: w.do("child.join()", ("join", label, "")))

    def _pool(self) -> None:
        """Run the bodies as tasks of a pool instead of threads."""
        if "children" not in self._on:
            self._program.workers = self._chance.choice((1, 1, 2))

    # -- the text -----------------------------------------------------------------------------------

    def _write(self) -> None:
        w = Writer()
        program = self._program
        shared = [*self._boxes, "stack", "tick", *[name for name in program.resources if "." not in name]]
        if "children" in self._on:
            number = self._child_of + 1
            self._function(w, f"w{number}_1", f"T{number}.1", shared, self._child_body)
        for number, body in enumerate(self._bodies, 1):
            child = "children" in self._on and self._child_of == number - 1
            self._function(w, f"w{number}", f"T{number}", shared, body, child=child)
            program.threads[f"T{number}"] = f"w{number}"
        w.add("")
        w.add("")
        start = w.add("def scenario():")
        w.indent += 1
        w.add('born("T0")')
        w.add("at()")
        w.add(f'note("enter", "scenario", "{start}")')
        w.add("global total")
        w.do("total = 0", ("write", "total", "w"))
        w.do("Box.count = 0", ("write", "count", "w"))
        for box, kind in self._boxes.items():
            self._write_box(w, box, kind)
        program.objects["stack"] = Named("list", w.next)
        w.add("stack = []")
        w.add("tick = counter()")
        for line in self._made:
            name = line.partition(" ")[0]
            for each in (name, f"{name}.lock"):
                if each in program.resources:
                    program.resources[each] = program.resources[each]._replace(line=w.next)
            w.add(line)
        if program.workers:
            self._write_pool(w, shared)
        else:
            self._write_threads(w, shared)
        w.do("seen = box1.a", ("read", "box1.a", "r"))
        w.add("at()")
        w.add(f'note("leave", "scenario", "{start}")')
        program.text = "\n".join(w.lines) + "\n"

    def _write_box(self, w: Writer, box: str, kind: str) -> None:
        """Write the line that creates an object, either directly or through a factory function."""
        argument = f'"{box}"' if kind in CONSTRUCTED else ""
        if "classes" in self._on and self._chance.random() < 0.4:
            self._program.objects[box] = Named(kind, FACTORY_LINE)
            w.add(f"{box} = make({kind}, {argument})")
        else:
            self._program.objects[box] = Named(kind, w.next)
            w.add(f"{box} = {kind}({argument})")
        if kind == "Plain":
            w.do(f"{box}.a = 0", ("write", f"{box}.a", "w"))
            w.do(f"{box}.b = 0", ("write", f"{box}.b", "w"))
        for name in OWN.get(kind, ()):
            w.do(f"{box}.{name} = 0", ("write", f"{box}.{name}", "w"))

    def _function(
        self, w: Writer, name: str, label: str, shared: Sequence[str], body: Sequence[Item], *, child: bool = False
    ) -> None:
        w.add("")
        w.add("")
        start = w.add(f"def {name}({', '.join(shared)}):")
        w.indent += 1
        w.add("global total")
        if self._program.workers:
            w.add(f'task("{name}")')
        else:
            w.add(f'born("{label}")')
        w.add("at()")
        w.add(f'note("enter", "{name}", "{start}")')
        if child:
            w.add(f"child = threading.Thread(target={name}_1, args=({', '.join(shared)}))")
        for item in body:
            item(w)
        w.add("at()")
        w.add(f'note("leave", "{name}", "{start}")')
        if not self._program.workers:
            w.add("at()")
            w.add('note("end")')
        w.indent -= 1

    def _write_threads(self, w: Writer, shared: Sequence[str]) -> None:
        arguments = ", ".join(shared)
        numbers = range(1, len(self._bodies) + 1)
        for number in numbers:
            w.add(f"t{number} = threading.Thread(target=w{number}, args=({arguments}))")
        joined_early = (
            len(numbers) == 3 and self._chance.random() < 0.3
        )  # if True, the third thread starts after the first has ended
        for number in numbers:
            if number == 3 and joined_early:
                w.do("t1.join()", ("join", "T1", ""))
            w.do(f"t{number}.start()", ("start", f"T{number}", ""))
        for number in numbers:
            if number != 1 or not joined_early:
                w.do(f"t{number}.join()", ("join", f"T{number}", ""))

    def _write_pool(self, w: Writer, shared: Sequence[str]) -> None:
        arguments = ", ".join(shared)
        w.add(f"with ThreadPoolExecutor({self._program.workers}) as executor:")
        w.indent += 1
        w.add("pool(executor)")
        numbers = range(1, len(self._bodies) + 1)
        for number in numbers:
            w.add("at()")
            w.add(
                f'note("submits", "w{number}", "{w.next + 1}")'
            )  # noted before the call, because the task may finish before `submit` returns
            line = w.add(f"f{number} = executor.submit(w{number}, {arguments})")
            w.add("at()")
            w.add(f'submitted("w{number}", "{line}")')
        for number in numbers:
            w.do(f"f{number}.result()", ("result", f"w{number}", ""))
        w.add("at()")
        w.indent -= 1
        w.add('note("shutdown")')
