"""The only thing probed code may call: each function does what the source said, and nothing more.

The rewriter replaces `x.a` by `__raddle__.read(x, "a", 4711)`, where `__raddle__` is this module and 4711
the number of the site. Until somebody attaches, every probe is the plain operation. `attach` puts other
functions of the same names in their place; `detach` brings these back. Importing this module imports
nothing else, so that probed code starts as fast as it can.

The names and the order of arguments are frozen: compiled probes will stand behind the same tests.
Arguments come in the order in which the source evaluates them: the value before its target.
"""

from __future__ import annotations

import operator
from builtins import slice as slice  # for `x[a:b]`, whatever else that name means where it stands
from collections.abc import Callable, Iterable
from typing import Any

NAME = "__raddle__"  # what probed code calls this module; names that end in "__" are never mangled

# -- attributes -----------------------------------------------------------------------------------


def read(obj: Any, name: str, site: int) -> Any:
    """`obj.name`"""
    return getattr(obj, name)


def write(value: Any, obj: Any, name: str, site: int) -> None:
    """`obj.name = value`"""
    setattr(obj, name, value)


def delete(obj: Any, name: str, site: int) -> None:
    """`del obj.name`"""
    delattr(obj, name)


def method(obj: Any, name: str, site: int) -> Any:
    """`obj.name` where it is called at once: `obj.name(...)`"""
    return getattr(obj, name)


# -- contents of containers -------------------------------------------------------------------------


def getitem(obj: Any, key: Any, site: int) -> Any:
    """`obj[key]`"""
    return obj[key]


def setitem(value: Any, obj: Any, key: Any, site: int) -> None:
    """`obj[key] = value`"""
    obj[key] = value


def delitem(obj: Any, key: Any, site: int) -> None:
    """`del obj[key]`"""
    del obj[key]


def contains(key: Any, obj: Any, site: int) -> bool:
    """`key in obj`"""
    return key in obj


def iterate(obj: Any, site: int) -> Iterable[Any]:
    """`for ... in obj`: what is to be iterated over"""
    return obj  # type: ignore[no-any-return]


def content(obj: Any, site: int) -> Any:
    """`obj`, where what is inside is about to be looked at: `if obj`, `*obj`, `a, b = obj`, `obj == ...`"""
    return obj


def inplace(operation: str, obj: Any, value: Any, site: int) -> Any:
    """`obj += value` as far as the operator goes: `operator.iadd` and its kin, by name"""
    return getattr(operator, operation)(obj, value)


def function(called: Any, site: int) -> Any:
    """`len`, `sorted`, `getattr`...: built-in functions that look into their arguments, about to be called"""
    return called


# -- names ------------------------------------------------------------------------------------------


def cells() -> object:
    """A token for the cells of one call of a function, so that each call's cells are variables of their own"""
    return object()


def read_name(owner: Any, name: str, site: int) -> None:
    """The global or shared closure variable `name` is about to be read; `owner` is its token, None if global"""


def write_name(value: Any, owner: Any, name: str, site: int) -> Any:
    """The global or shared closure variable `name` is about to become `value`"""
    return value


def delete_name(owner: Any, name: str, site: int) -> None:
    """The global or shared closure variable `name` is about to be deleted"""


# -- functions and blocks ---------------------------------------------------------------------------


def guard(manager: Any, site: int) -> Any:
    """The context manager of a `with` statement"""
    return manager


def enter(site: int) -> None:
    """A function's body begins"""


def leave(site: int) -> None:
    """A function's body ends, in whatever way"""


def block(site: int) -> None:
    """A basic block begins; only in code that was asked to tell"""


# -- attachment -------------------------------------------------------------------------------------

PLAIN: dict[str, Callable[..., Any]] = {
    probe.__name__: probe
    for probe in (
        read, write, delete, method, getitem, setitem, delitem, contains, iterate, content, inplace, function,
        cells, read_name, write_name, delete_name, guard, enter, leave, block,
    )
}  # fmt: skip


def attach(probes: dict[str, Callable[..., Any]]) -> None:
    """Put other functions in the place of the plain ones; those not named stay plain."""
    unknown = probes.keys() - PLAIN.keys()
    if unknown:
        raise ValueError(f"no such probes: {', '.join(sorted(unknown))}")
    globals().update(PLAIN | probes)


def detach() -> None:
    """Bring the plain probes back."""
    globals().update(PLAIN)
