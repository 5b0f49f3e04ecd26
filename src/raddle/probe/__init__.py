"""The frozen interface between instrumented code and raddle: 20 probes, and nothing else.

The rewriter replaces `x.a` by `__raddle__.read(x, "a", 4711)`, where `__raddle__` is this module and 4711 is the number
of the site. Until `attach` is called, every probe performs the plain operation. `attach` replaces probes by functions
with the same names; `detach` restores the plain ones. Importing this module imports nothing else, so that instrumented
code starts quickly.

The names of the probes, their parameters and the order of those are frozen: `tests/unit/test_probe_interface.py` pins
them, and probes written in C will pass the same tests. Every probe receives all that it needs as arguments, never by
looking at its caller's frame. The exception is `enter`, whose caller is the function being entered.

* Arguments come in the order in which the source evaluates them: the value before its target.
* `site` is always the last argument: the number of the site in the site table.
* `name` is the name of an attribute or variable as a string, private names already mangled.
* `owner` is the namespace that a name belongs to: the dictionary of globals for a global variable, the token of the
  call (see `cells`) for a variable in a closure, or the qualified name of the function where it has no token.
* A probe that stands for an expression returns its value; one that stands for a statement returns None.
"""

from __future__ import annotations

import operator
from builtins import globals as globals  # the namespace of instrumented code, which may have a `globals` of its own
from builtins import slice as slice  # for `x[a:b]`, likewise
from collections.abc import Callable, Iterable
from typing import Any

NAME = "__raddle__"  # what instrumented code calls this module; names that end in "__" are never mangled

# -- attributes -----------------------------------------------------------------------------------


def read(obj: Any, name: str, site: int) -> Any:
    """Return `obj.name`."""
    return getattr(obj, name)


def write(value: Any, obj: Any, name: str, site: int) -> None:
    """Perform `obj.name = value`."""
    setattr(obj, name, value)


def delete(obj: Any, name: str, site: int) -> None:
    """Perform `del obj.name`."""
    delattr(obj, name)


def method(obj: Any, name: str, site: int) -> Any:
    """Return `obj.name`, which is called next: `obj.name(...)`."""
    return getattr(obj, name)


# -- contents of containers -------------------------------------------------------------------------


def getitem(obj: Any, key: Any, site: int) -> Any:
    """Return `obj[key]`."""
    return obj[key]


def setitem(value: Any, obj: Any, key: Any, site: int) -> None:
    """Perform `obj[key] = value`."""
    obj[key] = value


def delitem(obj: Any, key: Any, site: int) -> None:
    """Perform `del obj[key]`."""
    del obj[key]


def contains(key: Any, obj: Any, site: int) -> bool:
    """Return `key in obj`."""
    return key in obj


def iterate(obj: Any, site: int) -> Iterable[Any]:
    """Return the iterable of `for ... in obj`: `obj`, or an iterator in its place."""
    return obj  # type: ignore[no-any-return]


def content(obj: Any, site: int) -> Any:
    """Return `obj`, whose content is read next: `if obj`, `*obj`, `a, b = obj`, `obj == ...`."""
    return obj


def inplace(operation: str, obj: Any, value: Any, site: int) -> Any:
    """Return the result of the operator in `obj += value`; `operation` is a function of `operator`: "iadd"."""
    return getattr(operator, operation)(obj, value)


def function(called: Any, site: int) -> Any:
    """Return `called`, or a callable in its place, which is called next: `len`, `sorted`, `getattr`..."""
    return called


# -- names ------------------------------------------------------------------------------------------


def cells() -> object:
    """Return a token for the closure variables of one call of a function, so that calls have separate variables."""
    return object()


def read_name(owner: Any, name: str, site: int) -> None:
    """Announce that the global or closure variable `name` is read next."""


def write_name(value: Any, owner: Any, name: str, site: int) -> Any:
    """Return `value`, which is assigned to the global or closure variable `name` next."""
    return value


def delete_name(owner: Any, name: str, site: int) -> None:
    """Announce that the global or closure variable `name` is deleted next."""


# -- functions and blocks ---------------------------------------------------------------------------


def guard(manager: Any, site: int) -> Any:
    """Return the context manager of a `with` statement, or a twin in its place."""
    return manager


def enter(site: int) -> None:
    """Announce that the body of the calling function begins."""


def leave(site: int) -> None:
    """Announce that the body of a function ends, by a return or by an exception."""


def block(site: int) -> None:
    """Announce that a basic block begins; only code instrumented with `blocks` calls this."""


# -- attachment -------------------------------------------------------------------------------------

PLAIN: dict[str, Callable[..., Any]] = {
    probe.__name__: probe
    for probe in (
        read, write, delete, method, getitem, setitem, delitem, contains, iterate, content, inplace, function,
        cells, read_name, write_name, delete_name, guard, enter, leave, block,
    )
}  # fmt: skip


def attach(probes: dict[str, Callable[..., Any]]) -> None:
    """Replace the plain probes by those given; probes that are not named stay plain."""
    unknown = probes.keys() - PLAIN.keys()
    if unknown:
        raise ValueError(f"no such probes: {', '.join(sorted(unknown))}")
    globals().update(PLAIN | probes)


def detach() -> None:
    """Restore the plain probes."""
    globals().update(PLAIN)
