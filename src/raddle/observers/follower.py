"""A controller whose scheduler is asked at every operation, and told what happens between them.

For schedulers that reason about what was done, not only about what can be done next: they say so by `follows`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Choose, Controller
from raddle.operation import NOTIFY, WAIT, Kind
from raddle.outcome import Outcome
from raddle.schedulers.calculus import Calculus
from raddle.threads.calculus import ThreadCalculus


class Listener(Protocol):
    """Is told what happens in one execution."""

    def started(self, thread: Any, other: Any) -> None:
        """A thread started another one."""

    def waits(self, thread: Any, condition: object) -> None:
        """A thread begins to wait for a notification."""

    def notified(self, thread: Any, condition: Any) -> None:
        """A thread has notified a condition."""

    def time_passes(self, waiting: Sequence[Any]) -> None:
        """Nobody can go on but by waiting for time."""

    def over(self, waiting: Sequence[Any], *, cut_short: bool) -> None:
        """The execution ends; these threads were about to do something."""


class Follower(Protocol):
    """A scheduler that follows executions."""

    def watch(self, calculus: Calculus, visible: Any, *, coarse: bool) -> Listener:
        """An execution begins: whom to tell what happens in it."""


class Followed(Controller):
    """Executions that a scheduler follows."""

    follower: Follower
    listener: Listener

    def run(self, scenario: Callable[[], object], choose: Choose) -> Outcome:
        self.ask_always = True
        told = self.observing
        self.observing = True  # twins look at it each time; probes, which have been made by now, need not tell
        self.begin_to_follow()
        try:
            return super().run(scenario, choose)
        finally:
            self.observing = told

    def begin_to_follow(self) -> None:
        """An execution begins."""
        self.listener = self.follower.watch(ThreadCalculus(), self.visible, coarse=self.switchable is not None)

    def stop_following(self) -> None:
        """It ends here, before its end."""
        self.listener.over([carrier for carrier in self.live if not carrier.done], cut_short=True)

    def reach(self, me: Carrier) -> None:
        self.steps += 1
        if self.steps > self.limit:
            self._over_limit(me)
            if self.aborting:
                return
        if self.measuring and me.ready is not None and not me.ready():
            self.blocked(me)
        chosen = self._next(me)
        if chosen is not me:
            chosen.switch()

    def fair(self) -> bool:
        return False  # who is chosen runs: the scheduler sees to it that nobody runs for ever

    def spawn(self, me: Carrier, run: Callable[[], object], thread: threading.Thread | None) -> Carrier:
        other = super().spawn(me, run, thread)
        self.listener.started(me, other)
        if other.daemon:  # it matters when exactly the others end
            self.observe("thread")
        return other

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        if kind == WAIT:
            self.listener.waits(me, target)
        elif kind == NOTIFY:
            self.listener.notified(me, target)
        super().happened(me, kind, target, value)

    def _pass_time(self) -> bool:
        waiting = list(self.live)
        passed = super()._pass_time()
        if passed:
            self.listener.time_passes(waiting)
        return passed

    def _clear_up(self) -> None:
        waiting = [carrier for carrier in self.live if not carrier.done]
        self.listener.over(waiting, cut_short=self.aborting)
        super()._clear_up()


def followed_by(kind: type[Controller]) -> type[Followed]:
    """The same for the controller of executions whose steps are wanted.

    >>> followed_by(Controller).__name__
    'Followed'
    """
    if kind is Controller:
        return Followed

    class FollowedToo(Followed, kind):  # type: ignore[misc, valid-type]
        """Its steps are told as well."""

    return FollowedToo
