import sys
import typing
from collections import OrderedDict, deque
from inspect import Parameter as Signature

import pytest
from argument_classes import WithMeta

from raddle.generation.signatures import (
    UNKNOWN,
    hints_of,
    names_hinted,
    operands_of,
    parameters_of,
    parameters_of_class,
    parameters_of_container_method,
)


def names(parameters):
    return [parameter.name for parameter in parameters]


def test_hints_that_cannot_be_resolved_stay_strings_and_others_are_resolved():
    def function(a: "Missing", b: "list[int]", c): ...  # noqa: F821

    assert hints_of(function) == {"a": "Missing", "b": list[int]}


def test_a_method_that_takes_the_receiver_as_a_variable_argument():
    assert names(parameters_of(lambda *arguments: None, skip=1)) == ["arguments"]


HAS_SIGNATURES = sys.version_info >= (3, 13)  # the methods of `deque` have signatures


@pytest.mark.parametrize(
    ("cls", "name", "expected"),
    [
        (dict, "get", ["key", "default"]),
        (dict, "pop", ["key", "default"]),  # has no signature; that of MutableMapping is used
        (deque, "append", ["item"] if HAS_SIGNATURES else ["value"]),
        (OrderedDict, "copy", []),  # the docstring says so
        (deque, "rotate", ["n"] if HAS_SIGNATURES else names(UNKNOWN)),
    ],
)
def test_methods_in_c_have_the_parameters_of_the_abstract_class(cls, name, expected):
    assert names(parameters_of_container_method(cls, name)) == expected


def test_operators_have_exactly_their_operands():
    def get(self, key, default=None): ...

    (key,) = operands_of("__getitem__", get)
    assert (key.name, key.kind, key.required) == ("key", Signature.POSITIONAL_ONLY, True)
    assert names(operands_of("__setitem__", lambda self, *both: None)) == ["key", "value"]
    assert operands_of("__len__", len) == ()
    assert names(operands_of("__call__", lambda self, a, b=1: None)) == ["a", "b"]


def test_the_constructor_may_be_new_or_init_or_hidden_by_a_metaclass():
    class New:
        def __new__(cls, size: int):
            return super().__new__(cls)

    class Nothing:
        pass

    assert [(p.name, p.hint) for p in parameters_of_class(New)] == [("size", int)]
    assert parameters_of_class(Nothing) == ()
    assert names(parameters_of_class(WithMeta)) == ["key"]


def test_a_hint_names_a_class():
    class Shop:
        pass

    assert names_hinted("Shop", Shop)
    assert names_hinted(typing.Self, Shop)
    assert names_hinted(Shop | None, Shop)
    assert not names_hinted(list[Shop], Shop)
