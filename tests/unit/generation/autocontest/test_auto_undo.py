"""Tests of `raddle.generation.autocontest.undo`."""

from __future__ import annotations

from collections import OrderedDict, deque

from raddle.generation.autocontest.fingerprint import state_of
from raddle.generation.autocontest.undo import Undo


class Box:
    def __init__(self, **parts):
        self.__dict__.update(parts)


class Slots:
    __slots__ = ("empty", "full")

    def __init__(self):
        self.full = 1


class Key:
    hashed = 0

    def __hash__(self):
        Key.hashed += 1
        return 1


def undo_for(box):
    return Undo(box, state_of(box))


def test_containers_are_restored_in_place():
    parts = {
        "list": [1], "dict": {"a": 1}, "set": {1}, "deque": deque([1]), "bytes": bytearray(b"a"),
        "ordered": OrderedDict(a=1, b=2), "inner": Box(n=1),
    }  # fmt: skip
    box = Box(**parts)
    before, undo = state_of(box), undo_for(box)
    box.list.append(2)
    box.dict.clear()
    box.set.add(2)
    box.deque.appendleft(0)
    box.bytes += b"b"
    box.ordered.move_to_end("a")
    box.inner.n = 2
    box.new = 1
    assert undo.restore()
    assert box.__dict__ == parts
    assert all(box.__dict__[name] is part for name, part in parts.items())
    assert list(box.ordered) == ["a", "b"]
    assert state_of(box).fingerprint == before.fingerprint


def test_a_state_can_be_restored_several_times():
    box = Box(items=[1])
    undo = undo_for(box)
    for _ in range(2):
        box.items.append(2)
        assert undo.restore()
        assert box.items == [1]


def test_replaced_objects_are_restored_with_their_contents():
    items = [1]
    box = Box(items=items)
    undo = undo_for(box)
    items.append(2)
    box.items = []
    assert undo.restore()
    assert (box.items, box.items is items) == ([1], True)


def test_slots_are_restored():
    box = Slots()
    undo = undo_for(box)
    box.full, box.empty = 2, 3
    assert undo.restore()
    assert (box.full, hasattr(box, "empty")) == (1, False)


def test_closures_are_restored():
    def counter():
        n = 0

        def count():
            nonlocal n
            n += 1
            return n

        return count

    box = Box(count=counter())
    undo = undo_for(box)
    assert (box.count(), box.count()) == (1, 2)
    assert undo.restore()
    assert box.count() == 1


def test_objects_with_hidden_state_are_compared():
    box = Box(iterator=iter([1, 2]), n=1)
    undo = undo_for(box)
    box.n = 2
    assert undo.restore()  # the iterator has not changed
    next(box.iterator)
    assert not undo.restore()


def test_no_code_runs_to_restore_a_dictionary():
    box = Box(items={Key(): 1})
    undo = undo_for(box)
    hashed = Key.hashed
    box.n = 1
    assert undo.restore()
    box.items.clear()
    assert not undo.restore()
    assert Key.hashed == hashed
