"""`raddle.messages.replay`: runs a program once with a given schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raddle.exploring.findings import replayed_finding
from raddle.finding import ANY_MPI, WITHOUT_BUFFERING, Finding
from raddle.messages.scenario import PATIENCE_SECONDS, POLLS, STEP_LIMIT, MessageScenario, Program
from raddle.mpi.options import Collectives, Sends
from raddle.schedule import Schedule


def replay(
    program: Program,
    schedule: str | Schedule,
    *,
    ranks: int,
    argv: Sequence[str] = (),
    sends: str = Sends.BUFFERED,
    collectives: str = Collectives.MINIMAL,
    polls: int = POLLS,
    step_limit: int = STEP_LIMIT,
    patience_seconds: float | None = PATIENCE_SECONDS,
) -> Finding | None:
    """Run a program once with a schedule; return the finding, or None if the execution passes.

    >>> import raddle
    >>> def program(comm):
    ...     if comm.rank == 0:
    ...         assert comm.recv() < comm.recv()
    ...     else:
    ...         comm.send(comm.rank, dest=0)
    >>> raddle.messages.replay(program, "R0; R2.", ranks=3).kind
    'assertion'
    """
    schedule = Schedule.parse(schedule) if isinstance(schedule, str) else schedule
    mode = Sends(sends)
    scenario = MessageScenario(
        program,
        ranks,
        argv=tuple(argv),
        sends=mode,
        collectives=Collectives(collectives),
        polls=polls,
        step_limit=step_limit,
        patience_seconds=patience_seconds,
    )
    with scenario.session() as session:
        session.rehearse()  # its output is what the output of the replay is compared with
        finding = replayed_finding(session, schedule)
    possible_on = ANY_MPI if mode is Sends.BUFFERED else WITHOUT_BUFFERING
    return None if finding is None else replace(finding, possible_on=possible_on)
