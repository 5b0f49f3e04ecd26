"""Names of variables and texts of values, as stories show them."""

from __future__ import annotations

import types
from typing import Any

from raddle.engine.variables import Variable
from raddle.inspection import MISSING, class_attribute, name_of, resource_kind
from raddle.operation import CONTENT

# Ids of the classes whose objects can be shown without running any of the program's code.
_NAMED = frozenset(map(id, (type, types.FunctionType, types.BuiltinFunctionType)))
_SCALARS = frozenset(map(id, (int, float, complex, bool, str, bytes, type(None), type(...))))
_SEQUENCES = frozenset(map(id, (list, tuple)))
_HOLDING = _SEQUENCES | set(map(id, (dict, set, frozenset)))


def variable_name(variable: Variable, written: str) -> str:
    """Return a human-readable name for a variable; `written` is the expression in the source."""
    owner: Any = variable.owner
    if variable.name == CONTENT:
        if written.endswith(CONTENT):
            return written
        receiver, _, method = written.rpartition(".")
        is_method = class_attribute(type(owner), method, MISSING) is not MISSING
        if is_method and receiver not in ("", method):  # in `copy.copy(items)`, `copy` is a module, not the receiver
            return receiver + CONTENT
        return name_of(type(owner)) + CONTENT
    if issubclass(type(owner), type):
        return f"{name_of(owner)}.{variable.name}"
    if type(owner) is dict:
        return f"{owner.get('__name__', '?')}.{variable.name}"
    if type(owner) is object or type(owner) is str:
        return variable.name
    return f"{name_of(type(owner))}.{variable.name}"


def show(value: Any) -> str:
    """Return a human-readable text for a value, without running any of the program's code."""
    kind = id(type(value))
    if (
        kind in _SCALARS
        or (kind in _HOLDING and not value)
        or (kind in _SEQUENCES and len(value) <= 6 and all(id(type(v)) in _SCALARS for v in value))
    ):
        text = repr(value)
    elif kind in _NAMED:
        text = value.__name__
    elif type(value) is types.MethodType and type(value.__func__) is types.FunctionType:
        text = value.__func__.__name__
    else:
        text = f"<{resource_kind(type(value))}>"
    return text if len(text) <= 60 else text[:57] + "..."
