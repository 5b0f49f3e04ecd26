"""`MPI.Group`: ordered sets of ranks."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.mpi.constants import UNDEFINED
from raddle.mpi.library import errors
from raddle.mpi.library.refusal import Refusing
from raddle.mpi.point_to_point import running

IDENT, CONGRUENT, SIMILAR, UNEQUAL = range(4)


class Group(Refusing):
    """An ordered set of ranks, numbered as in COMM_WORLD.

    >>> group = Group((4, 2, 7)).Excl([1])
    >>> group.size, group.members, group.Union(Group((7, 1))).members
    (2, (4, 7), (4, 7, 1))
    """

    def __init__(self, members: tuple[int, ...]) -> None:
        self.members = members

    @property
    def size(self) -> int:
        """The number of ranks."""
        return len(self.members)

    @property
    def rank(self) -> int:
        """The position of the running rank; UNDEFINED if it is not in the group."""
        number: int = running().own.number
        return self.members.index(number) if number in self.members else UNDEFINED

    def Get_size(self) -> int:  # noqa: N802
        """Return the number of ranks."""
        return self.size

    def Get_rank(self) -> int:  # noqa: N802
        """Return the position of the running rank."""
        return self.rank

    def Incl(self, ranks: Sequence[int]) -> Group:  # noqa: N802
        """Return the group of the ranks at these positions."""
        return Group(tuple(self._member(rank) for rank in ranks))

    def Excl(self, ranks: Sequence[int]) -> Group:  # noqa: N802
        """Return the group without the ranks at these positions."""
        excluded = {self._member(rank) for rank in ranks}
        return Group(tuple(member for member in self.members if member not in excluded))

    def Range_incl(self, ranks: Sequence[tuple[int, int, int]]) -> Group:  # noqa: N802
        """Return the group of the ranks in ranges with a first position, a last position and a stride."""
        return self.Incl(_expanded(ranks))

    def Range_excl(self, ranks: Sequence[tuple[int, int, int]]) -> Group:  # noqa: N802
        """Return the group without the ranks in ranges with a first position, a last position and a stride."""
        return self.Excl(_expanded(ranks))

    def Union(self, group1: Group, group2: Group | None = None) -> Group:  # noqa: N802
        """Return the ranks of either group."""
        one, other = (self, group1) if group2 is None else (group1, group2)
        return Group(one.members + tuple(member for member in other.members if member not in one.members))

    def Intersection(self, group1: Group, group2: Group | None = None) -> Group:  # noqa: N802
        """Return the ranks of both groups."""
        one, other = (self, group1) if group2 is None else (group1, group2)
        return Group(tuple(member for member in one.members if member in other.members))

    def Difference(self, group1: Group, group2: Group | None = None) -> Group:  # noqa: N802
        """Return the ranks of the first group that are not in the second."""
        one, other = (self, group1) if group2 is None else (group1, group2)
        return Group(tuple(member for member in one.members if member not in other.members))

    def Translate_ranks(self, ranks: Sequence[int], group: Group) -> list[int]:  # noqa: N802
        """Return the positions of ranks in another group."""
        members = [self._member(rank) for rank in ranks]
        return [group.members.index(one) if one in group.members else UNDEFINED for one in members]

    def Compare(self, group: Group) -> int:  # noqa: N802
        """Return IDENT, SIMILAR (the same ranks in another order) or UNEQUAL."""
        return compare(self.members, group.members)

    def Free(self) -> None:  # noqa: N802
        """Release the group."""

    def _member(self, rank: int) -> int:
        if not 0 <= rank < self.size:
            raise errors.Exception(errors.ERR_RANK, f"{rank} is not a position in a group of {self.size} ranks")
        return self.members[rank]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self.members == other.members

    def __hash__(self) -> int:
        return hash(self.members)


def compare(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Return how two lists of ranks differ."""
    if one == other:
        return IDENT
    return SIMILAR if sorted(one) == sorted(other) else UNEQUAL


def _expanded(ranges: Sequence[tuple[int, int, int]]) -> list[int]:
    return [rank for first, last, stride in ranges for rank in range(first, last + (1 if stride > 0 else -1), stride)]
