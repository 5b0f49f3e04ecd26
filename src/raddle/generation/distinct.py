"""The identity of a bug: two failing tests with the same identity show the same bug.

    identity(shrunk_test, violation, error, belongs=...) -> Identity
    symptom(violation, error, belongs=...) -> tuple, which stays the same while a test is shrunk

Exceptions are identified by their class and the innermost function of the package that raised them. If a method that
the class inherits from an abstract collection has called it, that method counts, too: `MutableMapping.pop` looks up a
key and then deletes it, so the bug is not in the `__delitem__` of the class, which raises the exception. A wrong
outcome is identified by the method that is interrupted and the variable that another thread changes meanwhile. If these
are not known, and for hangs, the methods that the shrunk test calls in its threads identify the bug.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from raddle.generation.testcase import TestCase
from raddle.linearizability.judgment import Oracle, Violation
from raddle.place import Place

MIXINS = ("collections.abc", "_collections_abc")  # the modules of the abstract collections
Belongs = Callable[[str], bool]  # returns whether a file is part of the package under test


@dataclass(frozen=True, slots=True)
class Frame:
    """A function call in a traceback."""

    place: Place  # with the path of the file
    function: str  # the qualified name of the function
    inherited: str = ""  # the method that the class inherits from an abstract collection, and that has called it


class Interruption(NamedTuple):
    """Accesses of a method, and a change by another thread in between that separates them."""

    variable: str  # the interrupted accesses, as "Owner.name"; two names if they are about two variables
    file: str
    function: str  # the function that is interrupted


@dataclass(frozen=True, slots=True)
class Identity:
    """What distinguishes a bug from others.

    >>> Identity("outcome", methods=("get", "put"))
    Identity(kind='outcome', exception='', file='', function='', methods=('get', 'put'), variable='')
    """

    kind: str  # "exception", "hang" or "outcome"
    exception: str = ""  # the qualified name of its class
    file: str = ""
    function: str = ""
    methods: tuple[str, ...] = ()
    variable: str = ""


_KINDS = {Oracle.EXCEPTIONS: "exception", Oracle.HANGS: "hang"}


def identity(
    test: TestCase,
    violation: Violation,
    error: BaseException | None,
    *,
    belongs: Belongs,
    cause: Interruption | None = None,
) -> Identity:
    """Return the identity of the bug that a shrunk test shows.

    Args:
        test: The test.
        violation: What is wrong.
        error: The exception of an illegal call.
        belongs: Returns whether a file is part of the package under test.
        cause: The interruption that explains a wrong outcome, if it is known.
    """
    kind = _KINDS.get(violation.oracle, "outcome")
    frame = None if error is None else innermost_frame(error, belongs)
    if kind == "exception" and frame is not None:
        inherited = (frame.inherited,) if frame.inherited else ()
        return Identity(kind, violation.exception, frame.place.file, frame.function, inherited)
    if kind == "outcome" and cause is not None:
        return Identity(kind, file=cause.file, function=cause.function, variable=cause.variable)
    methods = tuple(sorted(str(call.method) for thread in test.threads for call in thread))
    return Identity(kind, violation.exception, methods=methods)


def symptom(violation: Violation, error: BaseException | None, *, belongs: Belongs) -> tuple[str, ...]:
    """Return what two failures have in common if they fail in the same way."""
    frame = None if error is None else innermost_frame(error, belongs)
    where = () if frame is None else (frame.place.file, frame.function, frame.inherited)
    return violation.oracle, violation.exception, *where


def innermost_frame(error: BaseException, belongs: Belongs) -> Frame | None:
    """Return the innermost frame of the package in the traceback of an exception; None if there is none.

    >>> try:
    ...     innermost_frame(1, 2)
    ... except AttributeError as error:
    ...     innermost_frame(error, lambda file: file == __file__).function
    'innermost_frame'
    """
    found, inherited = None, ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if belongs(code.co_filename):
            found = Frame(Place(code.co_filename, trace.tb_lineno), code.co_qualname, inherited)
        elif trace.tb_frame.f_globals.get("__name__") in MIXINS:
            inherited = code.co_qualname
        trace = trace.tb_next
    return found
