"""Numbers of variables: what is one variable, what it is called, and that nothing lives longer for having one."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from natively import Recorded, record

from raddle.entities import AbstractVariable


def shared(told: Recorded) -> set[str]:
    """Variables that two threads touched."""
    threads: dict[int, set[int]] = defaultdict(set)
    for thread, kind, target, _ in told.steps:
        if kind in ("read", "write"):
            threads[target].add(thread)
    return {str(told.entities.variables[target]) for target, who in threads.items() if len(who) > 1}


def names(told: Recorded) -> set[AbstractVariable]:
    return {variable._replace(owner=variable.owner.partition(":")[2]) for variable in told.entities.variables}


def test_temporary_containers_never_look_shared(tmp_path: Path) -> None:
    """Lists of all threads come to lie at the same addresses, one after the other."""
    told = record(
        tmp_path,
        """
        import threading
        addresses = []
        def work():
            for _ in range(300):
                for make in (list, dict, set, bytearray):
                    one = make()
                    addresses.append((threading.get_ident(), id(one)))
                    len(one)
                    two = [one, {}]
                    two[1][0] = 1
        def main():
            for _ in range(4):
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()
            owners = {}
            for ident, address in addresses: owners.setdefault(address, set()).add(ident)
            return sum(len(idents) > 1 for idents in owners.values())
        """,
    )
    assert shared(told) <= {"addresses[]", "program.addresses[]", "list.addresses[]"}
    assert len([name for name in shared(told) if "addresses" in name]) == 1


def test_temporary_objects_never_look_shared(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        import threading
        class Plain:
            def __init__(self): self.x = 1
        class Slotted:
            __slots__ = ("x",)
            def __init__(self): self.x = 1
        class Late:
            pass
        def work():
            for _ in range(500):
                Plain().x, Slotted().x
                late = Late()
                late.x = 2
        def main():
            for _ in range(3):
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()
        """,
    )
    assert shared(told) == set()


def test_thread_locals_are_not_shared(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        import threading
        local = threading.local()
        class Local(threading.local):
            def __init__(self): self.items = []
        own = Local()
        def work(n):
            local.x = n
            own.items.append(local.x)
            return own.items
        def main():
            threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            return work(7)
        """,
    )
    assert told.value == [7]
    assert shared(told) == set()


def test_one_object_has_one_number_in_all_threads(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        import threading
        class Box:
            __slots__ = ("items", "n")
            def __init__(self): self.items, self.n = [], 0
        def work(box, table):
            for _ in range(50): box.items.append(box.n); box.n = 1; table[1] = 2
        def main():
            box, table = Box(), {}
            threads = [threading.Thread(target=work, args=(box, table)) for _ in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
        """,
    )
    assert shared(told) == {"Box.items", "Box.n", "Box.items[]", "table[]"}
    # One Box, its list, and the table: nothing was numbered twice.
    assert sorted(str(v) for v in told.entities.variables) == sorted([*shared(told), "threads[]"])


