"""Both explorers execute every result of random message-passing programs, and each SYN-sequence exactly once."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import median

import pytest
from message_oracle import Collective, Irecv, Isend, Probe, Program, Recv, Result, Send, Wait, results
from message_programs import random_program

from raddle.exploring.workbench import Workbench
from raddle.messages.coordinator import Coordinator
from raddle.messages.scenario import MessageScenario
from raddle.messages.variant_search import VariantSearch
from raddle.messages.variant_worker import VariantWorker
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


def executable(program: Program, at: list[int]) -> Callable[[int], None]:
    """Return a function that executes the instructions of a rank, and counts them in `at`."""

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

    return run


def explored(program: Program, explorer: Explorer) -> list[Result]:
    """Return the result of each execution of a complete search."""
    found: list[Result] = []
    at = [0] * len(program)
    run = executable(program, at)
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


def simulated(program: Program, slots: int, random: Random) -> set[object]:
    """Return the matches of each execution of a search with `slots` simulated workers that end in random order."""
    run = executable(program, [0] * len(program))
    worker = VariantWorker(MessageScenario(lambda comm: run(comm.rank), len(program)))
    coordinator, running, found = Coordinator(), [], set()
    try:
        while not coordinator.is_finished:
            running += coordinator.batch(slots - len(running))
            if not running:
                break  # known sequences contained all variants that were left
            begin = running.pop(random.randrange(len(running)))
            ran = worker.run([begin]).ran
            coordinator.landed([begin], ran)
            found.add(ran[0].sequence.matches)
    finally:
        worker.close()
    assert coordinator.redundant == 0
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


@pytest.mark.parametrize("slots", [1, 4, 16])
def test_no_sequence_is_executed_twice_however_workers_end(slots: int) -> None:
    random = Random(slots)
    for _ in range(15):
        program = random_program(random)
        expected = {result.matches for result in explored(program, VariantSearch)}
        assert simulated(program, slots, random) == expected, program


@pytest.mark.long
def test_every_result_of_2000_programs_is_executed_exactly_once() -> None:
    sizes = compare(100, 2_000)
    assert median(sizes) >= 6
