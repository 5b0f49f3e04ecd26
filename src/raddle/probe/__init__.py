"""The frozen interface between instrumented code and raddle: 20 probes, and nothing else.

The rewriter replaces `x.a` with `__raddle__.read(x, "a", 4711)`, where `__raddle__` is this module and 4711 is the
number of the site. Until `attach` is called, every probe performs the plain operation. `attach` replaces probes with
functions of the same names; `detach` restores the plain ones. This module imports no other part of raddle, so that
instrumented code starts quickly.

The names of the probes and the names and order of their parameters are frozen. `tests/unit/test_probe_interface.py`
checks them, and probes written in C must pass the same tests. Every probe receives everything it needs as arguments and
never inspects the frame of its caller. The exception is `enter`, whose caller is the function being entered.

* Arguments are in the order in which Python evaluates them: a value before its target.
* `site` is always the last argument: the number of the site in the site table.
* `name` is the name of an attribute or variable as a string. Private names are already mangled.
* `owner` is the namespace that a name belongs to: the dictionary of globals for a global variable, the token of the
  call (see `cells`) for a closure variable, or the qualified name of the function if it has no token.
* A probe that replaces an expression returns its value. A probe that replaces a statement returns None.
"""

from __future__ import annotations

import operator
from builtins import globals as globals  # for instrumented code, which may define its own `globals`
from builtins import slice as slice  # for `x[a:b]` in code that may define its own `slice`
from collections.abc import Callable, Iterable
from typing import Any

NAME = "__raddle__"  # the name of this module in instrumented code; names that end in "__" are never mangled

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
    """Return `obj.name`, which instrumented code is about to call: `obj.name(...)`."""
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
    """Return the iterable for `for ... in obj`: `obj` itself, or an iterator that replaces it."""
    return obj  # type: ignore[no-any-return]


def content(obj: Any, site: int) -> Any:
    """Return `obj`, whose content is about to be read, as in `if obj`, `*obj`, `a, b = obj` or `obj == ...`."""
    return obj


def inplace(operation: str, obj: Any, value: Any, site: int) -> Any:
    """Return the result of `obj += value`; `operation` names a function in `operator`, such as "iadd"."""
    return getattr(operator, operation)(obj, value)


def function(called: Any, site: int) -> Any:
    """Return `called` (such as `len`, `sorted` or `getattr`), or a replacement for it.

    Instrumented code then calls the returned function.
    """
    return called


# -- names ------------------------------------------------------------------------------------------


def cells() -> object:
    """Return a token for the closure variables of one call, so that each call has its own variables."""
    return object()


def read_name(owner: Any, name: str, site: int) -> None:
    """Announce that the global or closure variable `name` is about to be read."""


def write_name(value: Any, owner: Any, name: str, site: int) -> Any:
    """Return `value`, which is about to be assigned to the global or closure variable `name`."""
    return value


def delete_name(owner: Any, name: str, site: int) -> None:
    """Announce that the global or closure variable `name` is about to be deleted."""


# -- functions and blocks ---------------------------------------------------------------------------


def guard(manager: Any, site: int) -> Any:
    """Return the context manager of a `with` statement, or a twin that replaces it."""
    return manager


def enter(site: int) -> None:
    """Announce that the body of the calling function begins."""


def leave(site: int) -> None:
    """Announce that the body of a function ends, with a return or an exception."""


def block(site: int) -> None:
    """Announce that a basic block begins; only code instrumented with `blocks` calls this."""


# -- attachment -------------------------------------------------------------------------------------

PLAIN: dict[str, Callable[..., Any]] = {  # the probes that perform only the plain operation
    probe.__name__: probe
    for probe in (
        read, write, delete, method, getitem, setitem, delitem, contains, iterate, content, inplace, function,
        cells, read_name, write_name, delete_name, guard, enter, leave, block,
    )
}  # fmt: skip


def attach(probes: dict[str, Callable[..., Any]]) -> None:
    """Replace plain probes with the given functions; probes that are not given stay plain."""
    unknown = probes.keys() - PLAIN.keys()
    if unknown:
        raise ValueError(f"no such probes: {', '.join(sorted(unknown))}")
    globals().update(PLAIN | probes)


def detach() -> None:
    """Restore the plain probes."""
    globals().update(PLAIN)
