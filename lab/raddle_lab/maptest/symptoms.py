"""Compares the symptom of a bug with those that a subject is known for."""

from __future__ import annotations

import builtins
from collections.abc import Collection

from raddle.inspection import mro
from raddle.linearizability.judgment import Oracle, Violation

CERTAIN_ORACLES = frozenset({Oracle.EXCEPTIONS, Oracle.HANGS})  # the first two tiers, as in the paper
DEADLOCK, WRONG_RESULT = "deadlock", "wrong result"


def symptom_of(violation: Violation) -> str:
    """Return the name of an exception, "deadlock" or "wrong result"."""
    match violation.oracle:
        case Oracle.EXCEPTIONS:
            return violation.exception.rpartition(".")[2]
        case Oracle.HANGS:
            return DEADLOCK
        case _:
            return WRONG_RESULT


def matches(symptom: str, error: BaseException | None, known: Collection[str]) -> bool:
    """Return whether a symptom is one of the known ones. An exception also matches the names of its base classes.

    >>> matches("KeyError", None, ["LookupError"]), matches("KeyError", None, ["IndexError"])
    (True, False)
    """
    cls = type(error) if error is not None else getattr(builtins, symptom, None)
    names = {base.__name__ for base in mro(cls)} if isinstance(cls, type) else set()
    return not {symptom, *names}.isdisjoint(known)
