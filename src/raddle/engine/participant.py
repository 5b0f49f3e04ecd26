"""Participants (threads, ranks or tasks) and alternatives (the possible outcomes of one operation).

A participant need not be a greenlet. In most worlds, each participant has its own carrier. In other worlds, several
participants share a carrier, as the tasks of an event loop share the loop's carrier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from greenlet import getcurrent

from raddle.operation import Kind

if TYPE_CHECKING:
    from raddle.engine.carrier import Carrier


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of several possible outcomes of an operation. The scheduler chooses between them.

    >>> str(Alternative("from R2", value=2))
    'from R2'
    """

    label: str  # identifies the alternative in every execution with the same prefix
    value: Any = None  # data for the world that offers the alternative

    def __str__(self) -> str:
        return self.label


class Participant(Protocol):
    """A thread, rank or task that takes part in an execution.

    It performs its pending operation as soon as it is chosen. The fields from `kind` to `taken` describe that
    operation.
    """

    index: int  # position in the order of creation
    label: str  # path of descent, the same in every execution: T2 is the second child of T0, T2.1 the first of T2
    done: bool  # True if the participant has ended
    daemon: bool  # True if the execution does not wait for the participant to end
    own: Any  # the world's own data about the participant
    # A participant enters a new segment whenever it starts another participant. Together with `clock`, segments record
    # the happens-before relation that starts and joins establish.
    segment: int  # number of the current segment
    clock: dict[int, int]  # maps another participant's index to its last segment that happens before this point
    started_by: tuple[int, int]  # index of the parent, and the parent's segment in which it started the participant

    kind: Kind
    target: Any  # the object or resource that the operation touches
    name: str  # name of the accessed variable
    site: int
    ready: Callable[[], bool] | None  # returns whether the operation is enabled; None if it always is
    # Returns the outcomes that are currently possible; None if the operation has only one.
    alternatives: Callable[[], Sequence[Alternative]] | None
    taken: Alternative | None  # the alternative that was chosen

    @property
    def carrier(self) -> Carrier:
        """The greenlet that runs this participant."""

    def switch(self) -> object:
        """Run this participant; return when the calling carrier is chosen again."""

    @property
    def awaited(self) -> Participant | None:
        """The participant that must act before the pending operation becomes possible; see `World.awaited`."""


class Passenger:
    """A participant that shares a carrier with others, as the tasks of an event loop do.

    The carrier calls `Engine.take_turn` to let the policy choose which of its passengers takes the next step.
    """

    __slots__ = (
        "alternatives", "carrier", "clock", "daemon", "done", "index", "kind", "label", "name", "own", "parked",
        "ready", "segment", "site", "started_by", "taken", "target", "timed_out", "timer",
    )  # fmt: skip

    def __init__(self, carrier: Carrier, *, index: int, label: str, kind: Kind, own: object = None) -> None:
        self.carrier = carrier
        self.index = index
        self.label = label
        self.own = own
        self.done = self.daemon = self.parked = self.timed_out = False
        self.segment = self.site = 0
        self.timer = None  # only carriers wait with a timeout
        self.clock: dict[int, int] = {**carrier.clock, carrier.index: carrier.segment}
        self.started_by = (carrier.index, carrier.segment)
        self.kind = kind
        self.target: Any = None
        self.name = ""
        self.ready: Callable[[], bool] | None = None
        self.alternatives: Callable[[], Sequence[Alternative]] | None = None
        self.taken: Alternative | None = None

    @property
    def awaited(self) -> Participant | None:
        """The participant that must act before the pending operation becomes possible."""
        return self.carrier.engine.world.awaited(self)

    def switch(self) -> None:
        """Have the carrier run the next step of this passenger; switch to the carrier unless it is already running."""
        self.carrier.taken = Alternative(self.label, self)
        if getcurrent() is not self.carrier:
            self.carrier.switch()

    def __repr__(self) -> str:
        return f"<{self.label} before {self.kind} {self.name}>"
