"""Sends, receives and probes of Python objects: the lower-case methods of communicators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raddle.mpi import point_to_point as p2p
from raddle.mpi.completion import PendingReceive, PendingSend
from raddle.mpi.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from raddle.mpi.library.base_comm import BaseComm
from raddle.mpi.library.payload import Pickled
from raddle.mpi.library.request import Request
from raddle.mpi.library.status import Status
from raddle.mpi.message import Message, Receive
from raddle.mpi.options import Sends


class ObjectMessages(BaseComm):
    """The methods that send and receive pickled objects."""

    # -- sends ----------------------------------------------------------------------------------------

    def send(self, obj: object, dest: int, tag: int = 0) -> None:
        """Send an object; whether this waits for the receive depends on the MPI library."""
        self._send(obj, dest, tag, synchronous=self._standard_sends_wait())

    def ssend(self, obj: object, dest: int, tag: int = 0) -> None:
        """Send an object, and wait until a receive has taken it."""
        self._send(obj, dest, tag, synchronous=True)

    def bsend(self, obj: object, dest: int, tag: int = 0) -> None:
        """Send an object, which is buffered."""
        self._send(obj, dest, tag, synchronous=False)

    def isend(self, obj: object, dest: int, tag: int = 0) -> Request:
        """Start to send an object."""
        return self._isend(obj, dest, tag, synchronous=self._standard_sends_wait())

    def issend(self, obj: object, dest: int, tag: int = 0) -> Request:
        """Start to send an object; the operation is complete when a receive has taken it."""
        return self._isend(obj, dest, tag, synchronous=True)

    def ibsend(self, obj: object, dest: int, tag: int = 0) -> Request:
        """Start to send an object, which is buffered."""
        return self._isend(obj, dest, tag, synchronous=False)

    @staticmethod
    def _standard_sends_wait() -> bool:
        return p2p.world_of(p2p.running()).options.sends is Sends.SYNCHRONOUS

    def _send(self, obj: object, dest: int, tag: int, *, synchronous: bool) -> None:
        self._send_payload(Pickled.of(obj), dest, tag, synchronous=synchronous)

    def _send_payload(self, payload: Any, dest: int, tag: int, *, synchronous: bool) -> None:
        destination = self._destination(dest)
        if destination != PROC_NULL:
            p2p.complete_send(p2p.send(destination, self.context, self._tag(tag), payload, synchronous=synchronous))

    def _isend(self, obj: object, dest: int, tag: int, *, synchronous: bool) -> Request:
        return self._isend_payload(Pickled.of(obj), dest, tag, synchronous=synchronous)

    def _isend_payload(
        self,
        payload: Any,
        dest: int,
        tag: int,
        *,
        synchronous: bool,
        finish: Callable[[Status | None], Any] = lambda status: None,
    ) -> Request:
        destination = self._destination(dest)
        if destination == PROC_NULL:
            return Request(done_send())
        message = p2p.send(destination, self.context, self._tag(tag), payload, synchronous=synchronous)
        return Request(PendingSend(message), finish)

    # -- receives -------------------------------------------------------------------------------------

    def recv(
        self, buf: object = None, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Any:
        """Wait for a message, and return the object."""
        sender = self._source(source)
        if sender == PROC_NULL:
            return nothing(status)
        return self._received(p2p.receive(sender, self.context, self._tag(tag, receiving=True)), status)

    def irecv(self, buf: object = None, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        """Post a receive."""
        sender = self._source(source)
        if sender == PROC_NULL:
            return Request(done_send(), nothing)
        posted: Receive = p2p.post(sender, self.context, self._tag(tag, receiving=True))

        def finish(status: Status | None) -> Any:
            assert posted.message is not None
            return self._received(posted.message, status)

        return Request(PendingReceive(posted), finish)

    def sendrecv(
        self,
        sendobj: object,
        dest: int,
        sendtag: int = 0,
        recvbuf: object = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        """Send an object and receive another one; neither waits for the other."""
        sending = self.isend(sendobj, dest, sendtag)
        received = self.recv(None, source, recvtag, status)
        sending.wait()
        return received

    def _received(self, message: Message, status: Status | None) -> Any:
        self._fill(status, message)
        return message.payload.load()

    # -- probes ---------------------------------------------------------------------------------------

    def probe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        """Wait until there is a message."""
        sender = self._source(source)
        if sender == PROC_NULL:
            nothing(status)
            return True
        self._fill(status, p2p.probe(sender, self.context, self._tag(tag, receiving=True)))
        return True

    def iprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        """Return whether there is a message."""
        sender = self._source(source)
        if sender == PROC_NULL:
            nothing(status)
            return True
        message = p2p.poll(sender, self.context, self._tag(tag, receiving=True))
        if message is None:
            return False
        self._fill(status, message)
        return True


def done_send() -> PendingSend:
    """Return an operation that is complete."""
    return PendingSend(Message(PROC_NULL, PROC_NULL, 0, 0, 0, None))


def nothing(status: Status | None) -> None:
    """Describe the result of a receive from PROC_NULL."""
    if status is not None:
        status.fill_null()
