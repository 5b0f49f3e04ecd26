"""Built-in functions that access the content or the attributes of their arguments."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from raddle import env
from raddle.threads.data_model.call_effects import LAZY


class BuiltinRole(Enum):
    """The ways in which built-in functions use their arguments."""

    READ_CONTENT = auto()  # reads the content of its arguments during the call
    COPY_BYTES = auto()  # copies the content of its arguments to bytes
    PRINT = auto()
    OPEN = auto()
    LAZY = auto()  # reads the content of its arguments later, item by item
    ITERATE = auto()  # creates an iterator
    ADVANCE = auto()  # advances an iterator
    GETATTR = auto()
    HASATTR = auto()
    SETATTR = auto()
    DELATTR = auto()


_NAMES = {
    BuiltinRole.READ_CONTENT: "len list dict set tuple sorted sum min max any all bool str repr format",
    BuiltinRole.COPY_BYTES: "bytes bytearray",
    BuiltinRole.PRINT: "print",
    BuiltinRole.OPEN: "open",
    BuiltinRole.LAZY: "enumerate zip map filter",
    BuiltinRole.ITERATE: "iter reversed",
    BuiltinRole.ADVANCE: "next",
    BuiltinRole.GETATTR: "getattr",
    BuiltinRole.HASATTR: "hasattr",
    BuiltinRole.SETATTR: "setattr",
    BuiltinRole.DELATTR: "delattr",
}
_ROLES: dict[int, BuiltinRole] = {  # maps the id of a function to its role
    **{id(getattr(builtins, name)): role for role, names in _NAMES.items() for name in names.split()},
    **{id(kind): BuiltinRole.READ_CONTENT for kind in env.FROZEN_TYPES},
    **{id(kind): BuiltinRole.LAZY for kind in LAZY},
}


def handlers_by_function(handlers: dict[BuiltinRole, Callable[..., Any]]) -> dict[int, Callable[..., Any]]:
    """Map the id of each built-in function to the handler of its role. Skip functions whose role has no handler."""
    return {function: handlers[role] for function, role in _ROLES.items() if role in handlers}


# Maps the operator names that `raddle.probe.inplace` receives to the operators of augmented assignments.
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    name: operation for name, operation in vars(operator).items() if f"__{name}__" in vars(operator)
}
