"""Messages, and the receives and probes that accept them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raddle.mpi.call_place import Called
from raddle.mpi.constants import ANY_SOURCE, ANY_TAG


@dataclass(slots=True, eq=False)
class Message:
    """A message that a rank has sent. Ranks are numbered as in COMM_WORLD."""

    source: int
    destination: int
    context: int  # the communicator
    tag: int
    number: int  # position among the messages that the source has sent, from 0
    payload: Any
    synchronous: bool = False  # True if the send completes only when a receive has taken the message
    receive: Receive | None = None  # the receive that has taken the message
    called: Called | None = None  # where it was sent


@dataclass(slots=True, eq=False)
class Receive:
    """A receive or a probe."""

    rank: int
    context: int
    source: int
    tag: int
    number: int  # position among the receives and probes that the rank has posted, from 0
    takes: bool = True  # False for a probe, which leaves the message where it is
    message: Message | None = None  # the message that the receive has taken or the probe has found

    def accepts(self, message: Message) -> bool:
        """Return whether the source and the tag of a message fit.

        >>> receive = Receive(rank=0, context=0, source=ANY_SOURCE, tag=3, number=0)
        >>> [receive.accepts(Message(1, 0, 0, tag, number, "")) for number, tag in enumerate((3, 4))]
        [True, False]
        """
        return self.source in (ANY_SOURCE, message.source) and self.accepts_tag(message.tag)

    def accepts_tag(self, tag: int) -> bool:
        """Return whether a tag fits."""
        return self.tag in (ANY_TAG, tag)

    def __str__(self) -> str:
        source = "any rank" if self.is_wildcard else f"R{self.source}"
        return f"a message from {source}" + ("" if self.tag == ANY_TAG else f" with tag {self.tag}")

    @property
    def is_wildcard(self) -> bool:
        """Whether the receive accepts messages from every rank."""
        return self.source == ANY_SOURCE
