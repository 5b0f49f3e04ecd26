"""What all methods of communicators share: members, ranks and the checks of arguments."""

from __future__ import annotations

import itertools
from typing import Any

from raddle.mpi.constants import ANY_SOURCE, ANY_TAG, PROC_NULL, TAG_UB
from raddle.mpi.library import errors
from raddle.mpi.library.refusal import Refusing
from raddle.mpi.library.status import Status
from raddle.mpi.message import Message
from raddle.mpi.point_to_point import running, world_of


class BaseComm(Refusing):
    """A group of ranks with a context, in which messages are only seen by the communicator's own receives."""

    def __init__(self, context: int | None, members: tuple[int, ...] | None, name: str = "") -> None:
        self._context = context  # None for COMM_NULL
        self._given_members = members  # ranks in COMM_WORLD; None for the ranks of the running world
        self._name = name
        self._ranks: dict[int, int] = {}
        self._created = itertools.count()

    # -- members --------------------------------------------------------------------------------------

    @property
    def context(self) -> int:
        """The number of the context."""
        if self._context is None:
            raise errors.Exception(errors.ERR_COMM, "COMM_NULL has no ranks")
        return self._context

    @property
    def members(self) -> tuple[int, ...]:
        """The members of the communicator, as ranks in COMM_WORLD."""
        if self._context is None:
            raise errors.Exception(errors.ERR_COMM, "COMM_NULL has no ranks")
        if self._given_members is None:
            return tuple(range(world_of(running()).size))
        return self._given_members

    @property
    def rank(self) -> int:
        """The rank of the caller in this communicator."""
        number: int = running().own.number
        if self._given_members is None and self._context is not None:
            return number
        return self.members.index(number)

    @property
    def size(self) -> int:
        """The number of ranks."""
        return len(self.members)

    def Get_rank(self) -> int:  # noqa: N802
        """Return the rank of the caller in this communicator."""
        return self.rank

    def Get_size(self) -> int:  # noqa: N802
        """Return the number of ranks."""
        return self.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BaseComm) and self._context == other._context

    def __hash__(self) -> int:
        return hash(self._context)

    def __repr__(self) -> str:
        return self._name.replace("MPI_", "MPI.") or f"<{type(self).__name__} {self._context}>"

    def __bool__(self) -> bool:
        return self._context is not None

    # -- arguments ------------------------------------------------------------------------------------

    def _world_rank(self, rank: Any, what: str) -> int:
        """Return a rank of this communicator as a rank in COMM_WORLD; PROC_NULL stays itself."""
        members = self.members
        if rank == PROC_NULL:
            return PROC_NULL
        number = rank.__index__() if hasattr(rank, "__index__") else -1  # NumPy integers are ranks, too
        if not 0 <= number < len(members):
            raise errors.Exception(
                errors.ERR_RANK, f"{what} {rank!r} is not a rank of a communicator with {len(members)} ranks"
            )
        return members[number]

    def _destination(self, dest: Any) -> int:
        return self._world_rank(dest, "destination")

    def _source(self, source: Any) -> int:
        return ANY_SOURCE if source == ANY_SOURCE else self._world_rank(source, "source")

    def _root(self, root: Any) -> int:
        rank = self._world_rank(root, "root")
        if rank == PROC_NULL:
            raise errors.Exception(errors.ERR_ROOT, "root must be a rank of the communicator, not PROC_NULL")
        return rank

    @staticmethod
    def _tag(tag: Any, *, receiving: bool = False) -> int:
        if receiving and tag == ANY_TAG:
            return ANY_TAG
        number = tag.__index__() if hasattr(tag, "__index__") else -1
        if not 0 <= number <= TAG_UB:
            raise errors.Exception(errors.ERR_TAG, f"tag {tag!r} is not a number from 0 to {TAG_UB}")
        return int(number)

    def _fill(self, status: Status | None, message: Message) -> None:
        if status is not None:
            status.fill(self.members.index(message.source), message.tag, message.payload.size_bytes)
