"""Variables: the shared data of one execution, with the accesses that decide where scheduling points are needed."""

from __future__ import annotations

from typing import Any

BY_A_TWIN = -1  # the site of what a twin does, which is a step of its own anyway


class Variable:
    """One datum in one execution, and which participants touched it where.

    A participant's time is cut into segments, one for each participant that it starts. All accesses within one
    segment at one site are alike here, so a loop costs no more than its first round.
    """

    __slots__ = ("accesses", "conflicted", "inherited", "name", "number", "owner", "sole_user")

    def __init__(self, owner: object, name: str) -> None:
        self.owner = owner  # kept alive, so that its id stays its own
        self.name = name
        self.inherited: Variable | None = None  # the class's, which is read where the object has none of its own
        self.number = -1  # in the execution's cast, where there is one
        self.conflicted = False  # did two participants make accesses that conflict and that nothing orders?
        self.sole_user = -1  # the one participant that has touched it so far; -2 once there were several
        self.accesses: dict[tuple[int, int, int], bool] = {}  # (participant, segment, site) -> does it write?

    def conflicts(self, access: tuple[int, int, int], clock: dict[int, int], *, writes: bool) -> list[int]:
        """Note an access; return the sites of others' accesses that conflict with it and that no start or join orders.

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
    """The variables of one execution, by the id of their owner and by name."""

    __slots__ = ("objects", "views")

    def __init__(self) -> None:
        self.objects: dict[int, dict[str, Variable]] = {}
        # By id of a view or proxy: itself, kept alive so that its id stays its own, and the object behind it.
        self.views: dict[int, tuple[object, object]] = {}

    def clear(self) -> None:
        """Begin another execution."""
        self.objects.clear()
        self.views.clear()

    def variable(self, owner: Any, name: str) -> Variable:
        """Return the variable of that name, which is made on first sight."""
        fields = self.objects.setdefault(id(owner), {})
        found = fields.get(name)
        if found is None:
            found = fields[name] = Variable(owner, name)
        return found
