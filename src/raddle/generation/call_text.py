"""Calls and tests as source, for messages."""

from __future__ import annotations

from raddle.generation.naming import variable_names
from raddle.generation.source import Names
from raddle.generation.testcase import Call, TestCase

_INDENT = "    "


def test_lines(test: TestCase) -> tuple[str, ...]:
    """Return the calls of a test, one in each line, with a line before the calls of each thread.

    >>> from raddle.generation.expressions import Imported, Literal
    >>> from raddle.generation.surface import Method, MethodKind
    >>> cart = Imported("shop", "Cart")
    >>> new, add = Method("", MethodKind.CONSTRUCTOR, cart), Method("add", MethodKind.METHOD, cart)
    >>> calls = ((Call(add, (Literal(1),)),), (Call(add, (Literal(2),)),))
    >>> for line in test_lines(TestCase((Call(new, result="shared"),), calls)): print(line)
    cart = Cart()
    in one thread:
        cart.add(1)
    in another thread:
        cart.add(2)
    """
    names = Names(variable_names(test))
    found = [line for call in test.prefix for line in call_lines(call, names)]
    for number, thread in enumerate(test.threads):
        found.append("in another thread:" if number else "in one thread:")
        found += [f"{_INDENT}{line}" for call in thread for line in call_lines(call, names)]
    if test.observers:
        found.append("afterwards:")
        found += [f"{_INDENT}{line}" for call in test.observers for line in call_lines(call, names)]
    return tuple(found)


test_lines.__test__ = False  # type: ignore[attr-defined] # pytest must not collect this function


def call_lines(call: Call, names: Names) -> list[str]:
    """Return the lines of a call as a statement."""
    if names.is_statement(call):
        return names.statement(call, indent="")
    target = f"{names.variables[call.result]} = " if call.result in names.variables else ""
    return [f"{target}{names.call(call)}"]
