from __future__ import annotations

from collections import OrderedDict, deque

import pytest

from raddle.linearizability.comparison import Forms
from raddle.linearizability.description import MAX_LINES, CallNames, sentence, table, value_text
from raddle.linearizability.history import PENDING, Ending, EndingKind, History
from raddle.linearizability.judgment import Oracle, Violation
from raddle.linearizability.legal import LegalHistories

NAMES = CallNames((("s.pop()",), ("s.size()",)), ("s.items",), ("s.is_sane()",))


def returned(value):
    return Ending(EndingKind.RETURNED, Forms().of(value))


def history(one, other, state=0, broken=()):
    return History(((one,), (other,)), (returned(state),), broken)


LEGAL = LegalHistories((history(returned(1), returned(1)), history(returned(1), returned(0))))
ILLEGAL = history(returned(None), returned(1))


@pytest.mark.parametrize(
    ("violation", "text"),
    [
        (
            Violation(Oracle.EXCEPTIONS, history(Ending(EndingKind.RAISED, "shop.Full"), returned(1)), ((0, 0),)),
            "s.pop() raised Full, which no order of whole calls does",
        ),
        (
            Violation(Oracle.HANGS, history(PENDING, PENDING), ((0, 0), (1, 0))),
            "s.pop() and s.size() never ended, which happens in no order of whole calls",
        ),
        (
            Violation(Oracle.RESULTS, ILLEGAL),
            "the results of s.pop() and s.size() are none of the 2 that whole calls give",
        ),
        (Violation(Oracle.STATE, ILLEGAL), "the results and the final state are none of the 2 that whole calls give"),
        (
            Violation(Oracle.INVARIANTS, history(returned(1), returned(1), broken=(0,))),
            "s.is_sane() does not hold, although it holds after every order of whole calls",
        ),
    ],
)
def test_one_sentence_says_what_went_wrong(violation, text):
    assert sentence(violation, LEGAL, NAMES) == text


def test_the_table_lists_the_legal_outcomes():
    assert table(Violation(Oracle.RESULTS, ILLEGAL), LEGAL, NAMES).splitlines() == [
        "whole calls give one of these:",
        "  s.pop() -> 1, s.size() -> 1",
        "  s.pop() -> 1, s.size() -> 0",
        "this execution gave:",
        "  s.pop() -> None, s.size() -> 1",
    ]


def test_the_table_shows_the_state_if_it_matters():
    legal = LegalHistories((history(returned(1), returned(1), state=2),))
    assert table(Violation(Oracle.STATE, ILLEGAL), legal, NAMES).splitlines() == [
        "whole calls give:",
        "  s.pop() -> 1, s.size() -> 1; then s.items -> 2",
        "this execution gave:",
        "  s.pop() -> None, s.size() -> 1; then s.items -> 0",
    ]


def test_a_long_table_is_cut():
    legal = LegalHistories(tuple(history(returned(1), returned(number)) for number in range(MAX_LINES + 3)))
    lines = table(Violation(Oracle.RESULTS, ILLEGAL), legal, NAMES).splitlines()
    assert lines[MAX_LINES + 1] == "  ... and 3 more"


def test_results_that_vary_are_marked():
    legal = LegalHistories((history(returned(None), returned(1)),), frozenset({(0, 0)}))
    assert "  s.pop() -> (varies), s.size() -> 1" in table(Violation(Oracle.RESULTS, ILLEGAL), legal, NAMES)


def test_numbers_of_objects_are_explained():
    def handed_out(one, other):
        forms = Forms()
        return History(((Ending(EndingKind.RETURNED, forms.of(one)),), (Ending(EndingKind.RETURNED, forms.of(other)),)))

    node = Node()
    legal = LegalHistories((handed_out(node, node),))
    assert table(Violation(Oracle.RESULTS, handed_out(Node(), Node())), legal, NAMES).splitlines() == [
        "whole calls give:",
        "  s.pop() -> <Node 1>, s.size() -> <Node 1>",
        "this execution gave:",
        "  s.pop() -> <Node 1>, s.size() -> <Node 2>",
        "(objects with the same number are the same object, others are different objects)",
    ]


def test_objects_that_are_compared_are_shown_with_their_attributes():
    assert value_text(Forms().of([Point(1, Point(2, Point(3, None)))])) == "[Point(x=1, y=Point(x=2, y=<Point>))]"


def test_a_remark_tells_unequal_objects_with_the_same_text_apart():
    legal = LegalHistories((history(returned(Opaque()), returned(1)),))
    lines = table(Violation(Oracle.RESULTS, history(returned(Opaque()), returned(1))), legal, NAMES).splitlines()
    assert lines[1] == lines[3] == "  s.pop() -> <Opaque>, s.size() -> 1"
    assert lines[4] == "(the lines are equal, but s.pop() returned an object that is not equal)"


def test_unequal_objects_with_the_same_text_count_as_two_outcomes():
    legal = LegalHistories(tuple(history(returned(Opaque()), returned(1)) for _ in range(2)))
    assert sentence(Violation(Oracle.RESULTS, ILLEGAL), legal, NAMES).endswith(
        "are none of the 2 that whole calls give"
    )


class Node:
    pass


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)


class Opaque:
    __slots__ = ()

    def __eq__(self, other):
        return self is other


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("a", "'a'"),
        ([1, "b"], "[1, 'b']"),
        ((1,), "(1,)"),
        ({2, 1}, "{1, 2}"),
        (set(), "set()"),
        ({"a": [1]}, "{'a': [1]}"),
        (deque([1]), "deque([1])"),
        (OrderedDict(a=1), "{'a': 1}"),
        (Node(), "<Node 1>"),
        (KeyError("x"), "KeyError"),
        (len, "len"),
        ("x" * 100, "'" + "x" * 56 + "..."),
    ],
)
def test_values_are_shown_as_readers_write_them(value, text):
    assert value_text(Forms().of(value)) == text


def test_long_values_are_shown_completely_if_their_beginnings_are_equal():
    common = "a" * 100
    legal = LegalHistories((history(returned(common + "b"), returned(0)),))
    lines = table(Violation(Oracle.RESULTS, history(returned(common + "c"), returned(0))), legal, NAMES).splitlines()
    assert lines[1] == f"  s.pop() -> '{common}b', s.size() -> 0"
    assert lines[3] == f"  s.pop() -> '{common}c', s.size() -> 0"
    assert len(lines) == 4  # no remark
    short = table(Violation(Oracle.RESULTS, history(returned("c" * 100), returned(0))), legal, NAMES).splitlines()
    assert short[1] == f"  s.pop() -> '{'a' * 56}..., s.size() -> 0"  # 60 characters, with the quote and the dots