def test_names(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        class Base:
            count = 0
            def __init__(self):
                self.items = []
        class Derived(Base):
            def __init__(self):
                super().__init__()
                self.extra = {}
                Base.count = Base.count + 1
        class New:
            def __new__(cls):
                self = super().__new__(cls)
                self.made = 1
                return self
        total = 0
        def outer():
            kept = 0
            def inner():
                nonlocal kept
                kept += 1
            inner()
        def main():
            global total
            derived = Derived()
            derived.items.append(derived.count)
            derived.extra[1] = 2
            late = Base.__new__(Base)
            late.x = 1
            New().made
            total += 1
            outer()
        """,
    )
    file = told.table[next(site for *_, site in told.steps if site)].file
    assert names(told) == {
        AbstractVariable("Base", f"{file}:25", "items", f"{file}:Derived"),
        AbstractVariable("Base", f"{file}:25", "items[]", f"{file}:Derived"),
        AbstractVariable("Derived", f"{file}:25", "extra"),
        AbstractVariable("Derived", f"{file}:25", "extra[]"),
        AbstractVariable("Base", "", "count"),
        AbstractVariable("Base", f"{file}:28", "x"),  # made by a `__new__` that is called
        AbstractVariable("New", f"{file}:30", "made"),
        AbstractVariable("", "", "total"),
        AbstractVariable("outer", "", "kept"),
    }


def test_class_variables(tmp_path: Path) -> None:
    """Reading through an object reads the class's variable until the object has one of its own."""
    told = record(
        tmp_path,
        """
        class Box:
            limit = 3
            def reach(self): return self.limit
        def main():
            one, two = Box(), Box()
            one.reach(), two.reach()
            one.limit = 4
            one.reach(), two.reach()
            Box.limit = 5
        """,
    )
    numbers = [(kind, target) for _, kind, target, _ in told.steps if kind in ("read", "write")]
    of_class, own = 0, 1
    assert numbers == [
        ("read", of_class), ("read", of_class), ("write", own), ("read", own), ("read", of_class), ("write", of_class),
    ]  # fmt: skip


def test_code_is_no_variable(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        import math, os.path
        class Box:
            @property
            def size(self): return 1
            @size.setter
            def size(self, value): pass
            @staticmethod
            def make(): return Box()
        def main():
            box = Box.make()
            box.size = box.size + math.pi
            os.path.join("a", "b"), (3).real, "a".upper(), box.__class__
            return box.size
        """,
    )
    assert told.value == 1
    assert {str(variable) for variable in told.entities.variables} <= {"pi", "math.pi"}


def test_handed_on_methods(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        import pickle, threading
        def main():
            items = []
            append = items.append
            threads = [threading.Thread(target=append, args=(n,)) for n in range(3)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            copied = pickle.loads(pickle.dumps(append))
            return sorted(items), append == items.append, append.__self__ is items, copied.__name__, repr(append)[:9]
        """,
    )
    assert told.value == ([0, 1, 2], True, True, "append", "<built-in")
    assert [thread for thread, kind in told.accesses("list[]") if kind == "write"] == [1, 2, 3]


# -- lifetimes ----------------------------------------------------------------------------------------

LIVES = """
import gc, weakref
class Thing:
    def __init__(self): self.items = [Leaf()]; self.table = {"leaf": Leaf()}
class Leaf:
    pass
ended = []
def watched(thing, name):
    weakref.finalize(thing, ended.append, name)
    return thing
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # An object goes at once, and with it what only its containers hold.
        (
            """
    thing = Thing()
    watched(thing, "thing"), watched(thing.items[0], "listed"), watched(thing.table["leaf"], "stored")
    len(thing.items), len(thing.table)
    del thing
    return ended
""",
            ["thing", "listed", "stored"],
        ),
        # A container that was replaced goes at once, too.
        (
            """
    thing = Thing()
    watched(thing.items[0], "listed")
    thing.items.append(1)
    thing.items = []
    thing.items.append(2)
    return ended
""",
            ["listed"],
        ),
        # And one in whose place nothing comes.
        (
            """
    thing = Thing()
    watched(thing.items[0], "listed"), watched(thing.table["leaf"], "stored")
    thing.items.append(thing)
    thing.items = None
    thing.table.clear
    del thing.table
    return ended
""",
            ["listed", "stored"],
        ),
        # A container of nobody's goes when the collector comes by.
        (
            """
    loose = [watched(Leaf(), "leaf")]
    loose.append(1)
    del loose
    gc.collect(0)
    return ended
""",
            ["leaf"],
        ),
        # Cycles through a list of an object, and through one of nobody's.
        (
            """
    thing = watched(Thing(), "thing")
    thing.items.append(thing)
    loose = [watched(Leaf(), "leaf")]
    loose.append(loose)
    loose[0].back = loose
    gc.collect()
    before = list(ended)
    del thing, loose
    gc.collect()
    return before, sorted(ended)
""",
            ([], ["leaf", "thing"]),
        ),
        # An argument goes when the function lets go of it.
        (
            """
    class Eater:
        def eat(self, leaf):
            del leaf
            return list(ended)
    return Eater().eat(watched(Leaf(), "leaf"))
""",
            ["leaf"],
        ),
        # What `locals` has given stays as it was.
        (
            """
    class Keeper:
        def __init__(self, a, b):
            kept = locals()
            self.a = a
            self.names = sorted(name for name in kept if name != "kept")
    return Keeper(1, 2).names
""",
            ["a", "b", "self"],
        ),
    ],
)
def test_lifetimes(tmp_path: Path, body: str, expected: object) -> None:
    source = f"{LIVES}def main():{body}"
    namespace: dict[str, object] = {}
    exec(compile(source, "plain", "exec"), namespace)
    told = record(tmp_path, source)
    assert told.value == expected
    assert namespace["main"]() == expected or "collect(0)" in body  # type: ignore[operator]


def test_held_containers_keep_their_numbers_through_collections(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        import gc
        class Box:
            def __init__(self): self.items = []
        def main():
            box = Box()
            for n in range(5):
                box.items.append(n)
                gc.collect()
            return box.items
        """,
    )
    assert told.value == list(range(5))
    assert len(told.entities.variables) == 2
    assert told.accesses("Box.items[]") == [(0, "write")] * 5


def test_more_containers_than_are_kept(tmp_path: Path) -> None:
    """All alive at once: some are forgotten and get another number, none gets that of another one."""
    told = record(
        tmp_path,
        """
        import threading
        def work(rows):
            for row in rows: row.append(1)
        def main():
            mine = [[] for _ in range(3000)]
            yours = [[] for _ in range(3000)]
            for _ in range(2):
                for rows in (mine, yours):
                    thread = threading.Thread(target=work, args=(rows,))
                    thread.start()
                    thread.join()
        """,
    )
    assert len(told.accesses("row[]")) == 12_000
    objects = len({target for _, kind, target, _ in told.steps if kind == "write"})
    assert objects >= 6_000
    mine = {t for thread, kind, t, _ in told.steps if kind == "write" and thread in (1, 3)}
    yours = {t for thread, kind, t, _ in told.steps if kind == "write" and thread in (2, 4)}
    assert not mine & yours


def test_calls_about_files_read_the_containers_that_they_are_given(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        import os
        from threading import Thread
        def main():
            data = bytearray(b"a")
            def write():
                file = os.open(os.devnull, os.O_WRONLY)
                os.write(file, data)
                os.close(file)
            threads = [Thread(target=write) for _ in range(2)]
            for thread in threads: thread.start()
            data[0] = 98
            for thread in threads: thread.join()
            return bytes(data)
        """,
    )
    assert told.value == b"b"
    assert {(thread, kind) for thread, kind, _, _ in told.steps if kind in ("read", "write") and thread} == {
        (1, "read"),
        (2, "read"),
    }
