"""`raddle.messages.explore`: searches the message orders of a program for failures."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from raddle.criteria import MESSAGES, resolve
from raddle.errors import UsageError
from raddle.exploring.progress import ProgressCallback
from raddle.exploring.stop_rules import Budget
from raddle.finding import ANY_MPI, WITHOUT_BUFFERING, Finding
from raddle.guide.policies import make_policy
from raddle.messages.approach import BY_COVERAGE, OWN, VARIANTS
from raddle.messages.choice import choice
from raddle.messages.criteria_goal import DEFAULT_CRITERIA
from raddle.messages.one_mode import SearchSettings, explored_in_mode
from raddle.messages.scenario import PATIENCE_SECONDS, POLLS, STEP_LIMIT, MessageScenario, Program, SendModes
from raddle.mpi.options import Collectives, Sends
from raddle.mpi.world import MpiWorld
from raddle.pcfg.graph import ITERATIONS
from raddle.pcfg.matching import Profile
from raddle.record import Record
from raddle.result import Result
from raddle.searching import stored, usable
from raddle.stop_reason import StopReason

EXECUTIONS = 1000  # default limit if the caller gives neither a number of executions nor a time limit
REACHABILITY = "reachability"
UNTIL = ("saturated", "covered", "first-finding", "exhausted", "budget")


def explore(
    program: Program,
    *,
    ranks: int,
    argv: Sequence[str] = (),
    approach: str = REACHABILITY,
    executions: int | None = None,
    seconds: float | None = None,
    seed: int | None = 1,
    until: str | None = None,
    sends: str = SendModes.BOTH,
    collectives: str = Collectives.MINIMAL,
    polls: int = POLLS,
    shrink: bool = True,
    step_limit: int = STEP_LIMIT,
    patience_seconds: float | None = PATIENCE_SECONDS,
    workers: int | Executor | None = None,
    criteria: str | Iterable[str] | None = None,
    data_file: str | os.PathLike[str] | None = None,
    roles: str | None = None,
    profile: str = Profile.LITERAL,
    iterations: int = ITERATIONS,
    progress: ProgressCallback | None = None,
) -> Result:
    """Run a message-passing program many times, with different orders of its messages, and return the `Result`.

    * `program` is a file that uses mpi4py, or a function that takes a communicator. Every rank runs it.
    * The default `approach`, "reachability", runs every SYN-sequence exactly once. So does "variants", which works
      differently: it executes race variants. "composite" executes only the variants that promise to cover something
      new (by default, sync-edges and s-uses), and "structural" tries random executions first. The name of a
      scheduler, such as "random" or "portfolio", samples executions instead.
    * `sends` says when standard sends complete: "buffered" (at once), "synchronous" (when a receive has taken the
      message) or "both", which explores both. With `collectives="synchronizing"`, every collective operation waits for
      all ranks. A poll, such as `iprobe` or `test`, can be refused `polls` times in a row.
    * `workers` is a number of processes or a `concurrent.futures` executor. A search with workers executes race
      variants, and its result does not depend on their number. A program that is a function must then be importable,
      unless processes can be forked.
    * `executions` (default 1000, or unlimited with `seconds`) and `seconds` limit the search in each mode.
    * `criteria` names structural criteria to measure, such as "all-edges-s,all-s-uses" or "messages" for all of them;
      the result is added to `data_file`. `roles` says which function each rank runs, as in "master(0) worker(1-3)";
      by default, raddle finds the roles in the source. `profile` ("literal", "tags" or "ranks") says what is compared
      to eliminate pairs of sends and receives. all-edges-s* distinguishes `iterations` runs of a statement.

    >>> import raddle
    >>> def program(comm):
    ...     if comm.rank == 0:
    ...         first, second = comm.recv(), comm.recv()
    ...         assert first < second
    ...     else:
    ...         comm.send(comm.rank, dest=0)
    >>> result = raddle.messages.explore(program, ranks=3)
    >>> result.outcome, str(result.findings[0].schedule), result.sequences
    ('assertion', 'R0; R2.', 2)
    """
    modes = choice("sends", SendModes, sends).modes
    seed = random.SystemRandom().randrange(1, 1 << 31) if seed is None else seed
    scenario = MessageScenario(
        program,
        ranks,
        argv=tuple(map(str, argv)),
        collectives=choice("collectives", Collectives, collectives),
        polls=polls,
        step_limit=step_limit,
        patience_seconds=patience_seconds,
        seed=seed,
        roles=roles,
        profile=choice("profile", Profile, profile),
        iterations=iterations,
    )
    names = _criteria_for(approach, criteria, program, measures=data_file is not None or roles is not None)
    _check_workers(workers, approach, names)
    complete = approach in OWN or make_policy(approach, seed=seed, criteria=()).complete
    budget = _budget(executions, seconds, until, complete=complete)
    file, why_not_stored = usable(data_file) if names else (None, "")
    settings = SearchSettings(approach, seed, budget, shrink=shrink, criteria=names, workers=workers, progress=progress)
    combined = _explored(scenario, modes, settings)
    if combined.record is not None:
        combined = stored(combined, combined.record, names, file, ())
    return replace(combined, not_stored=why_not_stored or combined.not_stored)


def _criteria_for(
    approach: str, criteria: str | Iterable[str] | None, program: Program, *, measures: bool
) -> tuple[str, ...]:
    """Return the names of the criteria to measure, which may direct the approach."""
    if approach not in BY_COVERAGE:
        return structural_criteria(criteria, program, measures=measures)
    names = structural_criteria(DEFAULT_CRITERIA if criteria is None else criteria, program)
    if not names:
        raise UsageError("no-criteria", f"the approach {approach!r} needs at least one criterion to cover")
    return names


def _check_workers(workers: int | Executor | None, approach: str, criteria: Sequence[str]) -> None:
    """Raise `UsageError` if a search cannot be split among workers."""
    if workers is None:
        return
    if isinstance(workers, int) and workers < 1:
        raise UsageError("bad-workers", f"workers must be at least 1, not {workers}")
    if approach not in (REACHABILITY, VARIANTS):
        raise UsageError("bad-workers", f"the approach {approach!r} cannot be split among workers: drop `workers`")
    if criteria:
        raise UsageError("bad-workers", "workers do not measure criteria: drop `workers`, or measure no criteria")


def _explored(scenario: MessageScenario, modes: Sequence[Sends], settings: SearchSettings) -> Result:
    """Explore a scenario in several modes of sends; return one result."""
    results: dict[Sends, Result] = {}
    worlds: list[MpiWorld] = []
    for mode in modes:
        result, world = explored_in_mode(scenario.with_sends(mode), settings)
        results[mode] = result
        worlds.append(world)
        if result.stopped_because in (StopReason.INTERRUPTED, StopReason.ENDLESS) or (
            result.failed and settings.budget.until == "first-finding"
        ):
            break
    return replace(
        _combined(results),
        sequences=len(set().union(*(world.sequences for world in worlds))),
        assumptions=_assumptions(tuple(results), scenario, worlds),
        warnings=tuple(one.as_json() for one in dict.fromkeys(one for world in worlds for one in world.cautions)),
    )


def _assumptions(modes: Sequence[Sends], scenario: MessageScenario, worlds: Sequence[MpiWorld]) -> tuple[str, ...]:
    """Return what an exhausted search takes for granted."""
    if len(modes) == 2:
        sends = "that either all standard sends are buffered or all wait for their receives"
    elif modes[0] is Sends.BUFFERED:
        sends = "that standard sends are buffered"
    else:
        sends = "that standard sends wait for their receives"
    collectives = {
        Collectives.MINIMAL: "that collective operations wait only for the data they need",
        Collectives.SYNCHRONIZING: "that collective operations wait for all ranks",
    }[scenario.collectives]
    return (
        sends,
        *([collectives] if any(world.used_collectives for world in worlds) else []),
        *(
            [f"that a poll fails at most {scenario.polls} times in a row"]
            if any(world.limited_polls for world in worlds)
            else []
        ),
        *(["that random numbers are those of this seed"] if any(world.used_random() for world in worlds) else []),
    )


def structural_criteria(
    criteria: str | Iterable[str] | None, program: Program, *, measures: bool = False
) -> tuple[str, ...]:
    """Return the names of the criteria to measure: those named, or all of them if `measures` is true."""
    if criteria is None:
        return MESSAGES if measures else ()
    names = resolve(criteria)
    wrong = [name for name in names if name not in MESSAGES]
    if wrong:
        raise UsageError(
            "bad-criterion",
            f"{', '.join(wrong)} is about threads; message-passing programs have the criteria {', '.join(MESSAGES)}",
        )
    if callable(program):
        raise UsageError("bad-program", "criteria can only be measured for a program in a file, not for a function")
    return names


def _budget(executions: int | None, seconds: float | None, until: str | None, *, complete: bool) -> Budget:
    until = until or ("exhausted" if complete else "budget")
    if until not in UNTIL:
        raise UsageError("bad-until", f"until must be one of {', '.join(UNTIL)}, not {until!r}")
    if until == "exhausted" and not complete:
        raise UsageError("bad-until", "until='exhausted' needs an approach that can run all sequences: 'reachability'")
    if seconds is not None and not seconds > 0:
        raise UsageError("bad-budget", f"seconds must be more than 0, not {seconds!r}")
    if executions is not None and executions < 1:
        raise UsageError("bad-budget", f"executions must be at least 1, not {executions!r}")
    if executions is None and seconds is None:
        executions = EXECUTIONS
    return Budget(executions, seconds, until)


def _combined(results: dict[Sends, Result]) -> Result:
    """Return one result for the searches in several modes of sends."""
    first = next(iter(results.values()))
    findings: list[Finding] = []
    for mode, result in results.items():
        possible_on = ANY_MPI if mode is Sends.BUFFERED else WITHOUT_BUFFERING
        known = {finding.signature for finding in findings}
        findings += [
            replace(finding, possible_on=possible_on) for finding in result.findings if finding.signature not in known
        ]
    ended = {result.stopped_because for result in results.values()}
    reason = next((one for one in _WEAKEST_FIRST if one in ended), first.stopped_because)
    records = [result.record for result in results.values() if result.record is not None]
    orders = {name: sum(result.orders.get(name, 0) for result in results.values()) for name in first.orders}
    return replace(
        first,
        outcome=findings[0].kind if findings else first.outcome,
        findings=tuple(findings),
        executions=sum(result.executions for result in results.values()),
        scheduling_points=sum(result.scheduling_points for result in results.values()),
        seconds=sum(result.seconds for result in results.values()),
        stopped_because=reason,
        orders=orders,
        record=_merged(records, exhausted=len(ended) == 1 and StopReason.EXHAUSTED in ended),
        notes=tuple(dict.fromkeys(note for result in results.values() for note in result.notes)),
    )


def _merged(records: Sequence[Record], *, exhausted: bool) -> Record | None:
    """Return the coverage of the searches in all modes; it is complete if all of them were exhausted."""
    if not records:
        return None
    merged = records[0]
    for record in records[1:]:
        merged = merged + record
    return replace(merged, exact=merged.measured if exhausted else frozenset())


# The reason of several searches together is the first of these that ended one of them.
_WEAKEST_FIRST = (
    StopReason.INTERRUPTED,
    StopReason.FIRST_FINDING,
    StopReason.ENDLESS,
    StopReason.CRASHING,
    StopReason.SECONDS,
    StopReason.EXECUTIONS,
    StopReason.NOTHING_PROMISED,
    StopReason.EXHAUSTED_IN_PART,
    StopReason.EXHAUSTED_WITHIN_BOUND,
    StopReason.SATURATED,
    StopReason.COVERED,
    StopReason.EXHAUSTED,
)
