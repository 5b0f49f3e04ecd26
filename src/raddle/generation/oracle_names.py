"""The names of oracles in options."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.errors import UsageError
from raddle.linearizability.judgment import Oracle

PRIVATE = "private"  # the oracle that compares private attributes
ORACLES = ("exceptions", "hangs", "results", "state", "invariants")  # the default; `PRIVATE` is the last tier


def names_in(text: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names in an option, which is a sequence or has commas.

    Raises:
        UsageError: If a name is unknown, or if there are none.

    >>> names_in("hangs, private")
    ('hangs', 'private')
    """
    names = tuple(name.strip() for name in text.split(",")) if isinstance(text, str) else tuple(text)
    known = (*ORACLES, PRIVATE)
    for name in names:
        if name not in known:
            raise UsageError("bad-oracle", f"oracle must be some of {', '.join(known)}, not {name!r}")
    if not names:
        raise UsageError("bad-oracle", f"oracle is empty: name some of {', '.join(known)}")
    return names


def oracles_of(names: Sequence[str]) -> frozenset[Oracle]:
    """Return the oracles with these names. Private attributes are compared by the oracle for the state.

    >>> sorted(oracles_of(["hangs", "private"]))
    [<Oracle.HANGS: 'hangs'>, <Oracle.STATE: 'state'>]
    """
    return frozenset(Oracle.STATE if name == PRIVATE else Oracle(name) for name in names)
