"""Runs small message-passing programs with both explorers, for the tests of the world of ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from raddle.exploring.stop_rules import Budget
from raddle.exploring.workbench import Workbench
from raddle.messages.variant_search import VariantSearch
from raddle.mpi.installation import MpiInstallation, Ranks
from raddle.mpi.options import MpiOptions
from raddle.mpi.sequence import Sequence, sequence_of
from raddle.mpi.world import MpiWorld
from raddle.schedulers.reachability import Reachability


class Explored(NamedTuple):
    """The executions of a complete search."""

    sequences: list[Sequence]  # one for each execution
    failed: int  # number of executions that failed
    redundant: int  # number of executions that the search recognized as redundant
    complete: bool


def explored(program: Callable[[int], object], *, ranks: int, options: MpiOptions | None = None) -> Explored:
    """Run every SYN-sequence of a program, a function that takes the rank, with the reachability explorer."""
    return _explored(program, ranks, options, lambda world: Reachability())


def explored_by_variants(
    program: Callable[[int], object], *, ranks: int, options: MpiOptions | None = None
) -> Explored:
    """Run every SYN-sequence of a program with the match-based explorer."""
    return _explored(program, ranks, options, VariantSearch)


def _explored(
    program: Callable[[int], object],
    ranks: int,
    options: MpiOptions | None,
    make_search: Callable[[MpiWorld], Reachability | VariantSearch],
) -> Explored:
    domain = Ranks(ranks) if options is None else Ranks(ranks, options)
    with Workbench(domain) as workbench:
        installation = workbench.installation
        assert isinstance(installation, MpiInstallation)
        search, sequences, failed = make_search(installation.world), [], 0
        with workbench.session(installation.scenario(program)) as session:
            while search.begin(len(sequences) + 1, 0):
                failed += session.run_for(search).outcome.failed
                sequences.append(sequence_of(installation.world.exchange))
    progress = search.progress()
    return Explored(sequences, failed, search.redundant, bool(progress.every_order) and not progress.bound)


def kinds_found(program: Callable[[int], object], *, ranks: int, options: MpiOptions | None = None) -> list[str]:
    """Return the kinds of the findings of a complete search."""
    domain = Ranks(ranks) if options is None else Ranks(ranks, options)
    with Workbench(domain) as workbench:
        installation = workbench.installation
        assert isinstance(installation, MpiInstallation)
        result = workbench.explore(
            installation.scenario(program), scheduler="reachability", budget=Budget(executions=5_000, until="exhausted")
        )
    return [str(finding.kind) for finding in result.findings]
