import pytest

from raddle.generation.expressions import Callback, Container, Literal
from raddle.generation.refinement import revealed
from raddle.generation.usage import Fact, Use


def error_of(code, **names):
    """Return the exception that an expression raises on this interpreter."""
    try:
        eval(code, names)
    except Exception as error:
        return error
    raise AssertionError(f"{code} raises nothing")


@pytest.mark.parametrize(
    ("code", "use"),
    [
        ("x.key", Use.ATTRIBUTE),
        ("x()", Use.CALLED),
        ("[*x]", Use.ITERATED),
        ("1 in x", Use.CONTAINER),
        ("x[0]", Use.INDEXED),
        ("dict(**x)", Use.MAPPING),
        ("x < 'a'", Use.ORDERED),
        ("x + 'a'", Use.ARITHMETIC),
        ("''.join([x])", Use.INSTANCE),
        ("b''.join([x])", Use.INSTANCE),
        ("print(*x)", Use.ITERATED),
    ],
)
def test_the_message_of_the_interpreter_reveals_a_use(code, use):
    facts = revealed(error_of(code, x=1), Literal(1))
    assert [fact.use for fact in facts] == [use]


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
