import sys
from collections.abc import Callable

import pytest

from raddle.errors import UsageError
from raddle.generation.expressions import Imported, Literal, New, Values
from raddle.generation.factory import load_factory


@pytest.fixture
def load(tmp_path, monkeypatch) -> Callable:
    monkeypatch.setattr(sys, "path", list(sys.path))

    def load(text):
        (tmp_path / "some_factory.py").write_text(text)
        return load_factory(str(tmp_path / "some_factory.py"))

    yield load
    sys.modules.pop("some_factory", None)


def test_all_definitions_are_optional_and_loaded(load):
    factory = load(
        "def make(): return [1]\n"
        "def token(): return object()\n"
        "values = {'key': ['x', token], 'size': (3,)}\n"
        "def reset(): pass\n"
        "def invariant(shared): return len(shared) < 3\n"
        "methods = ['get*']\n"
        "exclude = ['close']\n"
    )
    assert factory.make.owner == Imported("some_factory", "make")
    assert Values().of(New(factory.make.owner)) == [1]
    assert factory.values == {
        "key": (Literal("x"), New(Imported("some_factory", "token"))),
        "size": (Literal(3),),
    }
    assert factory.reset() is None
    assert factory.invariant([]) is True
    assert (factory.methods, factory.exclude) == (("get*",), ("close",))


def test_one_definition_is_enough(load):
    factory = load("values = {'key': ['x']}")
    assert factory.make is factory.reset is factory.invariant is None


@pytest.mark.parametrize(
    "imports", ["import hypothesis", "from hypothesis import strategies", "from hypothesis.strategies import integers"]
)
def test_a_file_may_only_register_strategies(load, imports):
    assert load(imports).make is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "defines none of make, values, reset, invariant, methods, exclude"),
        ("def make(size): pass", "make must be a function without required parameters"),
        ("make = 3", "make must be a function without required parameters, not 3"),
        ("def invariant(): pass", "invariant must be a function with one required parameter"),
        ("values = ['x']", "values must map names of parameters to lists"),
        ("values = {'key': 'x'}", "values must map names of parameters to lists"),
        ("values = {'key': [lambda: 1]}", "needs a name in the file and no parameters"),
        ("def token(size): pass\nvalues = {'key': [token]}", "needs a name in the file and no parameters"),
        ("values = {'key': [object()]}", "cannot write the object in values['key']; use a function that returns it"),
        ("methods = 'get'", "methods must be a list of patterns"),
        ("exclude = [1]", "exclude must be a list of patterns"),
    ],
)
def test_anything_else_is_a_usage_error(load, text, message):
    with pytest.raises(UsageError) as caught:
        load(text)
    assert caught.value.slug == "bad-factory"
    assert message in str(caught.value)


def test_a_file_that_does_not_exist_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError) as caught:
        load_factory(str(tmp_path / "absent.py"))
    assert caught.value.slug == "no-such-file"
