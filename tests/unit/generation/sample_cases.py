"""Short constructors of test cases, for the tests of generation."""

from __future__ import annotations

import inspect

from raddle.generation.expressions import Imported, Literal
from raddle.generation.surface import Method, MethodKind, Parameter
from raddle.generation.testcase import SHARED, Call, TestCase
from raddle.linearizability.history import Ending, EndingKind, History
from raddle.linearizability.judgment import Oracle, Violation

MODULE = "shelf_under_test"
SHELF, ACCOUNT, TALLY = (Imported(MODULE, name) for name in ("Shelf", "BankAccount", "Tally"))


def values(arguments):
    return tuple(value if hasattr(type(value), "__dataclass_fields__") else Literal(value) for value in arguments)


def keywords(given):
    return tuple(zip(given, values(given.values()), strict=True))


def parameters(*names, optional=()):
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return tuple(Parameter(name, kind, default=None if name in optional else Parameter.default) for name in names)


def new(cls=SHELF, *arguments, result=SHARED, **given):
    return Call(Method("", MethodKind.CONSTRUCTOR, cls), values(arguments), keywords(given), result=result)


def call(name, *arguments, on=SHARED, result="", takes=(), kind=MethodKind.METHOD, cls=SHELF):
    method = Method(name, kind, cls, parameters(*takes))
    return Call(method, values(arguments), receiver=on, result=result)


def operator(name, *arguments):
    return call(name, *arguments, kind=MethodKind.OPERATOR)


def attribute(name, cls=SHELF):
    return call(name, kind=MethodKind.PROPERTY, cls=cls)


def case(prefix, *threads, observe=()):
    return TestCase(tuple(prefix), tuple(map(tuple, threads)), tuple(observe))


def violation(oracle, *calls, exception="KeyError"):
    """Return a violation of this kind in a test with two threads; the calls that it is about raise the exception."""
    raised, returned = Ending(EndingKind.RAISED, exception), Ending(EndingKind.RETURNED)
    if oracle is not Oracle.EXCEPTIONS:
        return Violation(oracle, History(((returned,), (returned,))), calls)
    ((thread, index),) = calls or ((0, 0),)
    rows = [(returned,) * index + (raised,) if number == thread else (returned,) for number in range(2)]
    return Violation(oracle, History(tuple(rows)), ((thread, index),))
