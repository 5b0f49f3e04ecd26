from datetime import datetime, timedelta
from fractions import Fraction

import pytest

from raddle.generation.expressions import Callback, Container, Imported, Literal, Stub, Values
from raddle.generation.refinement import revealed
from raddle.generation.usage import Fact, Usage, Use


def error_of(code, **names):
    """Return the exception that an expression raises on this interpreter."""
    try:
        eval(code, names)
    except Exception as error:
        return error
    raise AssertionError(f"{code} raises nothing")


def test_arguments_of_other_types_are_not_to_blame():
    assert revealed(error_of("x.key", x=1), Literal("a")) == ()
    assert revealed(error_of("x()", x=1), Callback("f")) == ()
    assert revealed(KeyError("a"), Literal("a")) == ()


def test_an_item_of_a_container_can_be_to_blame():
    facts = revealed(error_of("[item.key for item in x]", x=[1]), Container("list", (Literal(1),)))
    assert facts == (Fact((), Use.ITERATED), Fact(("item",), Use.ATTRIBUTE, "key"))


def test_the_number_of_parts_is_known():
    def unpack(x):
        _a, _b = x

    facts = revealed(error_of("unpack('a')", unpack=unpack), Literal("a"))
    assert facts == (Fact((), Use.UNPACKED, 2),)


MISSING = AttributeError("'str' object has no attribute 'start'")


def test_what_a_callback_returns_may_be_to_blame():
    facts = revealed(MISSING, Callback("make", Literal("a")))
    assert facts == (Fact((), Use.CALLED), Fact(("result",), Use.ATTRIBUTE, "start"))


def test_an_attribute_of_a_stub_may_be_to_blame():
    facts = revealed(MISSING, Stub((("size", Literal(1)), ("player", Literal("a")))))
    assert facts == (Fact((), Use.ATTRIBUTE, "player"), Fact((".player",), Use.ATTRIBUTE, "start"))


@pytest.mark.parametrize("hashable", [False, True])
def test_a_stub_may_lack_an_attribute(hashable):
    stub = Stub((("size", Literal(1)),), hashable)
    facts = revealed(error_of("x.start", x=Values().of(stub)), stub)
    assert facts == (Fact((), Use.ATTRIBUTE, "start"),)


def test_a_stub_may_have_to_be_a_key():
    stub = Stub((("size", Literal(1)),))
    assert revealed(error_of("{x}", x=Values().of(stub)), stub) == (Fact((), Use.KEY),)


def test_an_instance_of_a_class_that_is_an_argument_may_be_to_blame():
    facts = revealed(error_of("x.start", x=Fraction(1)), Imported("fractions", "Fraction"))
    assert facts == (Fact((), Use.CALLED), Fact(("result",), Use.ATTRIBUTE, "start"))


def test_a_character_of_a_text_that_is_iterated_may_be_to_blame():
    facts = revealed(MISSING, Literal("ab"), Usage((Fact((), Use.ITERATED),)))
    assert facts == (Fact((), Use.ITERATED), Fact(("item",), Use.ATTRIBUTE, "start"))


@pytest.mark.parametrize("code", ["x < delta", "delta > x", "delta + x", "date - x"])
def test_the_other_operand_shows_the_type_that_suits(code):
    names = {"delta": timedelta(1), "date": datetime(2000, 1, 1)}
    (fact,) = revealed(error_of(code, x=1, **names), Literal(1))
    assert fact == Fact((), Use.INSTANCE, timedelta)
