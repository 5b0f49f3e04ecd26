"""`MPI.Message`: a message that a matched probe has taken for its caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raddle.mpi import point_to_point as p2p
from raddle.mpi.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from raddle.mpi.library.buffer_messages import BufferMessages
from raddle.mpi.library.buffers import buffer_of
from raddle.mpi.library.object_messages import done_send, nothing
from raddle.mpi.library.request import Request
from raddle.mpi.library.status import Status
from raddle.mpi.message import Message


class MatchedMessage:
    """A message that only its owner can receive; without `message`, the result of a probe for PROC_NULL."""

    def __init__(self, comm: MatchedProbes, message: Message | None) -> None:
        self._comm = comm
        self._message = message

    def _receive(self, status: Status | None, deliver: Callable[[Message], Any]) -> Any:
        if self._message is None:
            return nothing(status)
        self._comm.fill(status, self._message)
        return deliver(self._message)

    def recv(self, status: Status | None = None) -> Any:
        """Return the object."""
        return self._receive(status, lambda message: message.payload.load())

    def irecv(self) -> Request:
        """Start to receive the object."""
        return Request(done_send(), self.recv)

    def Recv(self, buf: Any, status: Status | None = None) -> None:  # noqa: N802
        """Copy the message into a buffer."""
        buffer = buffer_of(buf)
        self._receive(status, lambda message: buffer.fill(message.payload))

    def Irecv(self, buf: Any) -> Request:  # noqa: N802
        """Start to copy the message into a buffer."""
        return Request(done_send(), lambda status: self.Recv(buf, status))

    @classmethod
    def Probe(  # noqa: N802
        cls, comm: MatchedProbes, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> MatchedMessage:
        """Wait for a message, and take it."""
        return comm.mprobe(source, tag, status)

    @classmethod
    def Iprobe(  # noqa: N802
        cls, comm: MatchedProbes, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> MatchedMessage | None:
        """Take a message if there is one."""
        return comm.improbe(source, tag, status)

    probe, iprobe = Probe, Iprobe


class MatchedProbes(BufferMessages):
    """The methods that take a message without receiving it yet."""

    def fill(self, status: Status | None, message: Message) -> None:
        """Describe a message in a status."""
        self._fill(status, message)

    def mprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> MatchedMessage:
        """Wait for a message, and take it."""
        sender = self._source(source)
        if sender == PROC_NULL:
            nothing(status)
            return MatchedMessage(self, None)
        message = p2p.probe(sender, self.context, self._tag(tag, receiving=True), takes=True)
        self._fill(status, message)
        return MatchedMessage(self, message)

    def improbe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> MatchedMessage | None:
        """Take a message if there is one."""
        sender = self._source(source)
        if sender == PROC_NULL:
            nothing(status)
            return MatchedMessage(self, None)
        message = p2p.poll(sender, self.context, self._tag(tag, receiving=True), takes=True)
        if message is None:
            return None
        self._fill(status, message)
        return MatchedMessage(self, message)

    Mprobe, Improbe = mprobe, improbe
