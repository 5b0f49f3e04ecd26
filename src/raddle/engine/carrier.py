"""Carriers: the greenlets that run participants.

Twins and probes look up the current greenlet. If it is a carrier, the caller belongs to a controlled execution.
Otherwise (in another OS thread, or outside an execution), a twin calls the real primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from greenlet import getcurrent, greenlet

from raddle.operation import BEGIN, Kind

if TYPE_CHECKING:
    from raddle.engine.clock import Timer
    from raddle.engine.engine import Engine
    from raddle.engine.participant import Alternative, Participant

__all__ = ["Abort", "Carrier", "getcurrent"]


class Abort(BaseException):
    """Raised in every participant that is still running when an execution ends.

    It derives from `BaseException`, so that `except Exception` in user code does not catch it.
    """


class Carrier(greenlet):
    """A participant with its own greenlet. The fields up to `taken` are described in `Participant`."""

    __slots__ = (
        "aborts", "alternatives", "can_switch", "children", "clock", "daemon", "done", "engine", "ident", "index",
        "joiners", "kind", "label", "name", "own", "parked", "ready", "run_now", "segment", "site", "started_by",
        "taken", "target", "timed_out", "timer",
    )  # fmt: skip

    index: int
    label: str
    done: bool
    daemon: bool
    own: Any
    segment: int
    clock: dict[int, int]
    started_by: tuple[int, int]

    kind: Kind
    target: Any
    name: str
    site: int
    ready: Callable[[], bool] | None
    alternatives: Callable[[], Sequence[Alternative]] | None
    taken: Alternative | None

    engine: Engine
    ident: int  # the value of `threading.get_ident()` in this participant
    children: int  # number of participants that this participant has started
    run_now: Callable[[], object]  # the function that the participant runs in this execution
    can_switch: bool  # in the `gil` model: True if a switch has been possible since the last access to shared data
    joiners: list[Carrier]  # carriers that are waiting for this participant to end
    parked: bool  # True while waiting for a participant to end or for a timer; `ready` is then not evaluated
    timer: Timer | None  # the current timed wait
    timed_out: bool  # True if the current timed wait has expired
    aborts: int  # number of `Abort` exceptions raised in this participant

    @property
    def carrier(self) -> Carrier:
        """The greenlet that runs this participant: the carrier itself."""
        return self

    @property
    def awaited(self) -> Participant | None:
        """The participant that must act before the pending operation becomes possible."""
        return self.engine.world.awaited(self)

    def reset(self) -> None:
        """Reset the fields for a new participant; `own` and `alternatives` are already None between executions."""
        self.daemon = self.done = self.parked = self.timed_out = False
        self.children = self.segment = self.aborts = 0
        self.can_switch = True
        self.kind = BEGIN
        self.target = self.ready = self.timer = None
        self.name = ""
        self.site = 0
        self.joiners = []

    def __repr__(self) -> str:
        return f"<{self.label} before {self.kind} {self.name}>"
