"""The world of MPI ranks: the engine's interface to the ranks of an execution."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from raddle.checks.crash import explain_error
from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.world import World
from raddle.mpi.cautions import Caution, cautions_of
from raddle.mpi.exchange import Exchange
from raddle.mpi.exit_functions import call_exit_functions
from raddle.mpi.input import InputLines, RankInput
from raddle.mpi.library.errors import AbortError, UnsupportedCallError, kind_of
from raddle.mpi.library.errors import Exception as MpiError
from raddle.mpi.library.payload import Pickled
from raddle.mpi.misuse import MisuseError
from raddle.mpi.naming import resource_name
from raddle.mpi.operations import MATCH
from raddle.mpi.options import MpiOptions
from raddle.mpi.output import RankOutput
from raddle.mpi.results import Results
from raddle.mpi.sequence import Sequence as SynSequence
from raddle.mpi.sequence import sequence_of
from raddle.mpi.stuck import explain_incomplete_call, explain_stuck_ranks
from raddle.operation import Kind
from raddle.outcome import Outcome, OutcomeKind

if TYPE_CHECKING:
    from raddle.engine.engine import Engine
    from raddle.mpi.node_probe import NodePath


class MpiWorld(World):
    """The ranks of an MPI program. Rank 0 starts the others.

    A posted receive is a participant of its own, because it can take a message at any time. Its label is that of its
    rank with a number, such as R0.1.
    """

    letter = "R"

    def __init__(self, size: int, options: MpiOptions, lines: InputLines | None = None) -> None:
        self.size = size
        self.options = options
        self.exchange = Exchange(size)
        self.output = RankOutput(size)
        self.input = RankInput(lambda: self.running_rank, lines or InputLines(), sys.stdin)
        self.running_rank = 0  # the rank that ran last
        self.begun: Callable[[], None] = lambda: None  # called when an execution begins
        self.switched: Callable[[int], None] = lambda rank: None  # called when a rank continues after another one ran
        self.used_collectives = False  # True if ranks entered a collective operation
        self.used_random: Callable[[], bool] = lambda: False  # returns whether ranks have drawn random numbers
        self.limited_polls = False  # True if a poll was not refused because of `MpiOptions.polls`
        self.refusal: UnsupportedCallError | None = None  # set when the program uses something that is not simulated
        self.paths: Sequence[NodePath] = ()  # the path of each rank, if the execution is measured
        self.sequences: dict[SynSequence, int] = {}  # number of executions by SYN-sequence, without replays
        self._is_replay = False
        self.results = Results()
        self.cautions: dict[Caution, None] = {}  # warnings about all executions, in the order of their discovery

    def begin(self, engine: Engine, main: Carrier) -> None:
        self.exchange = Exchange(self.size)
        self.output = RankOutput(self.size)
        # A search continues after a failure or samples scheduling points; a replay does neither.
        self._is_replay = not engine.rules.thorough and not engine.rules.samples
        self.paths = ()
        main.own = self.exchange.ranks[0]
        self.running_rank = 0
        self._engine = engine
        self.input.begin()
        self.begun()

    def end(self, carriers: Sequence[Carrier], unbegun: Sequence[Carrier]) -> None:
        self.used_collectives = self.used_collectives or bool(self.exchange.calls)
        sequence = sequence_of(self.exchange)
        if not self._is_replay:
            self.sequences[sequence] = self.sequences.get(sequence, 0) + 1
        engine = self._engine
        if engine.outcome is not None or engine.step_limit.stopped:
            self.results.give_up()
            return
        differs = self.results.compare(sequence, self.output.text(0), read_clock=engine.clock.readings > 0)
        engine.outcome = explain_incomplete_call(self.exchange) or differs
        self.cautions.update(dict.fromkeys(cautions_of(self.exchange)))

    def run(self, program: Callable[[int], object]) -> None:
        """Run a program in all ranks. The participant that calls this becomes rank 0."""
        me = getcurrent()
        assert isinstance(me, Carrier)
        for rank in range(1, self.size):
            me.engine.spawn(me, partial(self._run_rank, program, rank), own=self.exchange.ranks[rank])
        self._run_rank(program, 0)

    def _run_rank(self, program: Callable[[int], object], rank: int) -> None:
        self.resume(rank)
        try:
            try:
                program(rank)
            except SystemExit as error:
                if error.code not in (None, 0):
                    raise
            call_exit_functions(self.exchange.ranks[rank])
        except UnsupportedCallError as error:
            self.refusal = error
            raise

    def resume(self, rank: int) -> None:
        """Record that this rank continues; every operation of a rank calls this when it returns."""
        if rank != self.running_rank:
            self.switched(rank)
            self.running_rank = rank

    def resource_name(self, kind: Kind, target: object) -> str:
        return resource_name(kind, target)

    def shown_value(self, value: object) -> object:
        return value.load() if isinstance(value, Pickled) else value

    def explain_error(self, error: BaseException, me: Carrier) -> Outcome:
        outcome = explain_error(error, me.label)
        if isinstance(error, (AbortError, SystemExit)):
            message = str(error) if isinstance(error, AbortError) else f"the rank called sys.exit({error.code!r})"
            signature = (OutcomeKind.ABORTED, message, *outcome.signature[2:])
            return replace(outcome, kind=OutcomeKind.ABORTED, message=message, signature=signature, error=None)
        if isinstance(error, MisuseError):
            return replace(outcome, kind=error.kind, message=str(error), signature=(error.kind, *error.signature))
        if isinstance(error, MpiError):
            kind = kind_of(error)
            return replace(outcome, kind=kind, message=str(error), signature=(kind, *outcome.signature[1:]))
        return outcome

    def explain_stuck(self, waiting: Sequence[Carrier], engine: Engine) -> Outcome | None:
        blocked = [carrier for carrier in waiting if carrier.kind != MATCH]
        return explain_stuck_ranks(blocked, engine, self.exchange) if blocked else None
