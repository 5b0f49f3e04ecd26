"""Sends, receives and probes of buffers: the upper-case methods of communicators."""

from __future__ import annotations

from typing import Any

from raddle.mpi import point_to_point as p2p
from raddle.mpi.call_place import at, called_at
from raddle.mpi.cautions import CautionKind
from raddle.mpi.completion import PendingReceive
from raddle.mpi.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from raddle.mpi.library.buffers import Buffer, buffer_of
from raddle.mpi.library.object_messages import ObjectMessages, done_send, nothing
from raddle.mpi.library.persistent import Prequest
from raddle.mpi.library.request import Request
from raddle.mpi.library.status import Status
from raddle.mpi.message import Message, Receive
from raddle.mpi.misuse import MisuseError
from raddle.outcome import OutcomeKind


class BufferMessages(ObjectMessages):
    """The methods that send and receive buffers."""

    # -- sends ----------------------------------------------------------------------------------------

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:  # noqa: N802
        """Send a buffer; whether this waits for the receive depends on the MPI library."""
        self._send_payload(buffer_of(buf).pack(), dest, tag, synchronous=self._standard_sends_wait())

    def Ssend(self, buf: Any, dest: int, tag: int = 0) -> None:  # noqa: N802
        """Send a buffer, and wait until a receive has taken it."""
        self._send_payload(buffer_of(buf).pack(), dest, tag, synchronous=True)

    def Bsend(self, buf: Any, dest: int, tag: int = 0) -> None:  # noqa: N802
        """Send a buffer, which is copied."""
        self._send_payload(buffer_of(buf).pack(), dest, tag, synchronous=False)

    Rsend = Send

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> Request:  # noqa: N802
        """Start to send a buffer."""
        return self._isend_buffer(buf, dest, tag, synchronous=self._standard_sends_wait())

    def Issend(self, buf: Any, dest: int, tag: int = 0) -> Request:  # noqa: N802
        """Start to send a buffer; the operation is complete when a receive has taken it."""
        return self._isend_buffer(buf, dest, tag, synchronous=True)

    def Ibsend(self, buf: Any, dest: int, tag: int = 0) -> Request:  # noqa: N802
        """Start to send a buffer, which is copied."""
        return self._isend_buffer(buf, dest, tag, synchronous=False)

    Irsend = Isend

    def _isend_buffer(self, buf: Any, dest: int, tag: int, *, synchronous: bool) -> Request:
        buffer, sent_at = buffer_of(buf), called_at()
        payload = buffer.pack()

        def check(status: Status | None) -> None:
            if buffer.pack().data != payload.data:
                raise MisuseError(
                    OutcomeKind.BUFFER_IN_USE,
                    f"the buffer of the send{at(sent_at)} changed before the send was complete",
                    ("send",),
                )

        return self._isend_payload(payload, dest, tag, synchronous=synchronous, finish=check)

    # -- receives -------------------------------------------------------------------------------------

    def Recv(  # noqa: N802
        self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> None:
        """Wait for a message, and copy it into a buffer."""
        buffer, sender = buffer_of(buf), self._source(source)
        if sender == PROC_NULL:
            nothing(status)
            return
        self._deliver(p2p.receive(sender, self.context, self._tag(tag, receiving=True)), buffer, status)

    def Irecv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:  # noqa: N802
        """Post a receive into a buffer."""
        buffer, sender = buffer_of(buf), self._source(source)
        if sender == PROC_NULL:
            return Request(done_send(), nothing)
        posted: Receive = p2p.post(sender, self.context, self._tag(tag, receiving=True))

        def finish(status: Status | None) -> None:
            assert posted.message is not None
            self._deliver(posted.message, buffer, status)

        return Request(PendingReceive(posted), finish)

    def Sendrecv(  # noqa: N802
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        """Send a buffer and receive into another one; neither waits for the other."""
        payload, standard = buffer_of(sendbuf).pack(), self._standard_sends_wait()
        sending = self._isend_payload(payload, dest, sendtag, synchronous=standard)
        self.Recv(recvbuf, source, recvtag, status)
        sending.wait()

    def Sendrecv_replace(  # noqa: N802
        self,
        buf: Any,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        """Send a buffer, and receive into the same one."""
        self.Sendrecv(buf, dest, sendtag, buf, source, recvtag, status)

    def _deliver(self, message: Message, buffer: Buffer, status: Status | None) -> None:
        """Copy a message into a buffer; remark on one that is shorter and whose size the program does not ask for."""
        buffer.fill(message.payload)
        self._fill(status, message)
        capacity, length = buffer.count * buffer.datatype.size, len(message.payload.data)
        if status is None and length < capacity:
            me = p2p.running()
            p2p.world_of(me).exchange.remarks.append(
                (
                    str(CautionKind.SHORT_MESSAGE),
                    message.receive.rank if message.receive else message.destination,
                    f"a message from R{message.source}",
                    f"received {length} bytes from R{message.source} into a buffer of {capacity} bytes"
                    f"{at(called_at())}, and did not pass a status that has the size",
                )
            )

    # -- probes ---------------------------------------------------------------------------------------

    Probe = ObjectMessages.probe
    Iprobe = ObjectMessages.iprobe

    # -- persistent requests --------------------------------------------------------------------------

    def Send_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:  # noqa: N802
        """Return a persistent request for sends."""
        return Prequest(lambda: self.Isend(buf, dest, tag))

    def Ssend_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:  # noqa: N802
        """Return a persistent request for synchronous sends."""
        return Prequest(lambda: self.Issend(buf, dest, tag))

    def Bsend_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:  # noqa: N802
        """Return a persistent request for buffered sends."""
        return Prequest(lambda: self.Ibsend(buf, dest, tag))

    Rsend_init = Send_init

    def Recv_init(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Prequest:  # noqa: N802
        """Return a persistent request for receives."""
        return Prequest(lambda: self.Irecv(buf, source, tag))
