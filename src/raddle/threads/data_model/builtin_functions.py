"""Built-in functions that look into their arguments, and what they do there."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from raddle import env
from raddle.threads.data_model.call_effects import LAZY


class BuiltinRole(Enum):
    """What a built-in function does with its arguments."""

    READ_CONTENT = auto()  # reads their content at once
    COPY_BYTES = auto()  # the same, for bytes
    PRINT = auto()
    OPEN = auto()
    LAZY = auto()  # reads their content later, item by item
    ITERATE = auto()  # makes an iterator
    ADVANCE = auto()  # calls an iterator's `next`
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
_ROLES: dict[int, BuiltinRole] = {  # by id of the function
    **{id(getattr(builtins, name)): role for role, names in _NAMES.items() for name in names.split()},
    **{id(kind): BuiltinRole.READ_CONTENT for kind in env.FROZEN_TYPES},
    **{id(kind): BuiltinRole.LAZY for kind in LAZY},
}


def handlers_by_function(handlers: dict[BuiltinRole, Callable[..., Any]]) -> dict[int, Callable[..., Any]]:
    """Return the handler of each built-in function, by the function's id; functions without a handler are left out."""
    return {function: handlers[role] for function, role in _ROLES.items() if role in handlers}


# The operators of augmented assignments, by the names that `raddle.probe.inplace` receives.
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    name: operation for name, operation in vars(operator).items() if f"__{name}__" in vars(operator)
}
