"""When raddle inspects an object, it runs none of the program's code.

Such code could add a step or have a side effect.
"""

from __future__ import annotations

import threading
import weakref

import pytest

import raddle


def run(*works):
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Lazy:
    """A lazy proxy: reading its `__class__` has a side effect and returns another class."""

    def __init__(self):
        object.__setattr__(self, "made", [])

    @property
    def __class__(self):
        self.made.append(1)
        return int


def lazy():
    shared = Lazy()
    run(lambda: [shared], lambda: (shared.made, len([shared]), repr(shared)))
    shared.other = 1
    assert shared.made == []


class Delegate:
    """An object that has every attribute and counts the calls to `__getattr__`."""

    def __init__(self):
        self.lookups = 0

    def __call__(self):
        """Make the object callable, because raddle might look up the `__name__` of a callable."""

    def __getattr__(self, name):
        self.lookups += 1
        return name


class Holder:
    def __init__(self):
        self.held = Delegate()


def delegate():
    holder = Holder()
    run(lambda: holder.held, lambda: setattr(holder, "held", holder.held))
    assert holder.held.lookups == 0


class Guarded(dict):
    """A dict whose `get` needs a lock that does not exist until the constructor has finished."""

    def __init__(self):
        super().__init__()
        self.size = 3
        self.lock = threading.Lock()

    def get(self, key, default=None):
        with self.lock:
            return super().get(key, default)


def guarded():
    shared = Guarded()
    run(lambda: shared.get(1), lambda: shared.get(2))


def own_attributes():
    mine = threading.local()

    def work():
        mine.x = 1
        assert mine.x == 1

    run(work, work)
    assert not hasattr(mine, "x")


class Named:
    """A class with a method whose first parameter has a mangled name, as in loggers that accept arbitrary keywords."""

    def __init__(self):
        self.n = 0

    def add(__self):  # noqa: N805
        __self.n = __self.n + 1


def mangled():
    named = Named()
    run(named.add)
    assert named.n == 1


@pytest.mark.parametrize("scenario", [lazy, delegate, guarded, own_attributes, mangled])
@pytest.mark.parametrize("scheduler", ["portfolio", "twice:random"])
def test_a_scenario_behaves_as_it_does_without_raddle(scenario, scheduler):
    scenario()
    result = raddle.explore(
        scenario, source=[__file__], seed=1, executions=100, scheduler=scheduler, criteria="default"
    )
    assert result.findings == ()


def test_accesses_to_thread_local_attributes_are_not_steps():
    """Each thread has its own attributes, so one execution exhausts the search."""
    result = raddle.explore(own_attributes, source=[__file__], scheduler="exhaustive", until="exhausted")
    assert (result.exhausted, result.executions) == (True, 1)


class Counted(threading.local):
    """A thread-local class, constructed once per thread, whose property contains scheduling points."""

    shared = 0

    def __init__(self):
        self.n = 0

    @property
    def total(self):
        Counted.shared = Counted.shared + 1
        self.n = self.n + 1
        Counted.shared = Counted.shared + 1
        return self.n


def test_other_threads_can_run_while_a_thread_local_property_is_evaluated():
    seen = []

    def scenario():
        Counted.shared = 0
        mine = Counted()
        seen.clear()
        run(lambda: seen.append(mine.total), lambda: seen.append(mine.total))
        assert seen == [1, 1]
        assert mine.n == 0

    result = raddle.explore(scenario, source=[__file__], scheduler="exhaustive", until="exhausted")
    assert result.findings == ()
    assert result.executions > 1


class Stored:
    """A descriptor that stores one value per instance and raises when it is read through the class."""

    def __init__(self):
        self.kept = weakref.WeakKeyDictionary()

    def __get__(self, obj, owner=None):
        return self.kept[obj]


class Keeping:
    stored = Stored()


def test_a_descriptor_is_read_through_instances_only():
    def scenario():
        keeping = Keeping()
        Keeping.__dict__["stored"].kept[keeping] = 1
        run(lambda: keeping.stored, lambda: keeping.stored)

    assert raddle.explore(scenario, source=[__file__], executions=20).findings == ()


class Wrapping:
    """An object that has a slot named `__wrapped__` but is not a proxy: `count` belongs to the object itself."""

    __slots__ = ("__wrapped__", "count")

    def __init__(self, wrapped):
        self.__wrapped__ = wrapped
        self.count = 0

    def add(self):
        self.count = self.count + 1


def test_an_object_with_a_slot_named_wrapped_is_not_a_proxy():
    def scenario():
        first, second = Wrapping(len), Wrapping(len)
        run(first.add, second.add)

    result = raddle.explore(scenario, source=[__file__], scheduler="reachability", until="exhausted")
    assert (result.exhausted, result.executions, result.warnings) == (True, 1, ())
