"""What executions taught about sharing: where scheduling points are needed.

A site becomes a point once a variable it touches was touched by two threads, one of them writing, in an
order that neither a start nor a join dictates. Orders that locks or events brought about do not count:
another schedule may turn them round. What was learnt is never forgotten, and takes effect from the next
execution on. Restricting the points to these sites loses no outcome: accesses elsewhere touch what only
one thread uses at a time, so they commute with everything the others do.
"""

from __future__ import annotations

BY_A_TWIN = -1  # the site of what a twin does, which is a step of its own anyway


class Learned:
    """The sites that need a scheduling point, and the kinds of resource somebody looks at without blocking."""

    __slots__ = ("kinds", "sites", "version")

    def __init__(self) -> None:
        self.sites: set[int] = set()
        self.kinds: set[str] = set()
        self.version = 0  # grows with every new insight: a search that counts schedules must begin again

    def copy(self) -> Learned:
        """As it is now: what is learnt later does not change the copy, nor the other way round."""
        copy = Learned()
        copy.sites, copy.kinds, copy.version = set(self.sites), set(self.kinds), self.version
        return copy

    def site(self, number: int) -> None:
        if number not in self.sites:
            self.sites.add(number)
            self.version += 1

    def kind(self, name: str) -> None:
        if name not in self.kinds:
            self.kinds.add(name)
            self.version += 1


class Variable:
    """One shared datum in one execution, and who touched it where.

    A thread's time is cut into segments, one for each thread it starts; what happens within one segment at
    one site is all alike here, so a loop costs no more than its first round.
    """

    __slots__ = ("conflicted", "inherited", "name", "number", "only", "owner", "seen")

    def __init__(self, owner: object, name: str) -> None:
        self.owner = owner  # kept alive, so that its id stays its own
        self.name = name
        self.inherited: Variable | None = None  # the class's, which is read where the object has none of its own
        self.number = -1  # in the execution's cast, where there is one
        self.conflicted = False  # did two threads come to it that could be in each other's way?
        self.only = -1  # the one thread that has touched it so far; -2 once there were several
        self.seen: dict[tuple[int, int, int], bool] = {}  # (thread, segment, site) -> does it write?

    def conflicts(self, access: tuple[int, int, int], clock: dict[int, int], *, writes: bool) -> list[int]:
        """Note an access; the sites of others' accesses that no start or join puts before it, in conflict.

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
        if self.only != index:
            if self.only == -1:
                self.only = index
            else:
                self.only = -2
                found = [
                    where
                    for (other, when, where), wrote in self.seen.items()
                    if other != index and (writes or wrote) and clock.get(other, -1) < when
                ]
        self.seen[access] = writes
        self.conflicted |= bool(found)
        return found
