"""Calls through `super()` in container subclasses, and classes with unusual special attributes."""

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


class WithGetattribute:
    def __init__(self):
        self.lookups = 0
        self.n = 0

    def __getattribute__(self, name):
        return super().__getattribute__(name)

    def add(self):
        self.n = self.n + 1


def test_accesses_are_recorded_if_getattribute_calls_super():
    """raddle must not read other attributes of an object while that object's `__getattribute__` is running."""
    result = explored(WithGetattribute, lambda shared: shared.add())
    assert not result.findings
    assert any("WithGetattribute.n" in warning["sentence"] for warning in result.warnings)


class Items(list):
    def __repr__(self):
        return "Items" + super().__repr__()

    def __ne__(self, other):
        return super().__ne__(other)

    def __add__(self, other):
        return Items(super().__add__(other))

    def __getattribute__(self, name):
        return super().__getattribute__(name)

    def add(self, item):
        super().__iadd__([item])


@pytest.mark.parametrize(
    "read",
    [
        repr,
        lambda items: f"{items}",
        lambda items: items != [1],
        lambda items: items + [1],  # noqa: RUF005 -- this operator is what the test is about
        lambda items: items.append,
    ],
)
def test_a_read_through_super_is_not_a_write(read):
    result = explored(Items, read)
    assert (result.findings, result.warnings) == ((), ())


def test_a_change_through_super_is_a_write():
    assert explored(Items, lambda items: items.add(1)).warnings


@pytest.mark.parametrize(
    "read",
    [
        lambda counter: counter.most_common(),
        lambda counter: counter.total() if hasattr(counter, "total") else 0,
        lambda counter: list(counter.elements()),
        lambda counter: counter["missing"],
    ],
)
def test_reading_a_counter_is_not_a_write(read):
    result = explored(lambda: Counter("ab"), read)
    assert (result.findings, result.warnings) == ((), ())


def test_updating_a_counter_is_a_write():
    assert explored(lambda: Counter("ab"), lambda counter: counter.update("a")).warnings


class Proxy:
    __module__ = None

    def __lt__(self, other):
        return True


class ModuleProperty:
    @property
    def __module__(self):
        return "elsewhere"


@pytest.mark.parametrize("kind", [Proxy, ModuleProperty])
def test_objects_of_a_class_without_a_usable_module_name_are_supported(kind):
    result = explored(kind, lambda shared: (repr(shared), max([shared, shared], key=id), any([shared])))
    assert not result.findings


class Compared(type):
    def __eq__(cls, other):
        return True


class Odd(metaclass=Compared):
    """A class that cannot be a dict key: its metaclass defines `__eq__` but not `__hash__`."""


ODD = Odd()


def test_a_module_may_hold_an_object_of_an_unhashable_class():
    assert not explored(dict, lambda shared: shared.get(1)).findings
