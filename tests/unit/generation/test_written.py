import datetime
import decimal
import enum
import ipaddress
import re
import uuid
from collections import OrderedDict, deque

import pytest
from argument_classes import Color, Handle, Point, Settings

from raddle.generation.expressions import Container, Imported, Literal, New, Values
from raddle.generation.written import expression_of


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -3,
        2.5,
        float("inf"),
        "a",
        b"a",
        [1, "a", (2, None)],
        {"a": [1]},
        {1, 2},
        frozenset({"a"}),
        deque([1]),
        Color.RED,
        re.IGNORECASE | re.MULTILINE,
        Point(1, 2),
        Settings("a"),
        decimal.Decimal("1.5"),
        datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC),
        uuid.UUID(int=1),
        ipaddress.IPv4Address("10.0.0.1"),
        OrderedDict(a=1),
        range(3),
        len,
        Handle,
    ],
    ids=repr,
)
def test_a_value_is_written_and_evaluates_to_an_equal_one(value):
    expression = expression_of(value)
    assert expression is not None
    assert Values().of(expression) == value
    assert type(Values().of(expression)) is type(value)


def test_the_order_of_a_set_does_not_depend_on_hashes():
    assert expression_of({"b", "a"}) == Container("set", (Literal("a"), Literal("b")))


@pytest.mark.parametrize("value", [object(), Handle("a"), lambda: None, "a" * 1000, [object()]])
def test_other_values_are_not_written(value):
    assert expression_of(value) is None


def test_a_misleading_repr_is_not_believed():
    class Liar:
        def __repr__(self):
            return "range(0, 3)"

    assert expression_of(Liar()) is None


def test_members_of_an_enum_inside_a_function_are_not_written():
    assert expression_of(enum.Enum("Local", "A").A) is None


def test_the_caller_can_write_more_values():
    handle, expression = Handle("a"), New(Imported("argument_classes", "Handle"), (Literal("a"),))

    def known(value):
        return expression if value is handle else None

    assert expression_of([handle], known=known) == Container("list", (expression,))
