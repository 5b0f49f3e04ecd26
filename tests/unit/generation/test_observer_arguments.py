from __future__ import annotations

from inspect import Parameter as Signature

import pytest
from fake_pools import FakePools

from raddle.generation.expressions import Imported, Literal, Variable
from raddle.generation.observer_arguments import observing_calls
from raddle.generation.surface import Method, MethodKind, Parameter
from raddle.generation.testcase import SHARED, Call, TestCase

SHOP = Imported("shop", "Shop")


def method(name, *parameters):
    found = tuple(Parameter(one, Signature.POSITIONAL_OR_KEYWORD) for one in parameters)
    return Method(name, MethodKind.METHOD, SHOP, found)


ADD, STOCK, SIZE = method("add", "key", "count"), method("stock", "key"), method("size")


def case(*threads, prefix=()):
    new = Call(Method("", MethodKind.CONSTRUCTOR, SHOP), result=SHARED)
    return TestCase((new, *prefix), tuple((call,) for call in threads))


def add(key, count=1, *, receiver=SHARED):
    values = [one if isinstance(one, Variable) else Literal(one) for one in (key, count)]
    return Call(ADD, tuple(values), receiver=receiver)


def arguments(test, observer=STOCK, **pools):
    return [tuple(call.arguments) for call in observing_calls(observer, test, FakePools(**pools))]


def test_a_method_without_parameters_is_called_once():
    (call,) = observing_calls(SIZE, case(add("a"), add("b")), FakePools())
    assert call == Call(SIZE)


def test_the_arguments_of_both_threads_are_passed_for_a_parameter_of_the_same_name():
    assert arguments(case(add("a"), add("a"))) == [(Literal("a"),)]
    assert arguments(case(add("a"), add("b")), key=["z"]) == [(Literal("a"),), (Literal("b"),)]


def test_an_argument_is_passed_for_another_parameter_if_it_is_in_its_pool():
    find = method("find", "name")
    # The pools of the two parameters have "b" in common, and the count is in neither.
    assert arguments(case(add("a"), add("b")), find, name=["x", "b"]) == [(Literal("b"),)]


def test_without_such_arguments_those_of_the_prefix_and_then_the_first_of_the_pool_are_passed():
    rename = Call(method("rename", "text"), (Literal("n"),))
    assert arguments(case(rename, rename, prefix=[add("p")]), key=["z", "y"]) == [(Literal("p"),)]
    assert arguments(case(rename, rename), key=["z", "y"]) == [(Literal("z"),)]
    assert arguments(case(rename, rename)) == []


@pytest.mark.parametrize(("made", "expected"), [("entry", Variable("entry")), ("other", Literal("z"))])
def test_only_variables_of_the_prefix_are_passed(made, expected):
    opened = Call(method("open"), result=made)
    test = case(add(Variable("entry")), add(Variable("entry")), prefix=[opened])
    assert arguments(test, key=["z"]) == [(expected,)]


def test_the_objects_on_which_the_threads_make_calls_are_observed():
    second = Call(Method("", MethodKind.CONSTRUCTOR, SHOP), result="other")
    test = case(add("a", receiver="other"), add("a", receiver="other"), prefix=[second])
    assert [call.receiver for call in observing_calls(STOCK, test, FakePools())] == ["other"]
