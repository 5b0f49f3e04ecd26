"""The observed accesses to shared variables: the input to the formulas in `sizes`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from raddle.entities import AbstractVariable
from raddle.operation import READ

Access = tuple[str, str, int, int]  # thread, "read" or "write", site, occurrence
Clock = tuple[tuple[str, int], ...]  # for each thread, its last segment that happens before the clock's own segment
Profile = tuple[tuple[int, int], ...]  # for one thread: each segment and the number of accesses in it
UNORDERED = ("", 0, ())  # used in place of segments if an execution had too many of them
NEVER = -1  # used in place of a segment number


@dataclass(slots=True)
class ObservedAccesses:
    """The accesses to shared variables that were observed in any execution.

    Each criterion records the part that its formula needs. Instances from different executions and criteria can be
    added together.

    >>> one = ObservedAccesses(1, {(AbstractVariable("m.py", "", "x"), ("T1", "read", 70001, 1))})
    >>> len((one + one).accesses), ObservedAccesses.from_json(one.as_json()) == one
    (1, True)
    """

    executions: int = 0
    accesses: set[tuple[AbstractVariable, Access]] = field(default_factory=set)
    # The source of each read if no other thread writes in between: the reading thread's last write, or "initial".
    sources: set[tuple[AbstractVariable, Access | str, Access]] = field(default_factory=set)
    pairs: set[tuple[AbstractVariable, Access, Access]] = field(default_factory=set)  # consecutive pairs
    # Each entry summarizes the accesses of one thread in one execution, to all variables (None) or to one variable: the
    # thread's label, the number of accesses in each segment, and a digest of their sequence.
    lines: set[tuple[AbstractVariable | None, str, Profile, str]] = field(default_factory=set)
    meetings: set[tuple[str, ...]] = field(default_factory=set)  # each entry: the threads of one execution
    # How starts and joins order accesses (see `raddle.criteria.start_join`): the first and last segment of each access,
    # and the clock of each segment, which is identified by thread label and number.
    spans: set[tuple[AbstractVariable, Access, int, int]] = field(default_factory=set)
    segments: set[tuple[str, int, Clock]] = field(default_factory=set)
    # For each write: the segment in which the writing thread overwrites the value, or NEVER.
    overwritten: set[tuple[AbstractVariable, Access, int]] = field(default_factory=set)
    # For each read: the segments whose writes are overwritten before the read.
    hidden: set[tuple[AbstractVariable, Access, Clock]] = field(default_factory=set)
    # Pairs that can occur without a disturbing access in between.
    calm: set[tuple[AbstractVariable, Access, Access]] = field(default_factory=set)

    # Number of occurrences of an access that were distinguished, for explanations; 0 means the criterion's default.
    occurrences: int = field(default=0, compare=False)

    def __add__(self, other: ObservedAccesses) -> ObservedAccesses:
        occurrences = max(self.occurrences, other.occurrences)
        result = ObservedAccesses(self.executions + other.executions, occurrences=occurrences)
        for name in _PARTS:
            setattr(result, name, getattr(self, name) | getattr(other, name))
        return result

    def as_json(self) -> dict[str, Any]:
        """Return the JSON form for the data file; it is the same for equal values."""
        parts = {name: sorted(map(_lists, getattr(self, name)), key=repr) for name in _PARTS}
        return {"executions": self.executions, "occurrences": self.occurrences, **parts}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ObservedAccesses:
        """Restore a value from its JSON form."""
        result = cls(data["executions"], occurrences=data.get("occurrences", 0))
        for name in _PARTS:
            setattr(result, name, {_with_variable(name, _tuples(item)) for item in data.get(name, ())})
        if "spans" not in data:
            result._assume_unordered()
        return result

    def _assume_unordered(self) -> None:
        """Fill in the parts that earlier versions did not store, assuming that starts and joins impose no order."""
        self.lines = {(variable, label, ((0, accesses),), digest) for variable, label, accesses, digest in self.lines}  # type: ignore[misc]
        self.calm = set(self.pairs)
        if not self.sources:
            self.sources = {(variable, "local", access) for variable, access in self.accesses if access[1] == READ}


_PARTS = tuple(part.name for part in fields(ObservedAccesses) if part.name not in ("executions", "occurrences"))


def _lists(value: Any) -> Any:
    return [_lists(part) for part in value] if isinstance(value, tuple) else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value


def _with_variable(name: str, item: tuple[Any, ...]) -> tuple[Any, ...]:
    if name in ("meetings", "segments") or item[0] is None:
        return item
    return AbstractVariable(*item[0]), *item[1:]
