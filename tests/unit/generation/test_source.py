from __future__ import annotations

import pytest
from sample_cases import SHELF, attribute, call, new, operator

from raddle.generation.expressions import (
    Callback,
    Container,
    Imported,
    Literal,
    New,
    Stub,
    TemporaryPath,
    Values,
    Variable,
)
from raddle.generation.source import WIDTH, Brackets, Names, NotWritableError, called, lines, literal
from raddle.generation.surface import MethodKind

ONE = Literal(1)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        1.5,
        1e300,
        float("inf"),
        2j,
        ...,
        "",
        "a",
        "it's",
        'a "quote"',
        "new\nline",
        "\\",
        "é",
        b"",
        b"a'b",
        b'"',
        b"\xff",
        [],
        [1, [2]],
        (),
        (1,),
        (1, "a"),
        {},
        {"a": [1]},
        set(),
        {1},
        frozenset(),
        frozenset({2}),
    ],
    ids=repr,
)
def test_a_literal_evaluates_to_its_value(value):
    assert eval(literal(value)) == value
    assert type(eval(literal(value))) is type(value)


def test_literals_have_double_quotes_where_possible():
    assert literal("a") == '"a"'
    assert literal('say "a"') == "'say \"a\"'"
    assert literal({"b", "a"}) == '{"a", "b"}'  # sorted, because the order of a set depends on hashes


def test_a_value_without_source_is_refused():
    with pytest.raises(NotWritableError, match="Thing"):
        literal([type("Thing", (), {})()])


@pytest.mark.parametrize(
    "expression",
    [
        ONE,
        Container("list", (ONE, Literal("a"))),
        Container("tuple", (ONE,)),
        Container("tuple"),
        Container("set"),
        Container("set", (ONE,)),
        Container("frozenset", (ONE,)),
        Container("frozenset"),
        Container("deque", (ONE,)),
        Container("deque"),
        Container("dict", (Literal("a"), Container("list", (ONE,)))),
        New(Imported("collections", "Counter"), (Literal("aab"),)),
        New(Imported("collections", "Counter"), (), (("a", ONE),)),
        Stub((("size", ONE),)),
        Imported("collections", "OrderedDict"),
    ],
    ids=str,
)
def test_the_source_of_an_expression_evaluates_to_its_value(expression):
    imported = {}

    def name(one):
        imported[one.name] = one.load()
        return one.name

    text = str(Names(imported=name).code(expression))
    assert eval(text, imported) == Values().of(expression)


def test_callbacks_variables_and_paths_have_sources():
    names = Names({"v1": "other"}, callbacks={"done": "done"}, imported=lambda one: one.name)
    assert names.code(Callback("done")) == "done"
    assert names.code(Callback("failed", ONE)) == "lambda *args, **kwargs: 1"
    assert names.code(Variable("v1")) == "other"
    assert names.code(TemporaryPath("log")) == 'str(tmp_path / "log")'


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (call("put", "a", 1), 'shelf.put("a", 1)'),
        (attribute("size"), "shelf.size"),
        (operator("__len__"), "len(shelf)"),
        (operator("__iter__"), "list(shelf)"),
        (operator("__reversed__"), "list(reversed(shelf))"),
        (operator("__contains__", "a"), '"a" in shelf'),
        (operator("__getitem__", "a"), 'shelf["a"]'),
        (operator("__eq__", 1), "shelf == 1"),
        (operator("__call__", 1), "shelf(1)"),
        (new(SHELF, 1, name="b"), 'Shelf(1, name="b")'),
        (call("create", 1, kind=MethodKind.STATIC), "Shelf.create(1)"),
        (call("", Variable("shared"), kind=MethodKind.FUNCTION, cls=Imported("copy", "copy")), "copy(shelf)"),
    ],
)
def test_calls_are_written_as_people_write_them(made, text):
    names = Names({"shared": "shelf"}, imported=lambda one: one.name)
    assert str(names.call(made)) == text


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (operator("__setitem__", "a", 1), '    shelf["a"] = 1'),
        (operator("__delitem__", "a"), '    del shelf["a"]'),
        (call("lock", 1, kind=MethodKind.CONTEXT), "    with shelf.lock(1):\n        pass"),
        (call("", kind=MethodKind.CONTEXT), "    with shelf:\n        pass"),
        (call("put", 1), "    shelf.put(1)"),
    ],
)
def test_statements(made, text):
    names = Names({"shared": "shelf"})
    assert "\n".join(names.statement(made, indent="    ")) == text


def test_long_calls_are_wrapped():
    short = called("f", ["a" * 30, "b" * 30])
    assert lines(short) == [str(short)]
    together = called("function", ["a" * 40, "b" * 40])
    assert lines(together) == ["function(", "    " + "a" * 40 + ", " + "b" * 40, ")"]
    apart = called("function", ["a" * 50, Brackets("[", ("b" * 50, "c" * 50), "]")])
    assert lines(apart) == [
        "function(",
        "    " + "a" * 50 + ",",
        "    [",
        "        " + "b" * 50 + ",",
        "        " + "c" * 50 + ",",
        "    ],",
        ")",
    ]
    assert all(len(line) <= WIDTH for line in lines(apart))
