"""Runs small message-passing programs with the match-based explorer, for the tests of the world of ranks."""

from __future__ import annotations

from collections.abc import Callable

from exploration import Explored

from raddle.exploring.workbench import Workbench
from raddle.messages.variant_search import VariantSearch
from raddle.mpi.installation import MpiInstallation, Ranks
from raddle.mpi.options import MpiOptions
from raddle.mpi.sequence import sequence_of


def explored_by_variants(
    program: Callable[[int], object], *, ranks: int, options: MpiOptions | None = None
) -> Explored:
    """Run every SYN-sequence of a program, a function that takes the rank."""
    domain = Ranks(ranks) if options is None else Ranks(ranks, options)
    with Workbench(domain) as workbench:
        installation = workbench.installation
        assert isinstance(installation, MpiInstallation)
        search, sequences, failed = VariantSearch(installation.world), [], 0
        with workbench.session(installation.scenario(program)) as session:
            while search.begin(len(sequences) + 1, 0):
                failed += session.run_for(search).outcome.failed
                sequences.append(sequence_of(installation.world.exchange))
    progress = search.progress()
    return Explored(sequences, failed, search.redundant, bool(progress.every_order) and not progress.bound)
