"""What functions without probes do to the containers that they are given."""

from __future__ import annotations

import bisect
import collections
import concurrent.futures
import copy
import functools
import heapq
import itertools
import json
import operator
import pickle
import random
import struct
import threading

import pytest

import raddle
from raddle import probe
from raddle.threads.data_model.call_effects import effect


@pytest.mark.parametrize(
    "called",
    [
        json.dumps, copy.copy, copy.deepcopy, pickle.dumps, operator.getitem, operator.contains, bisect.bisect,
        random.choice, heapq.nlargest, functools.reduce, itertools.product, collections.Counter, collections.deque,
    ],
)  # fmt: skip
def test_looks(called):
    assert effect(called) == "read"


@pytest.mark.parametrize(
    "called",
    [
        heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, bisect.insort, random.shuffle,
        operator.setitem, operator.delitem, operator.iadd, struct.pack_into,
    ],
)  # fmt: skip
def test_changes(called):
    assert effect(called) == "write"


class Bag(dict):
    def __init__(self, items):
        super().__init__(items)


@pytest.mark.parametrize(
    "called",
    [
        threading.Thread, concurrent.futures.wait, collections.namedtuple, functools.partial, operator.itemgetter(0),
        lambda items: items, isinstance,
    ],
)  # fmt: skip
def test_keeps_or_hands_on_or_is_none_of_ours(called):
    assert effect(called) is None


def changes_nobody_knows_what(items):
    items.clear()


def test_probes_of_its_own_tell(monkeypatch):
    """In a module with probes all that a function does is seen; without them it can do anything."""
    assert (effect(changes_nobody_knows_what), effect(Bag)) == ("write", "read")
    monkeypatch.setitem(globals(), probe.NAME, probe)
    assert (effect(changes_nobody_knows_what), effect(Bag)) == (None, None)


def test_a_caller_is_still_found():
    """`namedtuple` asks who called it, and is given a list."""
    modules = []

    def scenario():
        modules.append(collections.namedtuple("Point", ["x", "y"]).__module__)

    raddle.explore(scenario, source=[__name__], executions=1)
    assert set(modules) == {__name__}


def test_told_in_the_story():
    def scenario():
        heap = [1]
        thread = threading.Thread(target=lambda: heapq.heappop(heap))
        thread.start()
        heapq.heappop(heap)
        thread.join()

    finding = raddle.explore(scenario, source=[__name__]).findings[0]
    assert finding.kind == "exception"
    assert [(event.thread, event.kind, event.variable) for event in finding.trace if event.variable == "list[]"] == [
        ("T0", "write", "list[]"),
        ("T1", "write", "list[]"),
    ]
