"""The world of MPI ranks: the engine's interface to the ranks of an execution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from raddle.checks.crash import explain_error
from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.world import World
from raddle.mpi.exchange import Exchange
from raddle.mpi.operations import MATCH
from raddle.mpi.options import MpiOptions
from raddle.mpi.stuck import explain_stuck_ranks
from raddle.outcome import Outcome

if TYPE_CHECKING:
    from raddle.engine.engine import Engine


class MpiWorld(World):
    """The ranks of an MPI program. Rank 0 starts the others.

    A posted receive is a participant of its own, because it can take a message at any time. Its label is that of its
    rank with a number, such as R0.1.
    """

    letter = "R"

    def __init__(self, size: int, options: MpiOptions) -> None:
        self.size = size
        self.options = options
        self.exchange = Exchange(size)
        self.switched: Callable[[int], None] = lambda rank: None  # called when a rank continues after another one ran
        self._running = 0  # the rank that ran last

    def begin(self, engine: Engine, main: Carrier) -> None:
        self.exchange = Exchange(self.size)
        main.own = self.exchange.ranks[0]
        self._running = 0

    def run(self, program: Callable[[int], object]) -> None:
        """Run a program in all ranks. The participant that calls this becomes rank 0."""
        me = getcurrent()
        assert isinstance(me, Carrier)
        for rank in range(1, self.size):
            me.engine.spawn(me, partial(self._begin_rank, program, rank), own=self.exchange.ranks[rank])
        self._begin_rank(program, 0)

    def _begin_rank(self, program: Callable[[int], object], rank: int) -> None:
        self.resume(rank)
        program(rank)

    def resume(self, rank: int) -> None:
        """Record that this rank continues; every operation of a rank calls this when it returns."""
        if rank != self._running:
            self._running = rank
            self.switched(rank)

    def explain_error(self, error: BaseException, me: Carrier) -> Outcome:
        return explain_error(error, me.label)

    def explain_stuck(self, waiting: Sequence[Carrier], engine: Engine) -> Outcome | None:
        blocked = [carrier for carrier in waiting if carrier.kind != MATCH]
        return explain_stuck_ranks(blocked, engine, self.exchange) if blocked else None
