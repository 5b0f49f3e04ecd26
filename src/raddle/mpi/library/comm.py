"""`MPI.Comm`: communicators, and the operations that create them."""

from __future__ import annotations

from typing import Any, NoReturn

from raddle.mpi.call_place import called_at
from raddle.mpi.cautions import CautionKind
from raddle.mpi.constants import UNDEFINED
from raddle.mpi.exchange import WORLD_CONTEXT
from raddle.mpi.library.buffer_collectives import BufferCollectives
from raddle.mpi.library.errors import AbortError
from raddle.mpi.library.group import CONGRUENT, IDENT, Group, compare
from raddle.mpi.library.management import Managed
from raddle.mpi.library.matched import MatchedProbes
from raddle.mpi.library.payload import Pickled
from raddle.mpi.opened import Opened
from raddle.mpi.point_to_point import running, world_of

SELF_CONTEXTS = -1_000_000  # COMM_SELF of rank n has the context SELF_CONTEXTS - n


class Comm(MatchedProbes, BufferCollectives, Managed):
    """A communicator."""

    def Dup(self, info: Any = None) -> Comm:  # noqa: N802
        """Return a communicator with the same ranks and a context of its own."""
        call = self._enter("dup", Pickled.of(None))
        self._complete(call, call.members)
        context = world_of(running()).exchange.context((call.context, call.number))
        return self._new(context, call.members, "Dup")

    Clone = Dup

    def Split(self, color: int = 0, key: int = 0) -> Comm:  # noqa: N802
        """Return a communicator of the ranks with the same color, ordered by key; COMM_NULL for UNDEFINED."""
        call = self._enter("split", Pickled.of((color, key)))
        colors = self._values(call)
        if color == UNDEFINED:
            return COMM_NULL
        together = sorted((its_key, at) for at, (its_color, its_key) in enumerate(colors) if its_color == color)
        members = tuple(call.members[at] for _, at in together)
        context = world_of(running()).exchange.context((call.context, call.number, color))
        return self._new(context, members, "Split")

    def Split_type(self, split_type: int, key: int = 0, info: Any = None) -> Comm:  # noqa: N802
        """Return a communicator of the ranks on the same node, which are all ranks."""
        return self.Split(UNDEFINED if split_type == UNDEFINED else 0, key)

    def Get_group(self) -> Group:  # noqa: N802
        """Return the group of the ranks."""
        return Group(self.members)

    @property
    def group(self) -> Group:
        """The group of the ranks."""
        return self.Get_group()

    def Create(self, group: Group) -> Comm:  # noqa: N802
        """Return a communicator of the ranks in a group, and COMM_NULL in the other ranks; all ranks call this."""
        call = self._enter("create", Pickled.of(None))
        self._complete(call, call.members)
        if self._me not in group.members:
            return COMM_NULL
        context = world_of(running()).exchange.context((call.context, call.number, group.members))
        return self._new(context, group.members, "Create")

    def Create_group(self, group: Group, tag: int = 0) -> Comm:  # noqa: N802
        """Return a communicator of the ranks in a group; only these ranks call this."""
        exchange = world_of(running()).exchange
        meeting = Comm(exchange.context((self.context, "group", group.members, tag)), group.members)
        call = meeting._enter("create_group", Pickled.of(None))
        meeting._complete(call, call.members)
        return self._new(exchange.context((call.context, call.number)), group.members, "Create_group")

    def Compare(self, comm: Comm) -> int:  # noqa: N802
        """Return IDENT (the same communicator), CONGRUENT (the same ranks in another context), SIMILAR or UNEQUAL."""
        compared = compare(self.members, comm.members)
        return CONGRUENT if compared == IDENT and self != comm else compared

    @staticmethod
    def _new(context: int, members: tuple[int, ...], how: str) -> Comm:
        """Return a new communicator, which the program should free."""
        comm = Comm(context, members)
        running().own.opened.append(
            Opened(
                CautionKind.LEAK, f"a communicator with {how}", "created", "never freed it", comm.__bool__, called_at()
            )
        )
        return comm

    def Free(self) -> None:  # noqa: N802
        """Release the communicator."""
        self._context = None

    Disconnect = Free

    def Abort(self, errorcode: int = 0) -> NoReturn:  # noqa: N802
        """End the program."""
        raise AbortError(errorcode)

    def Get_name(self) -> str:  # noqa: N802
        """Return the name of the communicator."""
        return self._name

    def Set_name(self, name: str) -> None:  # noqa: N802
        """Set the name of the communicator."""
        self._name = name

    @property
    def name(self) -> str:
        """The name of the communicator."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    def Is_inter(self) -> bool:  # noqa: N802
        """Return False: there are no intercommunicators."""
        return False

    def Is_intra(self) -> bool:  # noqa: N802
        """Return True: there are no intercommunicators."""
        return True


class SelfComm(Comm):
    """COMM_SELF, which contains only the rank that uses it."""

    @property
    def context(self) -> int:
        """The number of the context, which depends on the running rank."""
        number: int = running().own.number
        return SELF_CONTEXTS - number

    @property
    def members(self) -> tuple[int, ...]:
        """The running rank."""
        return (running().own.number,)

    @property
    def rank(self) -> int:
        """The rank of the caller, which is 0."""
        return 0


COMM_NULL = Comm(None, None, "MPI_COMM_NULL")
COMM_WORLD = Comm(WORLD_CONTEXT, None, "MPI_COMM_WORLD")
COMM_SELF = SelfComm(SELF_CONTEXTS, None, "MPI_COMM_SELF")
