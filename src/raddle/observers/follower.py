"""The follower: reports events to schedulers that analyze whole executions, such as reachability testing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.observer import Observer
from raddle.operation import NOTIFY, WAIT, Kind
from raddle.schedulers.calculus import Calculus


class Listener(Protocol):
    """Receives the events of one execution."""

    def started(self, thread: Any, other: Any) -> None:
        """Record that a thread has started another one."""

    def waits(self, thread: Any, condition: object) -> None:
        """Record that a thread starts to wait for a notification."""

    def notified(self, thread: Any, condition: Any) -> None:
        """Record that a thread has notified a condition."""

    def time_passes(self, waiting: Sequence[Any]) -> None:
        """Record that virtual time advances, because no thread is enabled."""

    def did(self, participant: Any, accesses: Sequence[Any]) -> None:
        """Record the accesses of a step, in worlds where the accesses are known only after the step."""

    def ended(self, waiting: Sequence[Any], *, cut_short: bool) -> None:
        """Record the end of the execution; `waiting` holds the threads with a pending operation."""


class FollowingScheduler(Protocol):
    """A scheduler that listens to the events of its executions."""

    def watch(self, calculus: Calculus, visible: Any, *, coarse: bool) -> Listener:
        """Begin an execution; return the listener for its events."""


class Follower(Observer):
    """Passes the events of an execution on to a scheduler's listener."""

    scheduler: FollowingScheduler
    _listener: Listener

    def __init__(self, calculus: Calculus) -> None:
        self._calculus = calculus

    def begin(self, engine: Engine) -> None:
        self._engine = engine
        self.watch(engine)

    def watch(self, engine: Engine) -> None:
        """Notify the scheduler that an execution begins, and store the listener that it returns."""
        self._listener = self.scheduler.watch(self._calculus, engine.points.visible, coarse=engine.points.with_gil)

    def started(self, me: Carrier, other: Carrier) -> None:
        self._listener.started(me, other)
        if other.daemon:  # daemons stop when the last non-daemon thread ends, so the order in which threads end matters
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
        self._listener.ended(waiting, cut_short=cut_short)
