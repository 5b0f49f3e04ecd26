"""The uses of a value in source code: called, iterated, unpacked, compared, attributes read.

The use of a value that comes out of a parameter is recorded under a path. For `for key, value in items: value.close()`,
the parameter `items` is ITERATED, the path ("item",) is UNPACKED, and ("item", "1") has the attribute "close".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Path = tuple[str, ...]  # steps from a parameter to a value: "item", "result", ".attribute", or "0" after unpacking


class Use(StrEnum):
    """The ways in which source code uses a value. The comments say what the detail of the fact is."""

    CALLED = "called"
    KEYWORD = "keyword"  # the name of an argument with which it is called
    ITERATED = "iterated"
    UNPACKED = "unpacked"  # the number of parts
    INDEXED = "indexed"  # the index if it is constant, else None
    MAPPING = "mapping"  # passed as **value
    ATTRIBUTE = "attribute"  # the name
    INSTANCE = "instance"  # the name of a class that `isinstance` checks
    SUBCLASS = "subclass"  # passed to `issubclass`
    CONTEXT = "context"  # used in `with`
    ARITHMETIC = "arithmetic"
    ORDERED = "ordered"  # compared with < or >
    COMPARED = "compared"  # a constant that the value is compared with
    NAMED = "named"  # the dotted name of a constant that the value is compared with
    NONE = "none"  # compared with None
    CONDITION = "condition"  # tested for truth
    KEY = "key"  # used as a key or index, or looked up with `in`
    CONTAINER = "container"  # on the right side of `in`
    RAISED = "raised"
    PASSED = "passed"  # the dotted name of the function to which the value is passed
    STORED = "stored"  # the attribute of `self` that the value is assigned to
    FORWARDED = "forwarded"  # a function and its argument: `Forward`


@dataclass(frozen=True, slots=True)
class Forward:
    """An argument of a call, by which a value reaches another function."""

    function: str  # as written: "self.put", "super().put" or "put"
    position: int  # -1 if the argument is passed by keyword
    keyword: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One use of a value."""

    path: Path
    use: Use
    detail: Any = None

    # True == 1, but these are different constants.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fact) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Path, Use, str]:
        return self.path, self.use, repr(self.detail)


@dataclass(frozen=True, slots=True)
class Usage:
    """The uses of one value, in the order of the source."""

    facts: tuple[Fact, ...] = ()

    def at(self, *steps: str) -> Usage:
        """Return the uses of a value that comes out of this one.

        >>> Usage((Fact(("item",), Use.CALLED),)).at("item").has(Use.CALLED)
        True
        """
        length = len(steps)
        found = (fact for fact in self.facts if fact.path[:length] == steps)
        return Usage(tuple(Fact(fact.path[length:], fact.use, fact.detail) for fact in found))

    def has(self, *uses: Use) -> bool:
        """Return whether the value itself is used in one of these ways."""
        return any(not fact.path and fact.use in uses for fact in self.facts)

    def details(self, use: Use) -> tuple[Any, ...]:
        """Return the details of all uses of one kind."""
        return tuple(dict.fromkeys(fact.detail for fact in self.facts if not fact.path and fact.use is use))

    @property
    def is_flag(self) -> bool:
        """Whether the value is only tested for truth.

        >>> Usage((Fact((), Use.CONDITION),)).is_flag, Usage((Fact((), Use.CONDITION), Fact((), Use.KEY))).is_flag
        (True, False)
        """
        return (
            bool(self.facts)
            and all(fact.use in (Use.CONDITION, Use.STORED, Use.FORWARDED) and not fact.path for fact in self.facts)
            and self.has(Use.CONDITION)
        )

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that are read or called."""
        return frozenset(self.details(Use.ATTRIBUTE))

    def __add__(self, other: Usage) -> Usage:
        return Usage(tuple(dict.fromkeys((*self.facts, *other.facts))))

    def __bool__(self) -> bool:
        return bool(self.facts)
