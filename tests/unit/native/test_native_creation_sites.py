"""Objects are named by their class and the line that calls the class, in controlled executions and in native runs.

In the programs below, the comment `#> Class` marks each line that creates an object of that class, either a lock or an
object with an attribute `n`. The marked line calls the class or the library function that creates the object. Lines
inside constructors are not marked, because an object is named by the call that led to the constructor.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from controlled_recording import controlled, imported
from native_recording import record

from raddle.entities import Entities

THREADS = """
def touch(objects):
    for obj in objects:
        obj.n


def share(*objects):
    threads = [threading.Thread(target=touch, args=(objects,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""

CLASSES = f"""\
import attrs
import collections
import copy
import dataclasses
import functools
import pickle
import threading
import types
from typing import NamedTuple
{THREADS}

class Plain:
    n = 0


class Slots:
    __slots__ = ("n",)


class WithInit:
    def __init__(self):
        self.n = 0


class Inheriting(WithInit):
    pass


class Calling(WithInit):
    def __init__(self):
        super().__init__()
        self.other = 0


class ByMethod:
    def __init__(self):
        self._fill()

    def _fill(self):
        self.n = 0


class Empty:
    def __init__(self):
        pass


@dataclasses.dataclass
class Data:
    n: int = 0


@dataclasses.dataclass(frozen=True)
class Frozen:
    n: int = 0


@dataclasses.dataclass(slots=True)
class SlottedData:
    n: int = 0

    def __post_init__(self):
        self.n += 1


@attrs.define
class Attrs:
    n: int = 0


@attrs.frozen
class FrozenAttrs:
    n: int = 0


class Row(NamedTuple):
    value: int


class Named(Row):
    pass


class Mapping(dict):
    pass


class Failure(Exception):
    pass


class Worker(threading.Thread):
    pass


class Text(str):
    def __new__(cls, text):
        made = super().__new__(cls, text)
        made.n = 0
        return made


class Meta(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.n = 0
        return made


class WithMeta(metaclass=Meta):
    pass


class Single:
    only = None

    def __new__(cls):
        if cls.only is None:
            cls.only = super().__new__(cls)
        return cls.only


class Inner:
    def __init__(self):
        self.n = 0


class Outer:
    class Nested:
        pass

    def __init__(self):
        self.inner = Inner()
        self.nested = self.Nested()
        self.n = 0

    @classmethod
    def from_nothing(cls):
        return cls()  #> Outer Inner Nested


@dataclasses.dataclass
class Nesting:
    n: int = 0
    plain: Plain = dataclasses.field(default_factory=Plain)


def make(kind):
    return kind()  #> WithInit Inheriting Data Plain


def marked(obj):
    obj.n = 0
    return obj


def main():
    Single.only = None
    plain = Plain()  #> Plain
    plain.n = 0
    slots = Slots()  #> Slots
    slots.n = 0
    share(plain, slots)
    share(
        WithInit(),  #> WithInit
        Inheriting(),  #> Inheriting
        Calling(),  #> Calling
        ByMethod(),  #> ByMethod
        marked(Empty()),  #> Empty
    )
    share(
        Data(),  #> Data
        Frozen(3),  #> Frozen
        SlottedData(n=3),  #> SlottedData
        Attrs(),  #> Attrs
        FrozenAttrs(3),  #> FrozenAttrs
    )
    share(
        marked(Named(1)),  #> Named
        marked(Mapping(a=1)),  #> Mapping
        marked(Failure("x")),  #> Failure
        marked(Worker()),  #> Worker
        marked(types.SimpleNamespace()),  #> SimpleNamespace
        Text("x"),  #> Text
        WithMeta(),  #> WithMeta
    )
    one = Single()  #> Single
    two = Single()
    assert one is two
    share(marked(two))
    outer = Outer()  #> Outer Inner Nested
    share(outer, outer.inner, marked(outer.nested))
    outer = Outer.from_nothing()
    share(outer, outer.inner, marked(outer.nested))
    share(make(WithInit), make(Inheriting), make(Data), marked(make(Plain)))
    share(
        *[
            marked(Plain())  #> Plain
            for _ in range(2)
        ]
    )
    nesting = Nesting()  #> Nesting Plain
    share(nesting, marked(nesting.plain))
    mapped = list(map(Data, [1, 2]))  #> Data
    bound = functools.partial(Data, 3)
    called = bound()  #> Data
    filled = collections.defaultdict(Plain)
    found = filled["a"]  #> Plain
    again = filled["a"]
    share(*mapped, called, marked(found), again)
    data = Data()  #> Data
    copied = copy.copy(data)  #> Data
    loaded = pickle.loads(pickle.dumps(data))  #> Data
    replaced = dataclasses.replace(data, n=4)  #> Data
    share(data, copied, loaded, replaced)
    deep = copy.deepcopy(outer)  #> Outer Inner
    share(deep, deep.inner)
"""

LOCKS = f"""\
import attrs
import collections
import dataclasses
import threading
{THREADS}

@dataclasses.dataclass
class Data:
    n: int = 0
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)


@attrs.define
class Attrs:
    lock: threading.RLock = attrs.field(factory=threading.RLock)


class Base:
    def __init__(self):
        self.lock = threading.Lock()


class Derived(Base):
    def __init__(self):
        super().__init__()
        self._prepare()

    def _prepare(self):
        self.inner = threading.Lock()  #> Lock


early = collections.defaultdict(threading.Lock)


def use(locks):
    for lock in locks:
        with lock:
            pass


def main():
    early.clear()
    late = collections.defaultdict(threading.RLock)
    one = Data()  #> Lock
    two = Data()  #> Lock
    three = Attrs()  #> RLock
    four = Base()  #> Lock
    five = Derived()  #> Lock
    six = early["a"]  #> Lock
    seven = late["a"]  #> RLock
    locks = (one.lock, two.lock, three.lock, four.lock, five.lock, five.inner, six, seven)
    threads = [threading.Thread(target=use, args=(locks,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def marked_lines(source: str) -> dict[str, set[int]]:
    """Map each class to the lines that the comments mark."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(source.split("\n"), 1):
        for name in line.partition("#>")[2].split():
            found.setdefault(name, set()).add(number)
    assert len(found) > 1
    return found


def object_lines(entities: Entities) -> dict[str, set[int]]:
    """Map each class to the creation lines of its objects with an attribute `n`."""
    found: dict[str, set[int]] = {}
    for variable in entities.variables:
        if variable.name == "n" and not (
            variable.owner.endswith(":Plain") and not variable.created
        ):  # excludes the class attribute
            name = re.split("[:.]", variable.type or variable.owner)[-1]
            found.setdefault(name, set()).add(int(variable.created.rpartition(":")[2] or 0))
    return found


def lock_lines(entities: Entities) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for resource in entities.resources:
        if resource.type in ("Lock", "RLock"):
            found.setdefault(resource.type, set()).add(int(resource.created.rpartition(":")[2] or 0))
    return found


@pytest.mark.parametrize("times", [1, 5])
def test_controlled_executions_name_objects_by_creation_line(tmp_path: Path, times: int) -> None:
    with imported(tmp_path, "places_of_objects", CLASSES) as module:
        assert object_lines(controlled(module, times=times)) == marked_lines(CLASSES)


def test_native_runs_name_objects_by_creation_line(tmp_path: Path) -> None:
    assert object_lines(record(tmp_path, CLASSES).entities) == marked_lines(CLASSES)


@pytest.mark.parametrize("times", [1, 5])
def test_controlled_executions_name_locks_by_creation_line(tmp_path: Path, times: int) -> None:
    with imported(tmp_path, "places_of_locks", LOCKS) as module:
        entities = controlled(module, times=times)
    assert lock_lines(entities) == marked_lines(LOCKS)
    # There are eight locks. Each is numbered once, although two come from default factories.
    assert Counter(lock.type for lock in entities.resources if lock.type in ("Lock", "RLock")) == {
        "Lock": 6,
        "RLock": 2,
    }


def test_native_runs_name_locks_by_creation_line(tmp_path: Path) -> None:
    assert lock_lines(record(tmp_path, LOCKS).entities) == marked_lines(LOCKS)
