"""`raddle.messages.run`: runs a program once and measures what it covers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from raddle.criteria import MESSAGES
from raddle.exploring.stop_rules import Budget
from raddle.messages.choice import choice
from raddle.messages.exploring import structural_criteria
from raddle.messages.one_mode import SearchSettings, explored_in_mode
from raddle.messages.scenario import PATIENCE_SECONDS, POLLS, STEP_LIMIT, MessageScenario, Program
from raddle.mpi.options import Collectives, Sends
from raddle.pcfg.graph import ITERATIONS
from raddle.pcfg.matching import Profile
from raddle.result import Result
from raddle.searching import stored, usable


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One execution of a program."""

    result: Result
    output: str  # what the ranks printed, each line with its rank


def run(
    program: Program,
    *,
    ranks: int,
    argv: Sequence[str] = (),
    seed: int = 1,
    sends: str = Sends.BUFFERED,
    collectives: str = Collectives.MINIMAL,
    polls: int = POLLS,
    step_limit: int = STEP_LIMIT,
    patience_seconds: float | None = PATIENCE_SECONDS,
    criteria: str | Iterable[str] | None = None,
    data_file: str | os.PathLike[str] | None = None,
    roles: str | None = None,
    profile: str = Profile.LITERAL,
    iterations: int = ITERATIONS,
) -> MeasuredRun:
    """Run a program once, with a random order of its messages, and measure the structural criteria.

    The parameters are those of `raddle.messages.explore`. By default, all criteria are measured.
    """
    scenario = MessageScenario(
        program,
        ranks,
        argv=tuple(map(str, argv)),
        sends=choice("sends", Sends, sends),
        collectives=choice("collectives", Collectives, collectives),
        polls=polls,
        step_limit=step_limit,
        patience_seconds=patience_seconds,
        seed=seed,
        roles=roles,
        profile=choice("profile", Profile, profile),
        iterations=iterations,
    )
    names = structural_criteria(MESSAGES if criteria is None else criteria, program)
    file, why_not_stored = usable(data_file)
    settings = SearchSettings("random", seed, Budget(1, None, "budget"), criteria=names)
    result, world = explored_in_mode(scenario, settings)
    if result.record is not None:
        result = stored(result, result.record, names, file, ())
    return MeasuredRun(replace(result, not_stored=why_not_stored or result.not_stored), world.output.labeled())
