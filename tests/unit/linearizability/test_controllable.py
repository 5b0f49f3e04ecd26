from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import io
import queue
import threading
import types

import pytest
from shared_objects import Stack

from raddle.linearizability.controllable import reason_not_controlled


class Plain(dict):
    """A subclass without methods of its own."""


class Grown(dict):
    def grow(self):
        self[len(self)] = 0


def slug(value, *, selected=True):
    reason = reason_not_controlled(value, lambda name, path: selected)
    return reason and reason[0]


@pytest.mark.parametrize(
    "make",
    [
        threading.Lock,
        threading.Condition,
        threading.Thread,
        queue.Queue,
        queue.SimpleQueue,
        concurrent.futures.Future,
        asyncio.Queue,
    ],
)
def test_synchronization_of_the_standard_library_is_rejected(make):
    assert slug(make()) == "synchronization-under-test"


def test_extension_types_are_rejected():
    assert slug(io.BytesIO()) == "extension-type"


@pytest.mark.parametrize("value", [[], {}, set(), collections.deque(), collections.Counter(), collections.UserDict()])
def test_built_in_containers_are_rejected(value):
    # Their methods run as one step, so calls of them would never fail.
    assert slug(value) == "extension-type"
    assert "check your own class that uses it" in reason_not_controlled(value, None)[1]


@pytest.mark.parametrize("value", [Plain(), Grown(), 3, None, ([],), types.SimpleNamespace(data={})])
def test_own_containers_and_parts_of_several_objects_are_accepted(value):
    assert slug(value) is None


def test_classes_must_be_instrumented():
    assert slug(Stack()) is None
    assert slug(Stack(), selected=False) == "class-not-instrumented"
    assert "source=['shared_objects']" in reason_not_controlled(Stack(), lambda name, path: False)[1]


def test_a_subclass_of_an_instrumented_class_is_accepted():
    class Own(threading.Thread):
        def extra(self):
            pass

    assert slug(Own()) is None


def test_classes_defined_at_a_prompt_are_accepted():
    namespace = {"__name__": "prompt"}
    exec(compile("class Typed:\n    def run(self): pass", "<stdin>", "exec"), namespace)
    assert slug(namespace["Typed"](), selected=False) is None


@pytest.mark.parametrize(
    "several", [lambda *items: items, lambda *items: types.SimpleNamespace(a=items[0], b=items[1])]
)
def test_each_of_several_objects_is_checked(several):
    assert slug(several([], Stack())) is None
    assert slug(several([], io.BytesIO())) == "extension-type"
