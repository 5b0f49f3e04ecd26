"""Runs variants of a program, in this process or in a worker process, and analyzes the executions."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass

from raddle.distribute.processes import die_with_parent
from raddle.execute.session import Session
from raddle.messages.choices import Decided
from raddle.messages.forcing import Forcing
from raddle.messages.scenario import MessageScenario
from raddle.messages.variant_search import MAX_EVENTS, TOO_LONG, UNFORCED
from raddle.messages.variants import Variant, variants
from raddle.mpi.installation import MpiInstallation
from raddle.mpi.sequence import Sequence as SynSequence
from raddle.mpi.sequence import sequence_of
from raddle.outcome import OutcomeKind

Begin = tuple[Decided, ...]  # how an execution has to begin


class _SingleRun(Forcing):
    complete = True


@dataclass(frozen=True, slots=True)
class Ran:
    """The analysis of one execution."""

    decided: tuple[Decided, ...]
    sequence: SynSequence
    variants: tuple[Variant, ...]
    signature: tuple[str, ...]  # of the failure; empty if the execution passed
    steps: int  # number of scheduling points
    endless: bool = False
    bound: str = ""  # why its variants are not complete


@dataclass(frozen=True, slots=True)
class Batch:
    """The analyses of several executions, and what they used."""

    ran: tuple[Ran, ...]
    used_collectives: bool
    limited_polls: bool
    refusal: str = ""  # a call that is not simulated


class VariantWorker:
    """Runs variants of one scenario. The installation stays active between batches."""

    def __init__(self, scenario: MessageScenario) -> None:
        self.scenario = scenario
        installation = scenario.domain().install()
        assert isinstance(installation, MpiInstallation)
        self._world = installation.world
        self._session = Session(scenario.scenario(installation), installation, **scenario.session_options())
        self._session.__enter__()

    def close(self) -> None:
        """Restore the process."""
        self._session.__exit__()

    def run(self, batch: Sequence[Begin]) -> Batch:
        """Run an execution for each beginning."""
        ran = tuple(self._run(begin) for begin in batch)
        world = self._world
        return Batch(
            ran, world.used_collectives, world.limited_polls, "" if world.refusal is None else str(world.refusal)
        )

    def _run(self, begin: Begin) -> Ran:
        forcing = _SingleRun(self._world)
        forcing.outcomes = dict(begin)
        execution = self._session.run_for(forcing)
        trace, outcome = forcing.trace, execution.outcome
        assert trace is not None
        too_long = len(trace.events) > MAX_EVENTS
        return Ran(
            decided=tuple(decided for _, decided in trace.decided),
            sequence=sequence_of(self._world.exchange),
            variants=() if too_long else tuple(variants(trace)),
            signature=outcome.signature if outcome.failed else (),
            steps=execution.steps,
            endless=outcome.kind == OutcomeKind.STEP_LIMIT,
            bound=TOO_LONG if too_long else UNFORCED if forcing.diverged else "",
        )


_worker: VariantWorker | None = None  # of this process, if it was started to run variants


def initialize_worker(scenario: MessageScenario) -> None:
    """Prepare a new worker process."""
    global _worker
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes, but only the main one handles it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _worker = VariantWorker(scenario)


def run_in_worker(batch: Sequence[Begin]) -> Batch:
    """Run a batch in a process that was prepared."""
    assert _worker is not None
    return _worker.run(batch)


def run_anywhere(scenario: MessageScenario, batch: Sequence[Begin]) -> Batch:
    """Run a batch in a process that was not prepared, such as one of the caller's executor."""
    worker = VariantWorker(scenario)
    try:
        return worker.run(batch)
    finally:
        worker.close()
