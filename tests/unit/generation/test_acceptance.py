import inspect
import typing

import pytest
from argument_classes import Closable, Handle, MemoryStore, Shop, SmallShop, Store

from raddle.generation.acceptance import Acceptance, acceptance
from raddle.generation.surface import Parameter
from raddle.generation.usage import Fact, Usage, Use


def answer(hint, kind, *facts):
    parameter = Parameter("thing", inspect.Parameter.POSITIONAL_OR_KEYWORD, hint)
    return acceptance(parameter, Usage(tuple(facts)), kind)


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        (Shop, Shop),
        (Shop, SmallShop),
        (Shop | None, Shop),
        ("Shop", SmallShop),
        (Store, MemoryStore),
        (Closable, Handle),
    ],
)
def test_hints_that_accept_an_object(hint, kind):
    assert answer(hint, kind) is Acceptance.YES


def test_hints_that_do_not():
    assert answer(SmallShop, Shop) is Acceptance.NO
    assert answer(int, Shop) is Acceptance.NO
    assert answer(Closable, Shop) is Acceptance.NO  # it has no method `close`


def test_without_hint_the_usage_decides():
    empty = inspect.Parameter.empty
    assert answer(empty, Shop) is answer(typing.Any, Shop) is Acceptance.MAYBE
    assert answer(empty, Handle, Fact((), Use.ATTRIBUTE, "close")) is Acceptance.YES
    assert answer(empty, Shop, Fact((), Use.ATTRIBUTE, "close")) is Acceptance.NO
    assert answer(empty, Shop, Fact((), Use.CALLED)) is Acceptance.NO
    assert answer(empty, Shop, Fact((), Use.ARITHMETIC)) is Acceptance.NO
    assert answer(empty, dict, Fact((), Use.ITERATED)) is Acceptance.YES
    assert answer(empty, dict, Fact((), Use.KEY)) is Acceptance.NO  # not hashable


@pytest.mark.parametrize(
    ("default", "accepts_shop", "accepts_text"),
    [(None, True, True), (False, False, False), (3, False, False), ("a", False, True), (len, False, False)],
)
def test_an_object_must_suit_the_default_value(default, accepts_shop, accepts_text):
    parameter = Parameter("thing", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
    for kind, accepts in (Shop, accepts_shop), (str, accepts_text):
        assert acceptance(parameter, Usage(), kind) is (Acceptance.MAYBE if accepts else Acceptance.NO)


def test_a_flag_accepts_no_objects():
    empty = inspect.Parameter.empty
    assert answer(empty, Shop, Fact((), Use.CONDITION)) is Acceptance.NO
    assert answer(empty, Shop, Fact((), Use.CONDITION), Fact((), Use.PASSED, "print")) is Acceptance.MAYBE


def test_a_type_variable_says_as_much_as_its_bound():
    shops, anything = typing.TypeVar("shops", bound=Shop), typing.TypeVar("anything")
    either = typing.TypeVar("either", Handle, Shop)
    assert answer(shops, SmallShop) is answer(either, Shop) is Acceptance.YES
    assert answer(shops, Handle) is answer(either, MemoryStore) is Acceptance.NO
    assert answer(anything, Shop) is Acceptance.MAYBE
    assert answer(anything, dict, Fact((), Use.KEY)) is Acceptance.NO  # not hashable
