"""What an operation touches, and names for it that hold across executions.

An operation is a list of accesses: a key (which variable or resource) and a mode. Two operations of different
participants depend on each other if they have a key in common and modes that conflict. Which modes there are, and
which of them commute, is up to the world: see `raddle.schedulers.calculus`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, TypeAlias

from raddle.inspection import name_of

# The label of a participant, and that of the alternative that its operation takes; "" if it has none.
Choice: TypeAlias = tuple[str, str]


class Operation(NamedTuple):
    """What a participant is about to do, or did; `accesses` are (key, mode, since): see `Names`."""

    accesses: tuple[tuple[int, int, int], ...]
    need: int = 0  # what it waits for, in terms of its world; 0: nothing
    detail: Any = None  # what else its world has to know: a capacity, the label of the thread to be joined
    # Of an operation whose accesses are known only after the step: how many operations came before. Executions with
    # exactly so many operations in common need not agree on the names in it. -1: known in advance, so they agree.
    depth: int = -1


class Names:
    """Keys of variables and resources, the same in every execution that began in the same way.

    Objects differ from one execution to the next. One is named after the operation at which it was first seen:
    the participant's label, and how many operations it had done before. `since` is the number of operations of all
    participants by then. Executions that share their first n operations agree on all names since n or earlier.
    """

    def __init__(self) -> None:
        self._keys: dict[tuple[str, int, str, str], int] = {}
        self.looks: list[tuple[str, str]] = []  # by key: the name and the type, which is all that is sure later on
        self.begin()

    def begin(self) -> None:
        """Forget the objects of the last execution."""
        self.seen: dict[tuple[int, str], tuple[int, int]] = {}  # by id and name: the key, and since when it is known
        self._kept: list[object] = []  # ids are names here

    def __getstate__(self) -> object:
        return self._keys, self.looks  # the objects are this execution's, and stay where they are

    def __setstate__(self, state: Any) -> None:
        self._keys, self.looks = state
        self.begin()

    def add(self, obj: object, name: str, by: tuple[str, int], since: int) -> tuple[int, int]:
        """Name a variable or resource that is seen for the first time in this execution."""
        looks = (name, name_of(type(obj)))
        full = (*by, *looks)
        key = self._keys.get(full)
        if key is None:
            key = self._keys[full] = len(self.looks)
            self.looks.append(looks)
        known = self.seen[id(obj), name] = key, since
        self._kept.append(obj)
        return known


def conflict_table(modes: int, commuting: Collection[tuple[int, int]]) -> tuple[int, ...]:
    """Return, by mode, a bit for each mode that it does not commute with.

    >>> conflict_table(2, {(0, 0)})  # reads commute with reads only
    (2, 3)
    """
    return tuple(
        sum(1 << other for other in range(modes) if (mode, other) not in commuting and (other, mode) not in commuting)
        for mode in range(modes)
    )


def depend(conflicts: Sequence[int], one: Operation, other: Operation) -> bool:
    """Return whether two operations of one execution do not commute, given a world's table of conflicts."""
    for key, mode, _ in one.accesses:
        for also, how, _ in other.accesses:
            if key == also and conflicts[mode] >> how & 1:
                return True
    return False


def may_depend(
    conflicts: Sequence[int], one: Operation, other: Operation, looks: list[tuple[str, str]], common: int
) -> bool:
    """Return the same for operations of two executions that share their first `common` operations.

    Two objects that were seen only later may be one and the same: if they look alike, they count as one.
    """
    for key, mode, since in one.accesses:
        for also, how, when in other.accesses:
            if conflicts[mode] >> how & 1 and (
                key == also or (since > common and when > common and looks[key] == looks[also])
            ):
                return True
    return False
