"""The inbox: the messages that were sent to a rank in one communicator, and the receives that it has posted.

MPI orders messages per pair of ranks only. So an inbox has one channel for each source, and a receive that accepts
messages from several sources has an alternative for each of them. The arrival of a message is not an event: a receive
that could take either of two messages may take the one that was sent later.

Two rules of the MPI standard restrict which message a receive can take:

* A receive takes the first message of a channel that it accepts.
* A message is taken by the first posted receive that accepts it. So a receive cannot take a message that an earlier
  unmatched receive accepts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from raddle.engine.participant import Alternative
from raddle.mpi.message import Message, Receive

NO_ALTERNATIVES: Sequence[Alternative] = ()
NOTHING = Alternative("nothing yet")  # a poll that finds no message, although one may have been sent


@cache
def from_rank(source: int) -> Alternative:
    """Return the alternative that takes a message from this rank."""
    return Alternative(f"from R{source}", source)


class Inbox:
    """The messages that a rank can still receive in one communicator."""

    __slots__ = ("_channels", "_found", "_posted", "version")

    def __init__(self) -> None:
        self._channels: dict[int, list[Message]] = {}  # messages that no receive has taken, by source
        self._posted: list[Receive] = []  # receives without a message, in the order in which they were posted
        self._found: list[Message] = []  # messages that a probe has found and no receive has taken

        self.version = 0  # grows with every change, so that blocked receives need not search again

    def add(self, message: Message) -> None:
        """Add a message that has been sent."""
        self.version += 1
        self._channels.setdefault(message.source, []).append(message)

    def post(self, receive: Receive) -> None:
        """Add a receive that does not block its rank."""
        self._posted.append(receive)
        self.version += 1

    def candidate(self, receive: Receive, source: int) -> Message | None:
        """Return the message from `source` that the receive can take now; None if there is none."""
        for message in self._channels.get(source, ()):
            if receive.accepts(message):
                return None if self._is_claimed(message, receive.number) else message
        return None

    def _is_claimed(self, message: Message, number: int) -> bool:
        """Return whether a receive that was posted before number `number` accepts the message."""
        return any(posted.number < number and posted.accepts(message) for posted in self._posted)

    def alternatives(self, receive: Receive) -> Sequence[Alternative]:
        """Return an alternative for each source from which the receive can take a message now."""
        sources = sorted(self._channels) if receive.is_wildcard else (receive.source,)
        return [from_rank(source) for source in sources if self.candidate(receive, source) is not None]

    def watch(self, receive: Receive) -> Callable[[], Sequence[Alternative]]:
        """Return a function that returns the current alternatives; it searches only if the inbox has changed."""
        version, found = -1, NO_ALTERNATIVES

        def alternatives() -> Sequence[Alternative]:
            nonlocal version, found
            if version != self.version:
                version, found = self.version, self.alternatives(receive)
            return found

        return alternatives

    def take(self, receive: Receive, source: int) -> Message:
        """Let the receive take its candidate from `source`, or let a probe find it."""
        message = self.candidate(receive, source)
        assert message is not None
        receive.message = message
        self.version += 1
        if receive.takes:
            message.receive = receive
            self._channels[source].remove(message)
            if receive in self._posted:
                self._posted.remove(receive)
            if message in self._found:
                self._found.remove(message)
        elif message not in self._found:
            self._found.append(message)
        return message

    def must_match(self, receive: Receive) -> bool:
        """Return whether a new receive takes a message when it is posted, because a probe has found one for it."""
        return any(receive.accepts(message) for message in self._found)
