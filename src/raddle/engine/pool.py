"""A pool of carriers. Creating a greenlet costs as much as a small execution, so carriers are reused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from greenlet import GreenletExit, getcurrent

from raddle.engine.carrier import Carrier

if TYPE_CHECKING:
    from raddle.engine.engine import Engine

_abandoned: list[Carrier] = []  # carriers that did not end; kept alive, because collecting them would run user code


class CarrierPool:
    """The carriers that currently have no participant."""

    def __init__(self) -> None:
        self._idle: list[Carrier] = []

    def take(self, engine: Engine, run: Callable[[], object]) -> Carrier:
        """Return a carrier for a new participant that calls `run`, in the current execution of `engine`."""
        if self._idle:
            carrier = self._idle.pop()
            carrier.gr_context = None  # a new thread begins with an empty context
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
        """Put carriers back into the pool once their participants have ended."""
        self._idle += [c for c in carriers if c not in _abandoned] if _abandoned else carriers

    def abandon(self, carrier: Carrier) -> None:
        """Never reuse a carrier whose participant does not end."""
        _abandoned.append(carrier)

    def close(self) -> None:
        """End all idle carriers."""
        for carrier in self._idle:
            carrier.throw(GreenletExit)
        self._idle.clear()


def _enter(new: Carrier, engine: Engine) -> None:
    """Switch to a new carrier from the hub, so that its recursion depth starts low.

    A greenlet begins at the recursion depth of the greenlet that enters it. A hundred carriers, each entered by the
    previous one, would exceed the recursion limit.
    """
    me = getcurrent()
    if me is engine.hub:
        new.switch()
    else:
        engine.hub.switch((me, new))


def _serve() -> None:
    """Run one participant after another for as long as the carrier exists."""
    me = getcurrent()
    assert isinstance(me, Carrier)
    me.engine.hub.switch()
    while True:
        me.engine.serve(me)
