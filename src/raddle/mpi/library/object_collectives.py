"""Collective operations on Python objects: the lower-case methods of communicators.

Each operation waits only for the ranks whose data it needs, which is all that the MPI standard guarantees. The option
`Collectives.SYNCHRONIZING` makes each of them wait for all ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raddle.mpi import completion
from raddle.mpi.call_place import called_at
from raddle.mpi.collective_call import CollectiveCall, Entry
from raddle.mpi.library.base_comm import BaseComm
from raddle.mpi.library.operators import SUM, Op
from raddle.mpi.library.payload import Pickled
from raddle.mpi.options import Collectives
from raddle.mpi.point_to_point import running, world_of


class ObjectCollectives(BaseComm):
    """The collective methods that exchange pickled objects."""

    def _enter(
        self, name: str, value: object = None, *, root: int | None = None, op: Op | None = None
    ) -> CollectiveCall:
        if op is not None:
            op.check()
        arguments = () if op is None else (("operator", op.name),)
        return self._join_in(Entry(name, value, root, arguments, called_at()))

    def _join_in(self, entry: Entry) -> CollectiveCall:
        return completion.enter(self.context, self.members, entry)

    def _complete(self, call: CollectiveCall, needs: Sequence[int]) -> None:
        """Wait until the ranks in `needs` have entered the call; ranks are those of COMM_WORLD."""
        if world_of(running()).options.collectives is Collectives.SYNCHRONIZING:
            needs = call.members
        completion.complete(call, tuple(needs))

    def _values(self, call: CollectiveCall, ranks: Sequence[int] | None = None) -> list[Any]:
        """Wait for ranks, by default all of them, and return what they passed, in the order of the communicator."""
        ranks = call.members if ranks is None else ranks
        self._complete(call, ranks)
        return [call.entries[rank].payload.load() for rank in ranks]

    @property
    def _me(self) -> int:
        number: int = running().own.number
        return number

    # -- operations -----------------------------------------------------------------------------------

    def barrier(self) -> None:
        """Wait until all ranks have called `barrier`."""
        call = self._enter("barrier", Pickled.of(None))
        self._complete(call, call.members)

    Barrier = barrier

    def bcast(self, obj: object, root: int = 0) -> Any:
        """Return the object that the root passes."""
        source = self._root(root)
        call = self._enter("bcast", Pickled.of(obj if source == self._me else None), root=source)
        (value,) = self._values(call, (source,))
        return obj if source == self._me else value

    def gather(self, sendobj: object, root: int = 0) -> list[Any] | None:
        """Return the objects of all ranks, in the root; None in the others."""
        target = self._root(root)
        call = self._enter("gather", Pickled.of(sendobj), root=target)
        if target == self._me:
            return self._values(call)
        self._complete(call, ())
        return None

    def scatter(self, sendobj: Sequence[object] | None, root: int = 0) -> Any:
        """Return the element of the root's sequence for this rank."""
        source = self._root(root)
        parts: list[object] = []
        if source == self._me:
            parts = list(sendobj or ())
            self._check_length(parts)
        call = self._enter("scatter", Pickled.of(parts), root=source)
        (values,) = self._values(call, (source,))
        return values[self.rank]

    def allgather(self, sendobj: object) -> list[Any]:
        """Return the objects of all ranks."""
        return self._values(self._enter("allgather", Pickled.of(sendobj)))

    def alltoall(self, sendobj: Sequence[object]) -> list[Any]:
        """Return the element for this rank from the sequence of each rank."""
        parts = list(sendobj)
        self._check_length(parts)
        rank = self.rank
        return [values[rank] for values in self._values(self._enter("alltoall", Pickled.of(parts)))]

    def reduce(self, sendobj: object, op: Op = SUM, root: int = 0) -> Any:
        """Return the combination of the objects of all ranks, in the root; None in the others."""
        target = self._root(root)
        call = self._enter("reduce", Pickled.of(sendobj), root=target, op=op)
        if target == self._me:
            return op.reduce(self._values(call))
        self._complete(call, ())
        return None

    def allreduce(self, sendobj: object, op: Op = SUM) -> Any:
        """Return the combination of the objects of all ranks."""
        return op.reduce(self._values(self._enter("allreduce", Pickled.of(sendobj), op=op)))

    def scan(self, sendobj: object, op: Op = SUM) -> Any:
        """Return the combination of the objects of the ranks up to this one."""
        call = self._enter("scan", Pickled.of(sendobj), op=op)
        return op.reduce(self._values(call, call.members[: self.rank + 1]))

    def exscan(self, sendobj: object, op: Op = SUM) -> Any:
        """Return the combination of the objects of the ranks before this one; None in rank 0."""
        call = self._enter("exscan", Pickled.of(sendobj), op=op)
        before = self._values(call, call.members[: self.rank])
        return op.reduce(before) if before else None

    def _check_length(self, parts: Sequence[object]) -> None:
        if len(parts) != self.size:
            raise ValueError(f"expecting {self.size} items, got {len(parts)}")
