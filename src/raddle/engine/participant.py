"""Participants: whose operations a scheduler orders, and the alternatives that one operation can offer.

A participant is not a greenlet. In most worlds each participant has a carrier of its own; a world in which several of
them share one, as the tasks of an event loop do, gives each the carrier of the loop.
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
    """One of several outcomes of an operation, of which the scheduler chooses one.

    >>> str(Alternative("from R2", value=2))
    'from R2'
    """

    label: str  # names the same alternative in every execution with the same prefix
    value: Any = None  # what the world makes of it

    def __str__(self) -> str:
        return self.label


class Participant(Protocol):
    """Takes part in an execution: a thread, a rank, a task.

    The pending operation is what it does as soon as it is chosen.
    """

    index: int  # in order of creation
    label: str  # by descent, the same in every execution: T2 is the second that T0 started, T2.1 its first
    done: bool
    daemon: bool  # the execution does not wait for its end
    own: Any  # what its world keeps about it
    # What starts and joins order: segments count the participants that it has started.
    segment: int
    clock: dict[int, int]  # by index: the last segment of that participant that happens before
    born: tuple[int, int]  # index and segment of its parent

    kind: Kind
    target: Any  # the object touched, or the resource
    name: str  # of the variable, for an access
    site: int
    ready: Callable[[], bool] | None  # None: enabled
    # The outcomes that are possible now; None: the operation has only one.
    alternatives: Callable[[], Sequence[Alternative]] | None
    taken: Alternative | None  # the one that was chosen

    @property
    def carrier(self) -> Carrier:
        """The greenlet that takes its steps."""

    def switch(self) -> object:
        """Let it take its next step; return when the running carrier is chosen again."""

    @property
    def awaited(self) -> Participant | None:
        """The participant that has to act before the pending operation can be done; see `World.awaited`."""


class Passenger:
    """A participant that shares the carrier of others, as the tasks of an event loop do.

    The carrier calls `Engine.take_turn` to let the policy choose which of its passengers takes the next step.
    """

    __slots__ = (
        "alternatives", "born", "carrier", "clock", "daemon", "done", "index", "kind", "label", "name", "own", "parked",
        "ready", "segment", "site", "taken", "target", "timed_out", "timer",
    )  # fmt: skip

    def __init__(self, carrier: Carrier, *, index: int, label: str, kind: Kind, own: object = None) -> None:
        self.carrier = carrier
        self.index = index
        self.label = label
        self.own = own
        self.done = self.daemon = self.parked = self.timed_out = False
        self.segment = self.timer = self.site = 0
        self.clock: dict[int, int] = {**carrier.clock, carrier.index: carrier.segment}
        self.born = (carrier.index, carrier.segment)
        self.kind = kind
        self.target: Any = None
        self.name = ""
        self.ready: Callable[[], bool] | None = None
        self.alternatives: Callable[[], Sequence[Alternative]] | None = None
        self.taken: Alternative | None = None

    @property
    def awaited(self) -> Participant | None:
        """The participant that has to act before the pending operation can be done."""
        return self.carrier.engine.world.awaited(self)

    def switch(self) -> None:
        """Have the carrier take the next step of this passenger; it may be the one that is running."""
        self.carrier.taken = Alternative(self.label, self)
        if getcurrent() is not self.carrier:
            self.carrier.switch()

    def __repr__(self) -> str:
        return f"<{self.label} before {self.kind} {self.name}>"
