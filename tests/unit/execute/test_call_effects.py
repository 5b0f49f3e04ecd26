"""A call to a function without probes counts as a read or write of the containers passed to it, or as neither."""

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
def test_a_function_that_only_inspects_a_container_reads_it(called):
    assert effect(called) == "read"


@pytest.mark.parametrize(
    "called",
    [
        heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, bisect.insort, random.shuffle,
        operator.setitem, operator.delitem, operator.iadd, struct.pack_into,
    ],
)  # fmt: skip
def test_a_function_that_changes_a_container_writes_it(called):
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
def test_a_function_that_stores_or_forwards_a_container_has_no_effect(called):
    assert effect(called) is None


def clear_items(items):
    items.clear()


def test_a_function_in_an_instrumented_module_has_no_assumed_effect(monkeypatch):
    """Probes record what an instrumented function does, but a function without probes may do anything."""
    assert (effect(clear_items), effect(Bag)) == ("write", "read")
    monkeypatch.setitem(globals(), probe.NAME, probe)
    assert (effect(clear_items), effect(Bag)) == (None, None)


def test_a_function_that_inspects_its_caller_still_finds_it():
    """`namedtuple` looks up the module of its caller. Because one argument is a list, the call goes through a probe."""
    modules = []

    def scenario():
        modules.append(collections.namedtuple("Point", ["x", "y"]).__module__)

    raddle.explore(scenario, source=[__name__], executions=1)
    assert set(modules) == {__name__}


def test_accesses_by_functions_without_probes_appear_in_the_trace():
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
