"""Calls and tests as source, for messages."""

from __future__ import annotations

from raddle.generation.naming import variable_names
from raddle.generation.source import Names
from raddle.generation.surface import MethodKind
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


def call_title(call: Call) -> str:
    """Return a call as messages name it, without its receiver and arguments.

    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import Method, MethodKind
    >>> cart = Imported("shop", "Cart")
    >>> [call_title(Call(Method("on", kind, cart))) for kind in (MethodKind.METHOD, MethodKind.CALLBACK)]
    ['on()', 'the calls of on']
    """
    name = call.method.name
    match call.method.kind:
        case MethodKind.ASSIGNMENT:
            return f"{name} = ..."
        case MethodKind.PROPERTY:
            return name
        case MethodKind.CALLBACK:
            return f"the calls of {name}"
    return f"{call.method}()"


def call_lines(call: Call, names: Names) -> list[str]:
    """Return the lines of a call as a statement."""
    if names.is_statement(call):
        return names.statement(call, indent="")
    target = f"{names.variables[call.result]} = " if call.result in names.variables else ""
    return [f"{target}{names.call(call)}"]
