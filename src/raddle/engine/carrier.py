"""Carriers: the greenlets that run participants.

Code under test finds out whether it runs under control by asking for the current greenlet: a carrier means yes.
Anything else (another OS thread, code outside an execution) means that the real primitive must act.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from greenlet import getcurrent, greenlet

from raddle.operation import BEGIN, Kind

if TYPE_CHECKING:
    from raddle.engine.engine import Engine
    from raddle.engine.participant import Alternative, Participant

__all__ = ["Abort", "Carrier", "getcurrent"]


class Abort(BaseException):
    """Thrown into every participant that is left when an execution ends; user code must not survive it."""


class Carrier(greenlet):
    """A participant that has a greenlet of its own. See `Participant`, whose fields come first."""

    __slots__ = (
        "alternatives", "born", "children", "clock", "daemon", "done", "engine", "ident", "index", "joiners", "kind",
        "label", "name", "open", "own", "parked", "raised", "ready", "run_now", "segment", "site", "taken", "target",
        "timed_out", "timer",
    )  # fmt: skip

    index: int
    label: str
    done: bool
    daemon: bool
    own: Any
    segment: int
    clock: dict[int, int]
    born: tuple[int, int]

    kind: Kind
    target: Any
    name: str
    site: int
    ready: Callable[[], bool] | None
    alternatives: Callable[[], Sequence[Alternative]] | None
    taken: Alternative | None

    engine: Engine
    ident: int  # what `threading.get_ident` returns in it
    children: int  # participants that it has started
    run_now: Callable[[], object]  # what it runs in this execution
    open: bool  # GIL model: could CPython have switched since it last touched something shared?
    joiners: list[Carrier]  # carriers that wait for its end
    parked: bool  # waits for a participant's end or for time, so `ready` is not evaluated
    timer: int  # the ticket of the timed wait under way
    timed_out: bool
    raised: int  # how many `Abort`s it has been sent

    @property
    def carrier(self) -> Carrier:
        """The greenlet that takes its steps: itself."""
        return self

    @property
    def awaited(self) -> Participant | None:
        """The participant that has to act before the pending operation can be done."""
        return self.engine.world.awaited(self)

    def reset(self) -> None:
        """Become a participant that has done nothing yet; `own` and `alternatives` are None between executions."""
        self.daemon = self.done = self.parked = self.timed_out = False
        self.children = self.segment = self.timer = self.raised = 0
        self.open = True
        self.kind = BEGIN
        self.target = self.ready = None
        self.name = ""
        self.site = 0
        self.joiners = []

    def __repr__(self) -> str:
        return f"<{self.label} before {self.kind} {self.name}>"
