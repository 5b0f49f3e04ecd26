from __future__ import annotations

from functools import partial

import pytest
from shared_objects import Stack

from raddle.linearizability.call_names import LONGEST, call_name

TWO_ON_ONE_LINE = [lambda s: s.pop(), lambda s: s.push(1)]
NESTED = lambda s: list(map(lambda item: item + 1, s.items))  # noqa: E731, C417 -- a lambda in a lambda
LONG = lambda s: s.push("a value whose text is much longer than any message can reasonably show")  # noqa: E731
SPLIT = [
    lambda s: s.push(
        1,
    )
]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda stack: stack.pop(), "stack.pop()"),
        (TWO_ON_ONE_LINE[0], "s.pop()"),
        (TWO_ON_ONE_LINE[1], "s.push(1)"),
        (lambda s: s.items[0], "s.items[0]"),
        (lambda s: 1 in s.items, "1 in s.items"),
        (NESTED, "list(map(lambda item: item + 1, s.items))"),
        (SPLIT[0], "s.push( 1, )"),
        (Stack.pop, "pop()"),
        (len, "len()"),
        (partial(Stack.push, 1), "push()"),
        (eval("lambda s: s.pop()"), "lambda"),  # without source
    ],
)
def test_a_call_is_named_after_its_source(call, name):
    assert call_name(call) == name


def test_long_names_are_shortened():
    assert len(call_name(LONG)) == LONGEST
    assert call_name(LONG).endswith("...")
