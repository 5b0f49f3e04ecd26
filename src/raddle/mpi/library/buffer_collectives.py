"""Collective operations on buffers: the upper-case methods of communicators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raddle.mpi.call_place import called_at
from raddle.mpi.collective_call import CollectiveCall, Entry
from raddle.mpi.library.buffers import IN_PLACE, Buffer, Packed, buffer_of, packed_parts, parts_of
from raddle.mpi.library.object_collectives import ObjectCollectives
from raddle.mpi.library.operators import SUM, Op
from raddle.mpi.library.reduction import reduced


class BufferCollectives(ObjectCollectives):
    """The collective methods that exchange buffers."""

    def _enter_with(
        self,
        name: str,
        payload: Any,
        like: Buffer | None,
        *,
        root: int | None = None,
        op: Op | None = None,
    ) -> CollectiveCall:
        """Enter a call. All ranks must pass the same number of elements and the same type as `like`, unless it is None.

        Bytes match every type, so neither is compared for them.
        """
        arguments: tuple[tuple[str, object], ...] = ()
        if op is not None:
            op.check()
            arguments += (("operator", op.name),)
        if like is not None and not like.datatype.is_raw:
            kind, size = like.datatype.basic
            arguments += (("type", f"{kind} of {size} bytes"), ("count", like.count * like.datatype.length))
        return self._join_in(Entry(name, payload, root, arguments, called_at()))

    def _payloads(self, call: CollectiveCall, ranks: Sequence[int] | None = None) -> list[Any]:
        """Wait for ranks, by default all of them, and return what they passed."""
        ranks = call.members if ranks is None else ranks
        self._complete(call, ranks)
        return [call.entries[rank].payload for rank in ranks]

    # -- one rank to or from all ------------------------------------------------------------------------

    def Bcast(self, buf: Any, root: int = 0) -> None:  # noqa: N802
        """Copy the root's buffer into those of the other ranks."""
        source, buffer = self._root(root), buffer_of(buf)
        call = self._enter_with("Bcast", buffer.pack() if source == self._me else None, buffer, root=source)
        (payload,) = self._payloads(call, (source,))
        if source != self._me:
            buffer.fill(payload)

    def Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:  # noqa: N802
        """Copy equal parts of the root's buffer into the buffers of the ranks."""
        source = self._root(root)
        parts = buffer_of(sendbuf).parts(self.size) if source == self._me else []
        target = None if recvbuf is IN_PLACE else buffer_of(recvbuf)
        self._scatter("Scatter", parts, target, source, like=parts[0] if parts else target)

    def Scatterv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:  # noqa: N802
        """Copy parts of the root's buffer into the buffers of the ranks."""
        source = self._root(root)
        parts = parts_of(sendbuf, self.size) if source == self._me else []
        self._scatter("Scatterv", parts, None if recvbuf is IN_PLACE else buffer_of(recvbuf), source, like=None)

    def _scatter(self, name: str, parts: list[Buffer], target: Buffer | None, source: int, like: Buffer | None) -> None:
        call = self._enter_with(name, packed_parts(parts), like, root=source)
        (payloads,) = self._payloads(call, (source,))
        if target is not None:
            target.fill(payloads[self.rank])

    def Gather(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:  # noqa: N802
        """Copy the buffers of the ranks into equal parts of the root's buffer."""
        target = self._root(root)
        parts = buffer_of(recvbuf).parts(self.size) if target == self._me else []
        sent = parts[self.rank] if sendbuf is IN_PLACE else buffer_of(sendbuf)
        self._gather("Gather", sent, parts, target, like=parts[0] if parts else sent)

    def Gatherv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:  # noqa: N802
        """Copy the buffers of the ranks into parts of the root's buffer."""
        target = self._root(root)
        parts = parts_of(recvbuf, self.size) if target == self._me else []
        self._gather("Gatherv", parts[self.rank] if sendbuf is IN_PLACE else buffer_of(sendbuf), parts, target, None)

    def _gather(self, name: str, sent: Buffer, parts: list[Buffer], target: int, like: Buffer | None) -> None:
        call = self._enter_with(name, sent.pack(), like, root=target)
        if target == self._me:
            _fill_each(parts, self._payloads(call))
        else:
            self._complete(call, ())

    # -- all to all -------------------------------------------------------------------------------------

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:  # noqa: N802
        """Copy the buffers of all ranks into equal parts of every rank's buffer."""
        parts = buffer_of(recvbuf).parts(self.size)
        sent = parts[self.rank] if sendbuf is IN_PLACE else buffer_of(sendbuf)
        _fill_each(parts, self._payloads(self._enter_with("Allgather", sent.pack(), sent)))

    def Allgatherv(self, sendbuf: Any, recvbuf: Any) -> None:  # noqa: N802
        """Copy the buffers of all ranks into parts of every rank's buffer."""
        parts = parts_of(recvbuf, self.size)
        sent = parts[self.rank] if sendbuf is IN_PLACE else buffer_of(sendbuf)
        _fill_each(parts, self._payloads(self._enter_with("Allgatherv", sent.pack(), None)))

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:  # noqa: N802
        """Exchange equal parts of the buffers."""
        parts = buffer_of(recvbuf).parts(self.size)
        sent = parts if sendbuf is IN_PLACE else buffer_of(sendbuf).parts(self.size)
        self._exchange("Alltoall", sent, parts, like=sent[0])

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:  # noqa: N802
        """Exchange parts of the buffers."""
        parts = parts_of(recvbuf, self.size)
        sent = parts if sendbuf is IN_PLACE else parts_of(sendbuf, self.size)
        self._exchange("Alltoallv", sent, parts, like=None)

    def _exchange(self, name: str, sent: list[Buffer], parts: list[Buffer], like: Buffer | None) -> None:
        rank = self.rank
        payloads = self._payloads(self._enter_with(name, packed_parts(sent), like))
        _fill_each(parts, [payload[rank] for payload in payloads])

    # -- reductions -------------------------------------------------------------------------------------

    def Reduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM, root: int = 0) -> None:  # noqa: N802
        """Combine the buffers of all ranks in the root's buffer."""
        target = self._root(root)
        sent = buffer_of(recvbuf if sendbuf is IN_PLACE else sendbuf)
        into = _result_buffer(recvbuf, sent) if target == self._me else None
        call = self._enter_with("Reduce", sent.pack(), sent, root=target, op=op)
        if into is not None:
            into.fill(reduced(op, self._payloads(call)))
        else:
            self._complete(call, ())

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:  # noqa: N802
        """Combine the buffers of all ranks in every rank's buffer."""
        sent, into = _operands(sendbuf, recvbuf)
        into.fill(reduced(op, self._payloads(self._enter_with("Allreduce", sent.pack(), sent, op=op))))

    def Scan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:  # noqa: N802
        """Combine the buffers of the ranks up to this one."""
        sent, into = _operands(sendbuf, recvbuf)
        call = self._enter_with("Scan", sent.pack(), sent, op=op)
        into.fill(reduced(op, self._payloads(call, call.members[: self.rank + 1])))

    def Exscan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:  # noqa: N802
        """Combine the buffers of the ranks before this one; rank 0 keeps its buffer."""
        sent, into = _operands(sendbuf, recvbuf)
        call = self._enter_with("Exscan", sent.pack(), sent, op=op)
        before = self._payloads(call, call.members[: self.rank])
        if before:
            into.fill(reduced(op, before))

    def Reduce_scatter_block(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:  # noqa: N802
        """Combine the buffers of all ranks, and copy equal parts of the result into the buffers of the ranks."""
        sent = buffer_of(recvbuf if sendbuf is IN_PLACE else sendbuf)
        self._reduce_scatter(
            "Reduce_scatter_block", sent, buffer_of(recvbuf), [sent.count // self.size] * self.size, op
        )

    def Reduce_scatter(  # noqa: N802
        self, sendbuf: Any, recvbuf: Any, recvcounts: Sequence[int] | None = None, op: Op = SUM
    ) -> None:
        """Combine the buffers of all ranks, and copy parts of the result into the buffers of the ranks."""
        sent, into = buffer_of(recvbuf if sendbuf is IN_PLACE else sendbuf), buffer_of(recvbuf)
        counts = self.allgather(into.count) if recvcounts is None else [int(count) for count in recvcounts]
        self._reduce_scatter("Reduce_scatter", sent, into, counts, op)

    def _reduce_scatter(self, name: str, sent: Buffer, into: Buffer, counts: list[int], op: Op) -> None:
        if sum(counts) != sent.count:
            raise ValueError(f"message: mismatch in send count {sent.count} and receive counts {counts}")
        result = reduced(op, self._payloads(self._enter_with(name, sent.pack(), sent, op=op)))
        size, start = result.datatype.size, sum(counts[: self.rank])
        into.fill(Packed(result.data[start * size : (start + counts[self.rank]) * size], result.datatype))


def _operands(sendbuf: Any, recvbuf: Any) -> tuple[Buffer, Buffer]:
    sent = buffer_of(recvbuf if sendbuf is IN_PLACE else sendbuf)
    return sent, _result_buffer(recvbuf, sent)


def _result_buffer(recvbuf: Any, sent: Buffer) -> Buffer:
    """Return the buffer for a combination of buffers, which must have as many elements as they have."""
    into = buffer_of(recvbuf)
    if into.count != sent.count:
        raise ValueError(f"message: mismatch in send count {sent.count} and receive count {into.count}")
    return into


def _fill_each(parts: list[Buffer], payloads: Sequence[Packed]) -> None:
    for part, payload in zip(parts, payloads, strict=True):
        part.fill(payload)
