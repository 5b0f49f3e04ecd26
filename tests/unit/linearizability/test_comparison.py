from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from enum import Enum

import pytest

from raddle.linearizability.comparison import Comparable, Forms, Unordered, qualified_name


def form(value):
    return Forms().of(value)


class Plain:
    pass


@dataclass(frozen=True)
class Point:
    x: int


class Color(Enum):
    RED = 1


Pair = namedtuple("Pair", "left right")


class Hostile:
    """Fails whatever is done to it."""

    def __eq__(self, other):
        raise ValueError("no comparison")

    __hash__ = None

    def __repr__(self):
        raise ValueError("no text")

    def __bool__(self):
        raise ValueError("no truth")

    @property
    def __class__(self):
        raise ValueError("no class")

    @__class__.setter
    def __class__(self, value):
        raise ValueError("no class")


class ProudMeta(type):
    """The classes of this metaclass are equal to everything."""

    def __eq__(cls, other):
        raise ValueError("no comparison of classes")

    __hash__ = type.__hash__


class Proud(metaclass=ProudMeta):
    pass


class Liar(tuple):
    """A tuple whose iterator runs code."""

    def __iter__(self):
        raise ValueError("no iteration")


@pytest.mark.parametrize(
    "value",
    [
        None,
        0,
        True,
        1.5,
        2j,
        "a",
        b"a",
        ...,
        [1, [2]],
        (1, "a"),
        {1, 2},
        frozenset("ab"),
        {"a": [1]},
        deque([1]),
        bytearray(b"a"),
        OrderedDict(a=1),
        defaultdict(int, a=1),
        Counter("aab"),
        {"a": 1}.keys(),
        {"a": 1}.items(),
        Pair(1, 2),
        len,
        dict,
        Point(3),
        Color.RED,
    ],
    ids=lambda value: type(value).__name__,
)
def test_equal_values_have_equal_forms(value):
    assert form(value) == form(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        ("a", "b"),
        ([1], [2]),
        ([1], (1,)),
        ({1}, {2}),
        ({"a": 1}, {"a": 2}),
        (Point(1), Point(2)),
        (None, 0),
        (Pair(1, 2), (1, 2)),
        (KeyError("a"), IndexError("a")),
        (len, repr),
        ([1], [1, 1]),
    ],
)
def test_different_values_have_different_forms(one, other):
    assert form(one) != form(other)


def test_objects_without_equality_are_numbered_in_the_order_in_which_they_appear():
    one, other = Plain(), Plain()
    assert form([one, other, one]) == ("list", ("object", "Plain", 1), ("object", "Plain", 2), ("object", "Plain", 1))
    # Another execution creates other objects, but the same pattern of identities.
    assert form([one, other, one]) == form([other, one, other]) != form([one, one, one])


@pytest.mark.parametrize("kind", [list, dict, set, deque, bytearray, Hostile], ids=lambda kind: kind.__name__)
def test_a_mutable_value_is_distinguished_from_an_equal_copy(kind):
    one, other = kind(), kind()
    assert form((one, one)) == form((other, other)) != form((one, other))


def test_equal_values_that_cannot_change_are_not_distinguished():
    one, other = Point(1), Point(1)
    assert form((one, one)) == form((one, other))
    word, copy = "".join(["a", "b"]), "".join(["a", "b"])
    assert word is not copy
    assert form((word, word)) == form((word, copy))


def test_the_order_of_mutable_values_in_a_mapping_does_not_matter():
    one, other = [], []
    assert form([{"a": one, "b": other}, one]) == form([{"b": other, "a": one}, one])
    assert form([one, other, {"a": one, "b": other}]) == form([one, other, {"b": other, "a": one}])
    assert form([one, other, {"a": one}]) != form([one, other, {"a": other}])


def test_the_order_of_a_set_does_not_matter_even_if_it_depends_on_addresses():
    objects = [Plain() for _ in range(20)]
    backwards = objects[::-1]
    one, other = Forms(), Forms()
    # The objects in the set are not numbered, so the next object has the number 1 in both executions.
    assert [one.of(set(objects)), one.of(objects[0])] == [other.of(set(backwards)), other.of(objects[7])]


def test_sets_of_objects_with_equality_are_compared_without_order():
    class Bad(Point):
        __hash__ = lambda self: 1  # noqa: E731 -- all in one bucket, so the set yields them in order of insertion

    items = [Bad(1), Bad(2), Bad(3)]
    backwards = items[::-1]
    assert list(set(items)) != list(set(backwards))
    assert form(set(items)) == form(set(backwards))
    assert form(set(items)) != form({*items[:2], Bad(4)})


def test_multisets_are_equal_only_if_each_item_has_a_partner():
    # All items have the same repr, so sorting does not bring equal ones together.
    assert Unordered(map(Comparable, [Point(1), Point(2)])) == Unordered(map(Comparable, [Point(2), Point(1)]))
    assert Unordered(map(Comparable, [Point(1), Point(1)])) != Unordered(map(Comparable, [Point(1), Point(2)]))


def test_addresses_in_texts_are_left_out():
    assert form("<Plain object at 0x7f12ab>") == form("<Plain object at 0x7fffff>") != form("<Other object at 0x1>")


def test_floats_are_compared_with_two_digits():
    # Reading the virtual clock advances it by a microsecond.
    assert form(12.000001) == form(12.000002) != form(12.01)
    assert form(float("nan")) == form(float("nan"))
    assert form(float("inf")) != form(float("-inf"))


def test_no_code_of_the_value_runs_while_a_form_is_created():
    for value in (Hostile(), [Hostile()], {"a": Hostile()}, Proud, Proud(), Liar((1, 2))):
        form(value)


def test_keys_of_dictionaries_are_not_looked_up():
    class Key:
        armed = False

        def __hash__(self):
            assert not self.armed
            return 1

    key = Key()
    value = {key: 1}
    Key.armed = True
    assert form(value)[0] == "dict"


def test_values_that_cannot_be_compared_cannot_be_told_apart():
    assert form(Hostile()) == form(Hostile())
    assert form(Hostile()) != form(Point(1))


def test_the_shared_object_is_recognized():
    stack = Plain()
    assert Forms(stack).of(stack) == Forms(stack).of(stack) != Forms(stack).of(Plain())
    assert Forms(stack).of([stack]) != Forms(stack).of(["the shared object"])


def test_cyclic_containers_have_a_form():
    items = []
    items.append(items)
    assert form(items) == form(items)


def test_classes_are_named_with_their_module():
    assert qualified_name(KeyError) == "KeyError"
    assert qualified_name(Point).endswith("test_comparison.Point")
