"""What raddle looks up by itself runs no code of the program's: that would be a step, or change something."""

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
    """Says that it is of another class, which it makes when it is asked for the first time."""

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
    """Has everything, and tells how often it was asked."""

    def __init__(self):
        self.asked = 0

    def __call__(self):
        """It can be called, so it may have a name."""

    def __getattr__(self, name):
        self.asked += 1
        return name


class Holder:
    def __init__(self):
        self.held = Delegate()


def delegate():
    holder = Holder()
    run(lambda: holder.held, lambda: setattr(holder, "held", holder.held))
    assert holder.held.asked == 0


class Guarded(dict):
    """Asked for an item, it uses what its constructor has not made yet."""

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
    """Its first argument has a name that is mangled, as a logger's that takes any name by keyword."""

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
def test_it_does_what_it_does_without_raddle(scenario, scheduler):
    scenario()
    result = raddle.explore(
        scenario, source=[__file__], seed=1, executions=100, scheduler=scheduler, criteria="default"
    )
    assert result.findings == ()


def test_attributes_of_ones_own_are_no_steps():
    """Each thread has its own: all schedules are the same."""
    result = raddle.explore(own_attributes, source=[__file__], scheduler="exhaustive", until="exhausted")
    assert (result.exhausted, result.executions) == (True, 1)


class Counted(threading.local):
    """Made anew for each thread; its property lets others in while it is asked for."""

    shared = 0

    def __init__(self):
        self.n = 0

    @property
    def total(self):
        Counted.shared = Counted.shared + 1
        self.n = self.n + 1
        Counted.shared = Counted.shared + 1
        return self.n


def test_others_come_in_while_an_attribute_is_asked_for():
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
    """A descriptor that keeps what it has for each object: there is none for the class."""

    def __init__(self):
        self.kept = weakref.WeakKeyDictionary()

    def __get__(self, obj, owner=None):
        return self.kept[obj]


class Keeping:
    stored = Stored()


def test_a_descriptor_is_asked_for_objects_only():
    def scenario():
        keeping = Keeping()
        Keeping.__dict__["stored"].kept[keeping] = 1
        run(lambda: keeping.stored, lambda: keeping.stored)

    assert raddle.explore(scenario, source=[__file__], executions=20).findings == ()


class Wrapping:
    """Has a slot of that name, and is no proxy: what it counts is its own."""

    __slots__ = ("__wrapped__", "count")

    def __init__(self, wrapped):
        self.__wrapped__ = wrapped
        self.count = 0

    def add(self):
        self.count = self.count + 1


def test_a_slot_called_wrapped_makes_no_proxy():
    def scenario():
        first, second = Wrapping(len), Wrapping(len)
        run(first.add, second.add)

    result = raddle.explore(scenario, source=[__file__], scheduler="reachability", until="exhausted")
    assert (result.exhausted, result.executions, result.warnings) == (True, 1, ())
