"""Every way of looking into a container is seen: one thread moves an item from one to another, and another one looks.

Between the two steps of the move the item is nowhere. Who looks then must be able to see that, however it looks:
nothing but what it looks at tells that the two threads have anything to do with each other.
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
    """Something that can be in a set, and be referred to weakly."""

    def __repr__(self):
        return "1"


ITEM = Item()


class Shelves(UserList):
    """A container of the standard library's with something of its own."""

    def first(self):
        return self[0]


def explored(make, move, look):
    def scenario():
        one, other = make()
        seen = []
        moving = threading.Thread(target=move, args=(one, other))
        looking = threading.Thread(target=lambda: seen.append(look(one, other)))
        moving.start()
        looking.start()
        moving.join()
        looking.join()
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
    "%": lambda one, other: "1" in "%s%s" % (one, other),  # noqa: UP031 -- what is asked
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


@pytest.mark.parametrize("look", LISTS.values(), ids=LISTS)
def test_a_list_is_looked_into(look):
    assert explored(lambda: ([ITEM], []), move_in_list, look).findings


def numbers(items):
    return array("i", [1 for _ in items])


@pytest.mark.parametrize("kind", [list, deque, UserList, Shelves, numbers])
def test_items_in_a_row(kind):
    found = explored(lambda: (kind([ITEM]), kind([])), move_in_list, lambda one, other: len(one) or len(other))
    assert found.findings


def move_in_dict(one, other):
    other_value = one.pop("key")
    other["key"] = other_value


@pytest.mark.parametrize("kind", [dict, OrderedDict, Counter, UserDict, ChainMap, weakref.WeakValueDictionary])
@pytest.mark.parametrize(
    "look",
    [
        lambda one, other: "key" in one or "key" in other,
        lambda one, other: one.get("key") or other.get("key"),
        lambda one, other: len(one) + len(other),
        lambda one, other: list(one.items()) or list(other.items()),
    ],
    ids=["in", "get", "len", "items"],
)
def test_items_by_key(kind, look):
    assert explored(lambda: (kind({"key": ITEM}), kind({})), move_in_dict, look).findings


def defaults(made):
    return defaultdict(int, made)


@pytest.mark.parametrize("kind", [dict, OrderedDict, Counter, UserDict, defaults])
def test_mappings_combined(kind):
    assert explored(lambda: (kind({"key": 1}), kind({})), move_in_dict, lambda one, other: one | other).findings


def move_in_set(one, other):
    item = one.pop()
    other.add(item)


@pytest.mark.parametrize("kind", [set, weakref.WeakSet])
@pytest.mark.parametrize(
    "look",
    [
        lambda one, other: one | other,
        lambda one, other: one ^ other,
        lambda one, other: one.union(other),
        lambda one, other: ITEM in one or ITEM in other,
    ],
    ids=["|", "^", "union", "in"],
)
def test_items_of_a_set(kind, look):
    assert explored(lambda: (kind([ITEM]), kind()), move_in_set, look).findings


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


def test_by_way_of_the_class_above():
    def look(one, other):
        return len(one) or len(other)

    assert explored(lambda: (OwnList([ITEM]), OwnList()), move_in_list, look).findings

    def get(one, other):
        return one.get("key") or other.get("key")

    assert explored(lambda: (OwnDict({"key": ITEM}), OwnDict()), move_in_dict, get).findings


def test_methods_of_counters():
    def move(one, other):
        one.subtract({"key": 1})
        other.update({"key": 1})

    def look(one, other):
        return one.total() + other.total() if hasattr(one, "total") else sum(one.values()) + sum(other.values())

    assert explored(lambda: (Counter({"key": 1}), Counter()), move, look).findings


class Slotted:
    __slots__ = ("here", "there")

    def __init__(self):
        self.here, self.there = True, False


def test_a_copy_of_an_object_with_slots():
    def move(one, _):
        one.here = False
        one.there = True

    def look(one, _):
        seen = copy.copy(one)
        return seen.here or seen.there

    assert explored(lambda: (Slotted(), None), move, look).findings


def test_containers_in_tuples_that_are_compared():
    def look(one, other):
        return (1, one) == (1, [ITEM]) or (1, other) == (1, [ITEM])

    assert explored(lambda: ([ITEM], []), move_in_list, look).findings


def test_text_in_memory():
    def move(one, other):
        text = one.getvalue()
        one.truncate(0)
        other.write(text)

    found = explored(
        lambda: (io.StringIO("text"), io.StringIO()), move, lambda one, other: one.getvalue() + other.getvalue()
    )
    assert found.findings


def test_numbers_are_not_containers():
    """Nothing is learnt from operators on numbers."""

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
    assert result.executions == 2  # who appends first
