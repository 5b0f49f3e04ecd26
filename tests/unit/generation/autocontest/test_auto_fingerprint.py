"""Tests of `raddle.generation.autocontest.fingerprint`."""

from __future__ import annotations

import io
import itertools
import threading
import weakref
from collections import OrderedDict, defaultdict, deque
from decimal import Decimal
from functools import partial

import pytest

from raddle.generation.autocontest.fingerprint import fingerprint, paths


class Box:
    def __init__(self, value: object = None) -> None:
        self.value = value


class Slots:
    __slots__ = ("x", "y")


class Hostile:
    """Every method of the class that a careless comparison could call raises an exception."""

    def __init__(self) -> None:
        object.__setattr__(self, "n", 1)

    def _fail(self, *_: object) -> object:
        raise AssertionError("code of the program was run")

    __eq__ = __getattribute__ = __setattr__ = __repr__ = __len__ = __iter__ = __reduce__ = _fail  # type: ignore[assignment]

    def __hash__(self) -> int:
        return 1


def filled_slots(x: int) -> Slots:
    slots = Slots()
    slots.x = x
    return slots


def advanced(iterator: object, times: int) -> object:
    for _ in range(times):
        next(iterator)  # type: ignore[call-overload]
    return iterator


DIFFERENT = [
    (1, 2), (1, True), (1, 1.0), (0.0, -0.0), ("1", 1), (None, ()), ([1], (1,)), ([1, 2], [2, 1]), ({1}, {2}),
    ({1: 2}, {1: 3}), ({1: 2, 3: 4}, {3: 4, 1: 2}), (Box(1), Box(2)), (filled_slots(1), filled_slots(2)),
    (Slots(), filled_slots(1)), (Decimal("1.0"), Decimal("1.00")), (io.BytesIO(b"a"), io.BytesIO(b"b")),
    (deque([1]), [1]), (defaultdict(int), defaultdict(list)), (OrderedDict(a=1), {"a": 1}), (len, max), (Box, Slots),
    (partial(int, 1), partial(int, 2)), (Box(1).__init__, Box(2).__init__), (bytearray(b"a"), bytearray(b"b")),
    (advanced(iter([1, 2]), 0), advanced(iter([1, 2]), 1)),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_states_have_different_fingerprints(one, other):
    assert fingerprint(Box(one)) != fingerprint(Box(other))


@pytest.mark.parametrize(
    "make",
    [
        lambda: [1, "a", 2.5, None, b"x", (1, {2: [3]})], lambda: {"a", "b", 1, (2, 3)}, lambda: Box(Box([1])),
        lambda: filled_slots(1), lambda: Decimal("1.5"), lambda: io.BytesIO(b"a"), lambda: iter([1, 2]), Hostile,
        lambda: {Hostile()}, threading.Lock, threading.RLock, threading.Condition, threading.Event,
        lambda: (lambda: 1), lambda: weakref.ref(Box), lambda: float("nan"),
    ],
)  # fmt: skip
def test_equal_states_of_different_objects_have_the_same_fingerprint(make):
    assert fingerprint(Box(make())) == fingerprint(Box(make()))


def test_sharing_and_cycles_are_part_of_the_state():
    inner: list[object] = []
    assert fingerprint([inner, inner]) != fingerprint([[], []])
    one, other = Box(), Box()
    one.value, other.value = one, other
    assert fingerprint(one) == fingerprint(other) != fingerprint(Box(Box()))


def test_a_lock_counts_only_as_held_or_free():
    one, other = threading.RLock(), threading.RLock()
    one.acquire()
    assert fingerprint(one) != fingerprint(other)
    other.acquire()
    other.acquire()
    assert fingerprint(one) == fingerprint(other)


def test_weak_references_are_left_out():
    kept, other = Box(1), Box(2)
    assert fingerprint(Box(weakref.ref(kept))) == fingerprint(Box(weakref.ref(other)))


def test_ids_of_parts_of_the_state_are_not_compared_as_numbers():
    def registry() -> list[object]:
        box = Box(1)
        return [box, {id(box): 2}]

    kept = registry(), registry()
    assert fingerprint(kept[0]) == fingerprint(kept[1])


def test_an_object_that_cannot_be_read_differs_from_every_other():
    generator = itertools.chain.from_iterable(x for x in ([1], [2]))
    box = Box(generator)
    assert fingerprint(box) != fingerprint(box)


def test_long_chains_do_not_exhaust_the_stack():
    chain: Box = Box()
    for _ in range(5_000):
        chain = Box(chain)
    assert len(fingerprint(chain)) == 16


def test_paths_name_attributes_items_and_keys():
    box = Box({"a": [Box(1), Box(2)], 3: filled_slots(4)})
    found = paths(box)
    assert found.of(box) == ""
    assert found.of(box.value["a"][1]) == ".value['a'][1]"  # type: ignore[index]
    assert found.of(box.value[3]) == ".value[3]"  # type: ignore[index]
    assert found.of(Box()) is None
