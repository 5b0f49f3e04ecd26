"""`raddle.messages.explore`: searches the message orders of a program for failures."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import replace

from raddle.errors import UsageError
from raddle.exploring.progress import ProgressCallback
from raddle.exploring.stop_rules import Budget
from raddle.exploring.workbench import Workbench
from raddle.finding import ANY_MPI, WITHOUT_BUFFERING, Finding
from raddle.guide.policies import make_policy
from raddle.messages.scenario import PATIENCE_SECONDS, POLLS, STEP_LIMIT, MessageScenario, Program, SendModes
from raddle.mpi.installation import MpiInstallation
from raddle.mpi.options import Collectives, Sends
from raddle.mpi.world import MpiWorld
from raddle.result import Result
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
    progress: ProgressCallback | None = None,
) -> Result:
    """Run a message-passing program many times, with different orders of its messages, and return the `Result`.

    * `program` is a file that uses mpi4py, or a function that takes a communicator. Every rank runs it.
    * The default `approach`, "reachability", runs every SYN-sequence exactly once. The name of a scheduler, such as
      "random" or "portfolio", samples executions instead.
    * `sends` says when standard sends complete: "buffered" (at once), "synchronous" (when a receive has taken the
      message) or "both", which explores both. With `collectives="synchronizing"`, every collective operation waits for
      all ranks. A poll, such as `iprobe` or `test`, can be refused `polls` times in a row.
    * `executions` (default 1000, or unlimited with `seconds`) and `seconds` limit the search in each mode.

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
    modes = _choice("sends", SendModes, sends).modes
    seed = random.SystemRandom().randrange(1, 1 << 31) if seed is None else seed
    scenario = MessageScenario(
        program,
        ranks,
        argv=tuple(map(str, argv)),
        collectives=_choice("collectives", Collectives, collectives),
        polls=polls,
        step_limit=step_limit,
        patience_seconds=patience_seconds,
        seed=seed,
    )
    complete = make_policy(approach, seed=seed, criteria=()).complete
    budget = _budget(executions, seconds, until, complete=complete)
    results: dict[Sends, Result] = {}
    worlds: list[MpiWorld] = []
    for mode in modes:
        result, world = _explored(scenario.with_sends(mode), approach, seed, budget, shrink, progress)
        results[mode] = result
        worlds.append(world)
        if result.stopped_because in (StopReason.INTERRUPTED, StopReason.ENDLESS) or (
            result.failed and budget.until == "first-finding"
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
    )


def _choice(name: str, kind: type[SendModes] | type[Collectives], value: str):  # type: ignore[no-untyped-def]
    try:
        return kind(value)
    except ValueError:
        raise UsageError(f"bad-{name}", f"{name} must be one of {', '.join(kind)}, not {value!r}") from None


def _budget(executions: int | None, seconds: float | None, until: str | None, *, complete: bool) -> Budget:
    until = until or ("exhausted" if complete else "budget")
    if until not in UNTIL:
        raise UsageError("bad-until", f"until must be one of {', '.join(UNTIL)}, not {until!r}")
    if until == "exhausted" and not complete:
        raise UsageError("bad-until", "until='exhausted' needs an approach that can run all sequences: 'reachability'")
    if executions is None and seconds is None:
        executions = EXECUTIONS
    return Budget(executions, seconds, until)


def _explored(
    scenario: MessageScenario,
    approach: str,
    seed: int,
    budget: Budget,
    shrink: bool,
    progress: ProgressCallback | None,
) -> tuple[Result, MpiWorld]:
    """Explore a scenario in one mode of sends; return the result and the world that executed it."""
    workbench = Workbench(scenario.domain())
    installation = workbench.installation
    assert isinstance(installation, MpiInstallation)
    world = installation.world
    plan = scenario.plan(installation, (), scheduler=approach, seed=seed, until=budget.until, shrink=shrink, keep=False)
    begun = time.monotonic()
    with workbench:
        result, _ = workbench.search(plan, budget, progress=progress)
    if world.refusal is not None:
        raise UsageError(
            "unsupported-mpi-call", f"{scenario.name} uses {world.refusal}, which raddle does not simulate"
        )
    if world.limited_polls and result.stopped_because is StopReason.EXHAUSTED:
        result = replace(result, stopped_because=StopReason.EXHAUSTED_WITHIN_BOUND)
    return replace(result, seconds=time.monotonic() - begun), world


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
        notes=tuple(dict.fromkeys(note for result in results.values() for note in result.notes)),
    )


# The reason of several searches together is the first of these that ended one of them.
_WEAKEST_FIRST = (
    StopReason.INTERRUPTED,
    StopReason.FIRST_FINDING,
    StopReason.ENDLESS,
    StopReason.CRASHING,
    StopReason.SECONDS,
    StopReason.EXECUTIONS,
    StopReason.EXHAUSTED_IN_PART,
    StopReason.EXHAUSTED_WITHIN_BOUND,
    StopReason.SATURATED,
    StopReason.COVERED,
    StopReason.EXHAUSTED,
)
