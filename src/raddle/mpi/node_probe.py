"""The path of each rank: the nodes that probes in the program's code report, and what happens to its messages.

Instrumented modules call `attach` when a rank executes them. They then append to the path of that rank without looking
for it again.
"""

from __future__ import annotations

from collections.abc import Callable

from raddle.engine.carrier import Carrier, getcurrent
from raddle.mpi.world import MpiWorld
from raddle.pcfg.tracking import PathEvent, ProcessIndex, Tracker

ATTACH = "__import__('raddle.mpi.node_probe', fromlist=['attach']).attach()"
LIMIT = 10_000  # number of items after which a path is followed and forgotten

Probe = Callable[[int], None]


class NodePath:
    """The path of one rank in one execution."""

    __slots__ = ("_index", "append", "items", "tracker")

    def __init__(self, index: ProcessIndex) -> None:
        self.items: list[int | PathEvent] = []
        self.append = self.items.append
        self._index = index
        self.tracker: Tracker | None = None  # has followed the part of the path that is forgotten, if any

    def visit(self, number: int) -> None:
        """Add the condition of a loop."""
        self.append(number)
        if len(self.items) > LIMIT:
            self.fold()

    def add(self, event: PathEvent) -> None:
        """Add an event."""
        self.append(event)
        if len(self.items) > LIMIT:
            self.fold()

    def fold(self) -> Tracker:
        """Follow the path so far, and forget its items."""
        if self.tracker is None:
            self.tracker = Tracker(self._index)
        self.tracker.follow(self.items)
        self.items.clear()
        return self.tracker


def attach() -> tuple[Probe, Probe]:
    """Return the probes for a module that the running rank executes: one for nodes, and one for loops."""
    me = getcurrent()
    world = me.engine.world if isinstance(me, Carrier) else None
    if not isinstance(world, MpiWorld) or not world.paths:
        return _ignore, _ignore  # the execution is not measured
    assert isinstance(me, Carrier)
    path = world.paths[me.own.number]
    return path.append, path.visit


def _ignore(number: int) -> None:
    """Do nothing, because the execution is not measured."""
