"""Dependence between operations, and keys that identify variables and resources across executions.

An operation is a list of accesses. Each access has a key (which variable or resource) and a mode. Two operations of
different participants depend on each other if they access a common key in conflicting modes. The world defines the
modes and which of them commute: see `raddle.schedulers.calculus`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, TypeAlias

from raddle.inspection import name_of

# The label of a participant, and the label of the alternative that its operation takes ("" if it has none).
Choice: TypeAlias = tuple[str, str]


class Operation(NamedTuple):
    """A pending or completed operation of a participant; each access is (key, mode, since), see `Names`."""

    accesses: tuple[tuple[int, int, int], ...]
    need: int = 0  # code, defined by the world, for what the operation needs to be enabled; 0 for nothing
    detail: Any = None  # additional data for its world, such as a capacity or the label of the thread to join
    # -1 if the accesses are known in advance. Otherwise the number of operations before this one: executions with a
    # common prefix of at most this length may use different keys in these accesses.
    depth: int = -1


class Names:
    """Assigns keys to variables and resources. Executions with the same prefix use the same keys.

    Objects differ from one execution to the next. An object is identified by the operation that first touches it: the
    label of the participant, and the number of operations that the participant had performed before. `since` is the
    number of operations that all participants together had performed when the key was assigned. Executions that share a
    prefix of n operations agree on all keys whose `since` is at most n.
    """

    def __init__(self) -> None:
        self._keys: dict[tuple[str, int, str, str], int] = {}
        self.descriptions: list[tuple[str, str]] = []  # by key: the name of the variable and the type of the object
        self.begin()

    def begin(self) -> None:
        """Forget the objects of the last execution."""
        self.assigned: dict[tuple[int, str], tuple[int, int]] = {}  # maps (id of an object, name) to (key, since)
        self._kept: list[object] = []  # keeps the objects alive, because `assigned` refers to them by id

    def __getstate__(self) -> object:
        return self._keys, self.descriptions  # the objects exist only in this process

    def __setstate__(self, state: Any) -> None:
        self._keys, self.descriptions = state
        self.begin()

    def add(self, obj: object, name: str, by: tuple[str, int], since: int) -> tuple[int, int]:
        """Assign a key to a variable or resource that is touched for the first time in this execution.

        `by` is the label of the participant and its number of operations so far. Return the key and `since`.
        """
        description = (name, name_of(type(obj)))
        full = (*by, *description)
        key = self._keys.get(full)
        if key is None:
            key = self._keys[full] = len(self.descriptions)
            self.descriptions.append(description)
        assigned = self.assigned[id(obj), name] = key, since
        self._kept.append(obj)
        return assigned


def conflict_table(modes: int, commuting: Collection[tuple[int, int]]) -> tuple[int, ...]:
    """Return, for each mode, a bit mask of the modes with which it does not commute.

    >>> conflict_table(2, {(0, 0)})  # mode 0, a read, commutes with reads only
    (2, 3)
    """
    return tuple(
        sum(1 << other for other in range(modes) if (mode, other) not in commuting and (other, mode) not in commuting)
        for mode in range(modes)
    )


def depend(conflicts: Sequence[int], one: Operation, other: Operation) -> bool:
    """Return whether two operations of one execution do not commute, according to a world's table of conflicts."""
    for key, mode, _ in one.accesses:
        for also, how, _ in other.accesses:
            if key == also and conflicts[mode] >> how & 1:
                return True
    return False


def may_depend(
    conflicts: Sequence[int], one: Operation, other: Operation, descriptions: list[tuple[str, str]], common: int
) -> bool:
    """Return whether two operations might conflict, if their executions share a prefix of `common` operations.

    Two objects that are first touched after the prefix may be the same object. They count as the same if their
    descriptions (variable name and type) are equal.
    """
    for key, mode, since in one.accesses:
        for also, how, when in other.accesses:
            if conflicts[mode] >> how & 1 and (
                key == also or (since > common and when > common and descriptions[key] == descriptions[also])
            ):
                return True
    return False
