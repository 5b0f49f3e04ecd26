"""Keeps a scheduler informed that reasons about what was done, not only about what can be done next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.observer import Observer
from raddle.operation import NOTIFY, WAIT, Kind
from raddle.schedulers.calculus import Calculus


class Listener(Protocol):
    """Is informed of what happens in one execution."""

    def started(self, thread: Any, other: Any) -> None:
        """Note that a thread has started another one."""

    def waits(self, thread: Any, condition: object) -> None:
        """Note that a thread begins to wait for a notification."""

    def notified(self, thread: Any, condition: Any) -> None:
        """Note that a thread has notified a condition."""

    def time_passes(self, waiting: Sequence[Any]) -> None:
        """Note that no thread can go on except by waiting for time."""

    def did(self, participant: Any, accesses: Sequence[Any]) -> None:
        """Note what a step touched that could not be known before it was taken."""

    def over(self, waiting: Sequence[Any], *, cut_short: bool) -> None:
        """End the execution; these threads were about to do something."""


class Followed(Protocol):
    """A scheduler that follows executions."""

    def watch(self, calculus: Calculus, visible: Any, *, coarse: bool) -> Listener:
        """Begin an execution; return the object to inform of what happens in it."""


class Follower(Observer):
    """Informs a scheduler."""

    scheduler: Followed
    _listener: Listener

    def __init__(self, calculus: Calculus) -> None:
        self._calculus = calculus

    def begin(self, engine: Engine) -> None:
        self._engine = engine
        self.watch(engine)

    def watch(self, engine: Engine) -> None:
        """Tell the scheduler that an execution begins."""
        self._listener = self.scheduler.watch(self._calculus, engine.points.visible, coarse=engine.points.with_gil)

    def started(self, me: Carrier, other: Carrier) -> None:
        self._listener.started(me, other)
        if other.daemon:  # it matters when exactly the others end
            self._engine.mark_observed("thread")

    def happened(self, me: Carrier, kind: Kind, target: Any, value: object = None) -> None:
        if kind == WAIT:
            self._listener.waits(me, target)
        elif kind == NOTIFY:
            self._listener.notified(me, target)

    def did(self, participant: Any, footprint: Any) -> None:
        self._listener.did(participant, footprint)

    def time_passed(self, waiting: Sequence[Carrier]) -> None:
        self._listener.time_passes(waiting)

    def ending(self, waiting: Sequence[Carrier], *, cut_short: bool) -> None:
        self._listener.over(waiting, cut_short=cut_short)
