"""Classes that cannot be tested are rejected with a reason, and all others are not."""

from __future__ import annotations

import abc
import enum
import queue
import threading
from collections import deque

import pytest
import robust_classes

from raddle.generation.inspect_class import inspect_class
from raddle.generation.rejection import reason_not_tested


class Abstract(abc.ABC):
    @abc.abstractmethod
    def get(self): ...


class Meta(type):
    def get(cls):
        return 1


class Color(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (queue.Queue, "with a twin"),
        (threading.Thread, "with a twin"),
        (deque, "is not written in Python"),
        (Color, "is an enumeration"),
        (Meta, "is a metaclass"),
        (Abstract, "is abstract"),
        (robust_classes.Coroutines, "are coroutines"),
        (robust_classes.Nothing, "has no public methods"),
    ],
)
def test_a_class_is_rejected(cls, reason):
    text = reason_not_tested(cls, inspect_class(cls))
    assert reason in text
    assert cls.__name__ in text


def test_an_ordinary_class_is_not_rejected():
    assert reason_not_tested(robust_classes.Counter, inspect_class(robust_classes.Counter)) == ""


def test_patterns_that_fit_nothing_are_reported():
    surface = inspect_class(robust_classes.Counter, methods=["missing"])
    reason = reason_not_tested(robust_classes.Counter, surface, is_restricted=True)
    assert "fits the patterns of --methods and --exclude" in reason


def test_a_factory_makes_an_abstract_class_testable():
    assert reason_not_tested(Abstract, inspect_class(Abstract), has_factory=True) == ""
