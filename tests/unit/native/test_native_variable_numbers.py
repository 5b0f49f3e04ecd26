"""Variables are numbered and named correctly, and numbering them keeps no object alive."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from native_recording import Recorded, record

from raddle.entities import AbstractVariable


def shared(recorded: Recorded) -> set[str]:
    """Return the variables that at least two threads accessed."""
    threads: dict[int, set[int]] = defaultdict(set)
    for thread, kind, target, _ in recorded.steps:
        if kind in ("read", "write"):
            threads[target].add(thread)
    return {str(recorded.entities.variables[target]) for target, accessing in threads.items() if len(accessing) > 1}


def names(recorded: Recorded) -> set[AbstractVariable]:
    return {variable._replace(owner=variable.owner.partition(":")[2]) for variable in recorded.entities.variables}


def test_temporary_containers_never_look_shared(tmp_path: Path) -> None:
    """Short-lived containers of different threads reuse the same addresses."""
    recorded = record(
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
    assert shared(recorded) <= {"addresses[]", "program.addresses[]", "list.addresses[]"}
    assert len([name for name in shared(recorded) if "addresses" in name]) == 1


def test_temporary_objects_never_look_shared(tmp_path: Path) -> None:
    recorded = record(
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
    assert shared(recorded) == set()


def test_thread_locals_are_not_shared(tmp_path: Path) -> None:
    recorded = record(
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
    assert recorded.value == [7]
    assert shared(recorded) == set()


def test_one_object_has_one_number_in_all_threads(tmp_path: Path) -> None:
    recorded = record(
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
    assert shared(recorded) == {"Box.items", "Box.n", "Box.items[]", "table[]"}
    # One Box, its list and the table: no variable was numbered twice.
    assert sorted(str(v) for v in recorded.entities.variables) == sorted([*shared(recorded), "threads[]"])


def test_variables_are_named_by_owner_and_creation_site(tmp_path: Path) -> None:
    recorded = record(
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
    file = recorded.table[next(site for *_, site in recorded.steps if site)].file
    assert names(recorded) == {
        AbstractVariable("Base", f"{file}:25", "items", f"{file}:Derived"),
        AbstractVariable("Base", f"{file}:25", "items[]", f"{file}:Derived"),
        AbstractVariable("Derived", f"{file}:25", "extra"),
        AbstractVariable("Derived", f"{file}:25", "extra[]"),
        AbstractVariable("Base", "", "count"),
        AbstractVariable("Base", f"{file}:28", "x"),  # created by a direct call to `__new__`
        AbstractVariable("New", f"{file}:30", "made"),
        AbstractVariable("", "", "total"),
        AbstractVariable("outer", "", "kept"),
    }


def test_a_class_attribute_is_one_variable_until_an_object_overrides_it(tmp_path: Path) -> None:
    """A read through an object reads the class attribute until the object has its own attribute."""
    recorded = record(
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
    numbers = [(kind, target) for _, kind, target, _ in recorded.steps if kind in ("read", "write")]
    of_class, own = 0, 1
    assert numbers == [
        ("read", of_class), ("read", of_class), ("write", own), ("read", own), ("read", of_class), ("write", of_class),
    ]  # fmt: skip


def test_functions_and_properties_are_not_variables(tmp_path: Path) -> None:
    recorded = record(
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
    assert recorded.value == 1
    assert {str(variable) for variable in recorded.entities.variables} <= {"pi", "math.pi"}


def test_bound_methods_of_containers_are_recorded_when_passed_on(tmp_path: Path) -> None:
    recorded = record(
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
    assert recorded.value == ([0, 1, 2], True, True, "append", "<built-in")
    assert [thread for thread, kind in recorded.accesses("list[]") if kind == "write"] == [1, 2, 3]


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
        # An object is freed immediately, together with everything that only its containers hold.
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
        # A replaced container is freed immediately.
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
        # A container is freed immediately if its attribute is set to None or deleted.
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
        # A container that no object owns is freed by the next garbage collection.
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
        # Two reference cycles, through an object's list and through a list that no object owns, are freed as well.
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
        # An argument is freed when the function deletes it.
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
        # The dict from `locals()` contains exactly the program's own names.
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
def test_recording_does_not_extend_lifetimes(tmp_path: Path, body: str, expected: object) -> None:
    source = f"{LIVES}def main():{body}"
    namespace: dict[str, object] = {}
    exec(compile(source, "plain", "exec"), namespace)
    recorded = record(tmp_path, source)
    assert recorded.value == expected
    assert namespace["main"]() == expected or "collect(0)" in body  # type: ignore[operator]


def test_held_containers_keep_their_numbers_through_collections(tmp_path: Path) -> None:
    recorded = record(
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
    assert recorded.value == list(range(5))
    assert len(recorded.entities.variables) == 2
    assert recorded.accesses("Box.items[]") == [(0, "write")] * 5


def test_containers_beyond_the_limit_never_share_a_number(tmp_path: Path) -> None:
    """All containers are alive at once. Some are renumbered, but none gets the number of another container."""
    recorded = record(
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
    assert len(recorded.accesses("row[]")) == 12_000
    objects = len({target for _, kind, target, _ in recorded.steps if kind == "write"})
    assert objects >= 6_000
    mine = {t for thread, kind, t, _ in recorded.steps if kind == "write" and thread in (1, 3)}
    yours = {t for thread, kind, t, _ in recorded.steps if kind == "write" and thread in (2, 4)}
    assert not mine & yours


def test_os_functions_read_the_containers_passed_to_them(tmp_path: Path) -> None:
    recorded = record(
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
    assert recorded.value == b"b"
    assert {(thread, kind) for thread, kind, _, _ in recorded.steps if kind in ("read", "write") and thread} == {
        (1, "read"),
        (2, "read"),
    }
