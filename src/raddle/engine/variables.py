"""The variables of one execution, with the accesses that determine where scheduling points are needed."""

from __future__ import annotations

from typing import Any

BY_A_TWIN = -1  # used as the site of accesses by twins, which have no site in the source


class Variable:
    """One variable in one execution, with the sites at which each participant accessed it.

    A participant enters a new segment whenever it starts another participant. Accesses at one site within one segment
    count as one, so a loop costs no more than its first iteration.
    """

    __slots__ = ("accesses", "conflicted", "inherited", "name", "number", "owner", "sole_user")

    def __init__(self, owner: object, name: str) -> None:
        self.owner = owner  # kept alive, so that its id is not reused
        self.name = name
        self.inherited: Variable | None = None  # the class attribute that is read if the object has no such attribute
        self.number = -1  # number of the variable among the execution's entities; -1 if not numbered
        self.conflicted = False  # True if two participants made conflicting accesses that no start or join orders
        self.sole_user = (
            -1
        )  # index of the only participant that accessed the variable; -1 if none did, -2 if several did
        # Maps (participant, segment, site) to whether the access writes.
        self.accesses: dict[tuple[int, int, int], bool] = {}

    def conflicts(self, access: tuple[int, int, int], clock: dict[int, int], *, writes: bool) -> list[int]:
        """Record an access; return the sites of conflicting accesses that no start or join orders before it.

        >>> variable = Variable(None, "x")
        >>> variable.conflicts((0, 0, 11), {}, writes=True)     # T0 writes, starts T1 ...
        []
        >>> variable.conflicts((1, 0, 12), {0: 0}, writes=False)  # ... which reads: ordered by the start
        []
        >>> variable.conflicts((0, 1, 13), {}, writes=True)     # T0 writes again: not ordered with T1's read
        [12]
        """
        index = access[0]
        found: list[int] = []
        if self.sole_user != index:
            if self.sole_user == -1:
                self.sole_user = index
            else:
                self.sole_user = -2
                found = [
                    where
                    for (other, when, where), wrote in self.accesses.items()
                    if other != index and (writes or wrote) and clock.get(other, -1) < when
                ]
        self.accesses[access] = writes
        self.conflicted |= bool(found)
        return found


class VariableTable:
    """The variables of one execution, by the id of their owner and their name."""

    __slots__ = ("objects", "views")

    def __init__(self) -> None:
        self.objects: dict[int, dict[str, Variable]] = {}
        # Maps the id of a view or proxy to the view, kept alive so that its id is not reused, and the object behind it.
        self.views: dict[int, tuple[object, object]] = {}

    def clear(self) -> None:
        """Forget the variables of the last execution."""
        self.objects.clear()
        self.views.clear()

    def variable(self, owner: Any, name: str) -> Variable:
        """Return the variable with this owner and name; create it when first requested."""
        fields = self.objects.setdefault(id(owner), {})
        found = fields.get(name)
        if found is None:
            found = fields[name] = Variable(owner, name)
        return found
