"""`Supplies` implementations for small worlds, used in the tests of schedulers and worlds."""

from __future__ import annotations

from raddle.schedulers.calculus import Past, Supplies
from raddle.schedulers.dependence import Operation
from raddle.schedulers.operation_log import Log

MESSAGE, ENDED = 1, 2  # what an operation can need: a message in a channel, or the end of a participant


class Nothing(Supplies):
    """`Supplies` for a world in which no operation needs anything."""

    def possible(self, operation: Operation, within: int) -> bool:
        return True

    def enabler(self, operation: Operation, within: int) -> int:
        return -1


class Channels(Supplies):
    """`Supplies` for a world with channels: the k-th receive from a channel takes the k-th message sent.

    The detail of a send or a receive is its channel. The detail of an operation that waits for a participant to end is
    that participant's label.
    """

    def __init__(self, log: Log) -> None:
        self._log = log

    def _done(self, operation: Operation, within: int, need: int) -> list[int]:
        return [
            number
            for number, done in enumerate(self._log.done)
            if within >> number & 1 and done.operation.detail == operation.detail and done.operation.need == need
        ]

    def possible(self, operation: Operation, within: int) -> bool:
        if operation.need != MESSAGE:
            return True
        return len(self._done(operation, within, 0)) > len(self._done(operation, within, MESSAGE))

    def enabler(self, operation: Operation, within: int) -> int:
        if operation.need != MESSAGE:
            return -1
        return self._done(operation, within, 0)[len(self._done(operation, within, MESSAGE))]

    def certain_predecessors(self, label: str, operation: Operation, number: int, past: Past) -> int:
        return past.reached.get(operation.detail, 0) if operation.need == ENDED else 0

    def never_possible(self, label: str, operation: Operation, number: int, past: Past) -> bool:
        return operation.need == ENDED
