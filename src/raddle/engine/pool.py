"""A pool of carriers: making a greenlet costs as much as a whole small execution, so they are used again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from greenlet import GreenletExit, getcurrent

from raddle.engine.carrier import Carrier

if TYPE_CHECKING:
    from raddle.engine.engine import Engine

_left_behind: list[Carrier] = []  # carriers that would not end; kept, as collecting them would run user code


class CarrierPool:
    """Carriers without a participant."""

    def __init__(self) -> None:
        self._idle: list[Carrier] = []

    def take(self, engine: Engine, run: Callable[[], object]) -> Carrier:
        """Return a carrier for a new participant of an engine's execution, which will call `run`."""
        if self._idle:
            carrier = self._idle.pop()
            carrier.gr_context = None  # a thread begins with an empty context
        else:
            carrier = Carrier(_serve, engine.hub)
            carrier.engine = engine
            carrier.own = carrier.alternatives = carrier.taken = None
            _enter(carrier, engine)
        carrier.reset()
        carrier.engine = engine
        carrier.run_now = run
        queue = engine.queue
        carrier.index = queue.participants
        queue.participants += 1
        queue.carriers.append(carrier)
        return carrier

    def give_back(self, carriers: Iterable[Carrier]) -> None:
        """Keep carriers whose participants have ended."""
        self._idle += [c for c in carriers if c not in _left_behind] if _left_behind else carriers

    def leave_behind(self, carrier: Carrier) -> None:
        """Never use a carrier again whose participant does not end."""
        _left_behind.append(carrier)

    def close(self) -> None:
        """End the carriers."""
        for carrier in self._idle:
            carrier.throw(GreenletExit)
        self._idle.clear()


def _enter(new: Carrier, engine: Engine) -> None:
    """Have the hub enter a new carrier first.

    A greenlet begins at the recursion depth of the one that enters it: a hundred carriers, each entered by the one
    before, would exceed the limit.
    """
    me = getcurrent()
    if me is engine.hub:
        new.switch()
    else:
        engine.hub.switch((me, new))


def _serve() -> None:
    """Run one participant after the other, as long as the carrier exists."""
    me = getcurrent()
    assert isinstance(me, Carrier)
    me.engine.hub.switch()
    while True:
        me.engine.serve(me)
