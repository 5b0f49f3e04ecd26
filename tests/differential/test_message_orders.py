"""Both explorers execute every result of random message-passing programs, and each SYN-sequence exactly once."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import median

import pytest
from message_oracle import Collective, Irecv, Isend, Probe, Program, Recv, Result, Send, Wait, results
from message_programs import random_program

from raddle.exploring.workbench import Workbench
from raddle.messages.variant_search import VariantSearch
from raddle.mpi import completion
from raddle.mpi import point_to_point as p2p
from raddle.mpi.collective_call import Entry
from raddle.mpi.completion import PendingReceive, PendingSend
from raddle.mpi.installation import MpiInstallation, Ranks
from raddle.mpi.sequence import sequence_of
from raddle.mpi.world import MpiWorld
from raddle.schedulers.reachability import Reachability

MAX_RESULTS = 1_000  # programs with more results are left out
CONTEXT = 0

Explorer = Callable[[MpiWorld], Reachability | VariantSearch]
EXPLORERS: tuple[Explorer, ...] = (lambda world: Reachability(), VariantSearch)


def explored(program: Program, explorer: Explorer) -> list[Result]:
    """Return the result of each execution of a complete search."""
    found: list[Result] = []
    at = [0] * len(program)

    def run(rank: int) -> None:
        at[rank] = 0
        requests: list[PendingReceive | PendingSend] = []
        for number, one in enumerate(program[rank], 1):
            if isinstance(one, (Send, Isend)):
                message = p2p.send(one.to, CONTEXT, one.tag, None, synchronous=one.synchronous)
                if isinstance(one, Send):
                    p2p.complete_send(message)
                else:
                    requests.append(PendingSend(message))
            elif isinstance(one, Recv):
                p2p.receive(one.source, CONTEXT, one.tag)
            elif isinstance(one, Irecv):
                requests.append(PendingReceive(p2p.post(one.source, CONTEXT, one.tag)))
            elif isinstance(one, Wait):
                completion.wait_for([requests[one.request]])
            elif isinstance(one, Probe):
                p2p.probe(one.source, CONTEXT, one.tag)
            else:
                assert isinstance(one, Collective)
                call = completion.enter(CONTEXT, tuple(range(len(program))), Entry("collective"))
                completion.complete(call, one.needs[rank])
            at[rank] = number

    with Workbench(Ranks(len(program))) as workbench:
        installation = workbench.installation
        assert isinstance(installation, MpiInstallation)
        search = explorer(installation.world)
        with workbench.session(installation.scenario(run)) as session:
            while search.begin(len(found) + 1, 0):
                at[:] = [0] * len(program)
                session.run_for(search)
                found.append(Result(sequence_of(installation.world.exchange).matches, tuple(at)))
    assert search.redundant == 0
    assert search.progress().every_order
    assert not search.progress().bound
    return found


def compare(seed: int, programs: int) -> list[int]:
    """Compare both explorers with the interpreter on random programs; return the numbers of their results."""
    random, sizes = Random(seed), []
    while len(sizes) < programs:
        program = random_program(random)
        expected = results(program)
        if len(expected) <= MAX_RESULTS:
            for explorer in EXPLORERS:
                found = explored(program, explorer)
                assert set(found) == expected, program
                assert len(found) == len(expected), program
            sizes.append(len(expected))
    return sizes


@pytest.mark.parametrize("seed", range(4))
def test_every_result_is_executed_exactly_once(seed: int) -> None:
    assert max(compare(seed, 40)) >= 20  # otherwise the programs have hardly any choices


@pytest.mark.long
def test_every_result_of_2000_programs_is_executed_exactly_once() -> None:
    sizes = compare(100, 2_000)
    assert median(sizes) >= 6
