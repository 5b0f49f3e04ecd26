import enum
import inspect
import typing
from dataclasses import dataclass

import pytest
from argument_classes import Handle, Options, Shop
from hypothesis import strategies
from hypothesis.strategies import register_type_strategy

from raddle.generation.expressions import Container, Imported, Literal, New, Values
from raddle.generation.guesser import Guesser
from raddle.generation.strategy_values import from_registered_strategy, is_constrained
from raddle.generation.surface import Method, MethodKind, Parameter
from raddle.generation.usage import Fact, Usage, Use

METHOD = Method("take", MethodKind.METHOD, Imported("argument_classes", "Shop"))
Small = typing.Annotated[int, strategies.integers(5, 6)]
ArticleNumber = typing.NewType("ArticleNumber", int)


class Money:
    """Its objects are compared by identity, and their text is the call that creates them."""

    def __init__(self, currency: str) -> None:
        if len(currency) != 3:
            raise ValueError(currency)  # the own guesses for texts never work
        self.currency = currency

    def __repr__(self) -> str:
        return f"Money({self.currency!r})"


@dataclass
class Price:
    money: Money
    amount: int


class Opaque:
    """Source cannot spell its objects."""

    def __init__(self, number: int) -> None:
        self.number = number


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


# The classes belong to this module, so other tests do not notice that there are strategies for them.
register_type_strategy(Money, strategies.sampled_from(["EUR", "USD"]).map(Money))
register_type_strategy(Opaque, strategies.builds(Opaque, strategies.integers(5, 9)))
register_type_strategy(Size, strategies.just(Size.LARGE))
register_type_strategy(ArticleNumber, strategies.integers(1000, 1001))


def for_hint(hint, default=inspect.Parameter.empty):
    parameter = Parameter("thing", inspect.Parameter.POSITIONAL_OR_KEYWORD, hint, default)
    return [guess.expression for guess in Guesser(Shop).parameter(METHOD, parameter)]


def new(name, *arguments):
    return New(Imported(__name__, name), arguments)


def test_a_registered_strategy_supplies_the_values_of_a_class():
    assert for_hint(Money) == [new("Money", Literal("EUR")), new("Money", Literal("USD"))]


def test_a_registered_strategy_supplies_the_arguments_of_other_classes():
    first = for_hint(Price)[0]
    assert first.arguments[0] == new("Money", Literal("EUR"))
    assert Values().of(first).money.currency == "EUR"


def test_a_registered_strategy_of_a_new_type_or_an_enumeration_is_used():
    assert for_hint(ArticleNumber) == [Literal(1000), Literal(1001)]
    assert for_hint(Size) == [Imported(__name__, "Size.LARGE")]


def test_the_constructor_is_guessed_if_source_cannot_spell_the_values_of_a_strategy():
    assert from_registered_strategy(Opaque) == []
    assert new("Opaque", Literal(1)) in for_hint(Opaque)


def test_classes_without_a_strategy_of_the_user_are_not_created_by_hypothesis():
    assert from_registered_strategy(Handle) == []
    assert from_registered_strategy(int) == []  # a strategy of Hypothesis itself; small pools let threads collide


def test_a_strategy_in_the_metadata_of_a_hint_supplies_the_values():
    assert for_hint(Small) == [Literal(5), Literal(6)]
    assert for_hint(list[Small])[0] == Container("list", (Literal(5),))
    assert set(for_hint(Small | None)) == {Literal(5), Literal(6), Literal(None)}
    assert for_hint(Small, default=3) == [Literal(5), Literal(6), Literal(3)]  # 3 contradicts the hint, but is allowed


def test_other_metadata_are_ignored():
    assert for_hint(typing.Annotated[bool, "on or off"]) == for_hint(bool)


def test_errors_overrule_constraints():
    parameter = Parameter("thing", inspect.Parameter.POSITIONAL_OR_KEYWORD, Small)
    found = Guesser(Shop).parameter(METHOD, parameter, Usage((Fact((), Use.INSTANCE, str),)))
    assert Literal("a") in [guess.expression for guess in found]


def test_constraints_of_annotated_types_hold():
    annotated_types = pytest.importorskip("annotated_types")
    found = [one.value for one in for_hint(typing.Annotated[int, annotated_types.Gt(5)])]
    assert found
    assert all(value > 5 for value in found)
    assert is_constrained(typing.Annotated[str, annotated_types.Len(2, 3)])
    assert {len(one.value) for one in for_hint(typing.Annotated[str, annotated_types.Len(2, 3)])} <= {2, 3}


def test_a_typed_dict_is_a_dictionary_with_the_required_keys():
    first, second = for_hint(Options)
    assert first == Container("dict", (Literal("name"), Literal("a"), Literal("size"), Literal(1)))
    assert second == Container("dict", (Literal("name"), Literal("b"), Literal("size"), Literal(2)))
