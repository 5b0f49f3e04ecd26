"""Every way to read a container is recorded as a read.

One thread moves an item from one container to another, and a second thread reads both containers. Between the two steps
of the move the item is in neither container. The search tries the reads at that point only if they are recorded,
because nothing else shows that the threads conflict.
"""

import copy
import io
import itertools
import json
import pickle
import pprint
import threading
import weakref
from array import array
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque

import pytest

import raddle


class Item:
    """An item that is hashable and supports weak references."""

    def __repr__(self):
        return "1"


ITEM = Item()


class Shelves(UserList):
    """A subclass of a standard container with an additional method."""

    def first(self):
        return self[0]


def explored(make, move, read):
    def scenario():
        one, other = make()
        seen = []
        mover = threading.Thread(target=move, args=(one, other))
        reader = threading.Thread(target=lambda: seen.append(read(one, other)))
        mover.start()
        reader.start()
        mover.join()
        reader.join()
        assert seen[0]

    return raddle.explore(scenario, source=[__file__], scheduler="exhaustive", executions=2_000)


def move_in_list(one, other):
    item = one.pop()
    other.append(item)


LISTS = {
    "+": lambda one, other: one + other,
    "*": lambda one, other: one * 2 or other * 2,
    "<": lambda one, other: (lambda box: box[0] > [] or box[1] > [])((one, other)),
    "< of locals": lambda one, other: one > [] or other > [],
    "==": lambda one, other: one == [ITEM] or other == [ITEM],
    "truth": lambda one, other: one or other,
    "in": lambda one, other: ITEM in one or ITEM in other,
    "unpacked": lambda one, other: [*one, *other],
    "comprehension": lambda one, other: [item for items in (one, other) for item in items],
    "f-string": lambda one, other: "1" in f"{one}{other}",
    "%": lambda one, other: "1" in "%s%s" % (one, other),  # noqa: UP031 -- the operator under test
    "% of one": lambda one, other: "1" in "%s" % one + "%s" % other,  # noqa: UP031
    "str.format": lambda one, other: "1" in "{}{}".format(one, other),  # noqa: UP032
    "slice": lambda one, other: one[:] + other[:],
    "len": lambda one, other: len(one) + len(other),
    "any of a display": lambda one, other: any([one, other]),
    "str of a tuple": lambda one, other: "1" in str((one, other)),
    "sorted": lambda one, other: sorted(one, key=id) + sorted(other, key=id),
    "chain": lambda one, other: list(itertools.chain(one, other)),
    "copy": lambda one, other: copy.copy(one) or copy.copy(other),
    "json": lambda one, other: "[1]" in json.dumps({"one": one, "other": [other]}, default=lambda item: 1),
    "pickle": lambda one, other: b"Item" in pickle.dumps((one, other)),
    "pprint": lambda one, other: "1" in pprint.pformat([one, other]),
}


@pytest.mark.parametrize("read", LISTS.values(), ids=LISTS)
def test_reads_of_a_list_are_recorded(read):
    assert explored(lambda: ([ITEM], []), move_in_list, read).findings


def numbers(items):
    return array("i", [1 for _ in items])


@pytest.mark.parametrize("kind", [list, deque, UserList, Shelves, numbers])
def test_len_of_any_sequence_is_recorded(kind):
    found = explored(lambda: (kind([ITEM]), kind([])), move_in_list, lambda one, other: len(one) or len(other))
    assert found.findings


def move_in_dict(one, other):
    other_value = one.pop("key")
    other["key"] = other_value


@pytest.mark.parametrize("kind", [dict, OrderedDict, Counter, UserDict, ChainMap, weakref.WeakValueDictionary])
@pytest.mark.parametrize(
    "read",
    [
        lambda one, other: "key" in one or "key" in other,
        lambda one, other: one.get("key") or other.get("key"),
        lambda one, other: len(one) + len(other),
        lambda one, other: list(one.items()) or list(other.items()),
    ],
    ids=["in", "get", "len", "items"],
)
def test_reads_of_a_mapping_are_recorded(kind, read):
    assert explored(lambda: (kind({"key": ITEM}), kind({})), move_in_dict, read).findings


def defaults(items):
    return defaultdict(int, items)


@pytest.mark.parametrize("kind", [dict, OrderedDict, Counter, UserDict, defaults])
def test_the_union_of_mappings_is_recorded_as_a_read(kind):
    assert explored(lambda: (kind({"key": 1}), kind({})), move_in_dict, lambda one, other: one | other).findings


def move_in_set(one, other):
    item = one.pop()
    other.add(item)


@pytest.mark.parametrize("kind", [set, weakref.WeakSet])
@pytest.mark.parametrize(
    "read",
    [
        lambda one, other: one | other,
        lambda one, other: one ^ other,
        lambda one, other: one.union(other),
        lambda one, other: ITEM in one or ITEM in other,
    ],
    ids=["|", "^", "union", "in"],
)
def test_reads_of_a_set_are_recorded(kind, read):
    assert explored(lambda: (kind([ITEM]), kind()), move_in_set, read).findings


class OwnList(list):
    def pop(self, *at):
        return super().pop(*at)

    def append(self, item):
        super().append(item)

    def __len__(self):
        return super().__len__()


class OwnDict(dict):
    def pop(self, key):
        return super().pop(key)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)

    def get(self, key):
        return super().get(key)


def test_reads_through_super_are_recorded():
    def length(one, other):
        return len(one) or len(other)

    assert explored(lambda: (OwnList([ITEM]), OwnList()), move_in_list, length).findings

    def get(one, other):
        return one.get("key") or other.get("key")

    assert explored(lambda: (OwnDict({"key": ITEM}), OwnDict()), move_in_dict, get).findings


def test_reads_through_counter_methods_are_recorded():
    def move(one, other):
        one.subtract({"key": 1})
        other.update({"key": 1})

    def read(one, other):
        return one.total() + other.total() if hasattr(one, "total") else sum(one.values()) + sum(other.values())

    assert explored(lambda: (Counter({"key": 1}), Counter()), move, read).findings


class Slotted:
    __slots__ = ("here", "there")

    def __init__(self):
        self.here, self.there = True, False


def test_copying_an_object_with_slots_is_recorded_as_a_read():
    def move(one, _):
        one.here = False
        one.there = True

    def read(one, _):
        copied = copy.copy(one)
        return copied.here or copied.there

    assert explored(lambda: (Slotted(), None), move, read).findings


def test_comparing_tuples_reads_the_containers_in_them():
    def read(one, other):
        return (1, one) == (1, [ITEM]) or (1, other) == (1, [ITEM])

    assert explored(lambda: ([ITEM], []), move_in_list, read).findings


def test_reads_of_a_string_buffer_are_recorded():
    def move(one, other):
        text = one.getvalue()
        one.truncate(0)
        other.write(text)

    found = explored(
        lambda: (io.StringIO("text"), io.StringIO()), move, lambda one, other: one.getvalue() + other.getvalue()
    )
    assert found.findings


def test_operators_on_numbers_are_not_scheduling_points():
    """Numbers are not containers, so an operator on them accesses no shared variable."""

    def scenario():
        numbers = {"one": 1, "two": 2}
        total = []
        threads = [threading.Thread(target=lambda: total.append(numbers["one"] + numbers["two"])) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert total[0] + total[1] == 6

    result = raddle.explore(scenario, source=[__file__], scheduler="exhaustive")
    assert result.outcome == "passed"
    assert result.executions == 2  # one for each order of the two appends
