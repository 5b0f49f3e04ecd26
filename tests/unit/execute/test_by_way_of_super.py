"""What a class that extends a container asks `super()` for, and what looks at odd classes."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

import raddle


def explored(make, work, **options):
    def scenario():
        shared = make()
        threads = [threading.Thread(target=work, args=(shared,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return raddle.explore(scenario, source=[__file__], seed=1, executions=100, criteria="default", **options)


class Watching:
    def __init__(self):
        self.asked = 0
        self.n = 0

    def __getattribute__(self, name):
        return super().__getattribute__(name)

    def add(self):
        self.n = self.n + 1


def test_super_in_getattribute():
    """Whoever is asked for an attribute just now must not be asked for another one by us."""
    result = explored(Watching, lambda shared: shared.add())
    assert not result.findings
    assert any("Watching.n" in warning["sentence"] for warning in result.warnings)


class Told(list):
    def __repr__(self):
        return "Told" + super().__repr__()

    def __ne__(self, other):
        return super().__ne__(other)

    def __add__(self, other):
        return Told(super().__add__(other))

    def __getattribute__(self, name):
        return super().__getattribute__(name)

    def add(self, item):
        super().__iadd__([item])


@pytest.mark.parametrize(
    "look",
    [
        repr,
        lambda told: f"{told}",
        lambda told: told != [1],
        lambda told: told + [1],  # noqa: RUF005 -- that is what is tried
        lambda told: told.append,
    ],
)
def test_looking_by_way_of_super_is_no_write(look):
    result = explored(Told, look)
    assert (result.findings, result.warnings) == ((), ())


def test_changing_by_way_of_super_is_one():
    assert explored(Told, lambda told: told.add(1)).warnings


@pytest.mark.parametrize(
    "look",
    [
        lambda counter: counter.most_common(),
        lambda counter: counter.total() if hasattr(counter, "total") else 0,
        lambda counter: list(counter.elements()),
        lambda counter: counter["nobody"],
    ],
)
def test_looking_at_a_counter_is_no_write(look):
    result = explored(lambda: Counter("ab"), look)
    assert (result.findings, result.warnings) == ((), ())


def test_counting_is_one():
    assert explored(lambda: Counter("ab"), lambda counter: counter.update("a")).warnings


class Proxy:
    __module__ = None

    def __lt__(self, other):
        return True


class Asked:
    @property
    def __module__(self):
        return "elsewhere"


@pytest.mark.parametrize("kind", [Proxy, Asked])
def test_a_class_that_does_not_say_where_it_is_from(kind):
    result = explored(kind, lambda shared: (repr(shared), max([shared, shared], key=id), any([shared])))
    assert not result.findings


class Compared(type):
    def __eq__(cls, other):
        return True


class Odd(metaclass=Compared):
    """Nobody can look such a class up."""


ODD = Odd()


def test_a_module_that_holds_an_object_of_a_class_without_a_hash():
    assert not explored(dict, lambda shared: shared.get(1)).findings
