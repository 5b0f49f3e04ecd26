import ast

import pytest

from raddle.generation.usage import Fact, Forward, Usage, Use
from raddle.generation.usage_reader import uses_in


def usage(body):
    """Return how a function with this body uses its parameter `p`."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    function = ast.parse(f"def f(self, p):\n{lines}").body[0]
    return Usage(tuple(uses_in(function, {"p": [()]})))


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("p(1)", Use.CALLED),
        ("for x in p: pass", Use.ITERATED),
        ("[x for x in p]", Use.ITERATED),
        ("sorted(p)", Use.ITERATED),
        ("g(*p)", Use.ITERATED),
        ("a, b = p", Use.UNPACKED),
        ("p[0]", Use.INDEXED),
        ("g(**p)", Use.MAPPING),
        ("for k, v in p.items(): pass", Use.MAPPING),
        ("p.close", Use.ATTRIBUTE),
        ("with p: pass", Use.CONTEXT),
        ("return p * 2", Use.ARITHMETIC),
        ("return -p", Use.ARITHMETIC),
        ("x = 1\nx += p", Use.ARITHMETIC),
        ("return p < x", Use.ORDERED),
        ("return p == 'a'", Use.COMPARED),
        ("return p is None", Use.NONE),
        ("return x[p]", Use.KEY),
        ("return p in x", Use.KEY),
        ("return x in p", Use.CONTAINER),
        ("if p: pass", Use.CONDITION),
        ("while x and not p: pass", Use.CONDITION),
        ("return 1 if p else 2", Use.CONDITION),
        ("raise p", Use.RAISED),
        ("len(p)", Use.PASSED),
        ("self.x = p", Use.STORED),
        ("isinstance(p, str)", Use.INSTANCE),
        ("issubclass(p, str)", Use.SUBCLASS),
    ],
)
def test_a_use_is_recorded(body, use):
    assert usage(body).has(use)


def test_text_formatting_is_not_arithmetic():
    assert not usage("return 'a %s' % p").has(Use.ARITHMETIC)
    assert not usage("return 'a' + p").has(Use.ARITHMETIC)


def test_constants_and_counts_are_details():
    assert usage("if p in ('fast', -1): pass").details(Use.COMPARED) == ("fast", -1)
    assert usage("a, b, c = p").details(Use.UNPACKED) == (3,)
    assert usage("p['size']").details(Use.INDEXED) == ("size",)


def test_values_that_come_out_of_the_parameter_have_paths():
    # Each item is a pair; the second part of the pair is called, and the attribute of the result is read.
    found = usage("for key, value in p:\n    value().name")
    assert found.at("item").details(Use.UNPACKED) == (2,)
    assert found.at("item", "1").has(Use.CALLED)
    assert found.at("item", "1", "result").attributes == {"name"}


def test_other_names_of_the_parameter_are_followed():
    assert usage("q = p or 1\nr = q\nr()").has(Use.CALLED)
    assert usage("self.x = list(p)\nself.x.append(1)").attributes == {"append"}
    assert usage("if (q := p): q.run()").attributes == {"run"}


def test_arguments_of_calls_are_forwarded():
    found = usage("self.put(1, p)\nsend(data=p)")
    assert found.details(Use.FORWARDED) == (Forward("self.put", 1), Forward("send", -1, "data"))


def test_equal_constants_of_different_types_are_different_facts():
    one, true = Fact((), Use.COMPARED, 1), Fact((), Use.COMPARED, True)
    assert one != true
    assert len({one, true}) == 2
