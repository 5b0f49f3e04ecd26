"""The nine message-passing programs: their results, and their SYN-sequences according to both explorers."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

import pytest
from raddle_lab.messages.programs import FAULTY, PROGRAMS, MessageProgram

from raddle.execute.session import Session
from raddle.messages.scenario import MessageScenario
from raddle.messages.variant_search import VariantSearch
from raddle.mpi.installation import MpiInstallation
from raddle.mpi.sequence import sequence_of
from raddle.outcome import OutcomeKind
from raddle.schedulers.reachability import Reachability

ALL = {**PROGRAMS, **FAULTY}


class Run(NamedTuple):
    """One execution."""

    sequence: str
    output: tuple[str, ...]  # by rank
    failed: bool


def runs(name: str, arguments: Sequence[object], *, ranks: int = 0, variants: bool) -> list[Run]:
    """Run every sequence of a program with one of the explorers."""
    program: MessageProgram = ALL[name]
    scenario = MessageScenario(program.path, ranks or program.ranks, argv=tuple(map(str, arguments)))
    installation = scenario.domain().install()
    assert isinstance(installation, MpiInstallation)
    world, found = installation.world, []
    search = VariantSearch(world) if variants else Reachability()
    with Session(scenario.scenario(installation), installation, **scenario.session_options()) as session:
        while search.begin(len(found) + 1, 0):
            outcome = session.run_for(search).outcome
            output = tuple(world.output.text(rank) for rank in range(scenario.ranks))
            # The output of some programs, such as the philosophers, depends on the order by design.
            failed = outcome.failed and outcome.kind is not OutcomeKind.DIFFERENT_RESULTS
            found.append(Run(str(sequence_of(world.exchange)), output, failed))
    assert search.redundant == 0
    assert search.progress().every_order
    assert not search.progress().bound
    return found


def explored(name: str, *arguments: object, ranks: int = 0) -> list[Run]:
    """Run every sequence of a program; fail unless both explorers agree and run each of them once."""
    one, other = (runs(name, arguments, ranks=ranks, variants=variants) for variants in (False, True))
    assert sorted(one) == sorted(other)
    assert len({run.sequence for run in one}) == len(one)
    return one


def results(found: Sequence[Run], rank: int = 0) -> set[str]:
    """Return the different outputs of a rank."""
    return {run.output[rank].strip() for run in found}


@pytest.mark.parametrize("numbers", PROGRAMS["gcd"].inputs)
def test_gcd_takes_the_results_of_two_workers_in_either_order(numbers: tuple[str, ...]) -> None:
    found = explored("gcd", *numbers)
    assert len(found) == 2
    x, y, z = map(int, numbers)
    # The program skips the third worker if one of the results is 1, and prints 1.
    assert results(found) == {str(gcd(x, y, z))}


def test_gcd_that_names_the_wrong_source_fails_if_worker_2_answered_first() -> None:
    assert sorted((run.sequence, run.failed) for run in explored("gcd_wrong_source", 2, 8, 4)) == [
        ("0: 1 2 3; 1: 0; 2: 0; 3: 0", False),
        ("0: 2; 1: 0; 2: 0", True),
    ]


@pytest.mark.parametrize(("operation", "expected"), [("sum", 21), ("prod", 720), ("max", 6), ("min", 1)])
def test_reduction_has_one_sequence(operation: str, expected: int) -> None:
    found = explored("reduction", operation, 1, 2, 3, 4, 5, 6)
    assert len(found) == 1
    assert results(found) == {str(expected)}


def test_pairwise_has_one_sequence() -> None:
    values = [1, 2, 4, 8, 16, 32, 64, 128]
    [found] = explored("pairwise", *values)

    def acc(rank: int) -> int:
        """Return the interactions with the three values before that of a rank."""
        return sum((values[rank] - values[rank - distance]) ** 2 for distance in (1, 2, 3))

    # Rank 5 meets the values of ranks 4, 3, 2 and, at last, 1. Its neighbors' sums reach it twice: directly from rank
    # 4, and in the total that rank 4 sends, which contains those of ranks 4 and 3.
    own = acc(5) + (values[5] - values[1]) ** 2
    assert found.output[5].split() == [str(own), str(acc(5) + 2 * acc(4) + acc(3))]


@pytest.mark.parametrize(("philosophers", "expected"), [(2, 20), pytest.param(3, 1680, marks=pytest.mark.long)])
def test_the_requests_of_the_philosophers_interleave(philosophers: int, expected: int) -> None:
    # Each of p philosophers sends 3 requests one after another: (3p)! / (3!)^p orders, which is 6!/36 and 9!/216.
    found = explored("philosophers", ranks=philosophers + 1)
    assert len(found) == expected
    assert not any(run.failed for run in found)
    # At most one of two philosophers, who share both forks, can eat at the same time; but both can eat in turn.
    if philosophers == 2:
        assert results(found) == {"0 [0, 0]", "1 [0, 0]", "2 [0, 0]"}


def test_mmult_collects_the_blocks_in_any_order() -> None:
    found = explored("mmult", 6, 1)
    assert len(found) == 6
    assert len(results(found)) == 1
    assert not any(run.failed for run in found)


def test_mmult_with_two_wildcards_mixes_up_blocks() -> None:
    # The offsets arrive in 3! orders, and so do the blocks: 36 sequences. The product is right if both orders agree.
    found = explored("mmult_wild", 6, 1)
    assert len(found) == 36
    assert sum(run.failed for run in found) == 30


@pytest.mark.parametrize(("n", "primes"), [(30, 10), (1, 1), (2, 1), (4, 2)])
def test_the_sieve_counts_primes(n: int, primes: int) -> None:
    found = explored("sieve", n)
    assert len(found) == 6  # 3! orders of the counts
    assert results(found) == {str(primes)}


@pytest.mark.parametrize("values", PROGRAMS["qsort"].inputs)
def test_qsort_sorts(values: tuple[str, ...]) -> None:
    found = explored("qsort", *values)
    assert len(found) == 6  # 3! orders of the parts
    assert results(found) == {str(sorted(map(int, values)))}


def test_jacobi_solves_the_system_in_the_same_number_of_iterations() -> None:
    # With two workers, the norms of each iteration arrive in one of 2 orders.
    found = explored("jacobi", 6, 0.1, 1, ranks=3)
    [result] = results(found)
    iterations, solved = result.split()
    assert solved == "True"
    assert len(found) == 2 ** int(iterations)


def test_jacobi_solves_the_inputs_of_the_experiment() -> None:
    for arguments in PROGRAMS["jacobi"].inputs:
        scenario = MessageScenario(PROGRAMS["jacobi"].path, 6, argv=arguments)
        installation = scenario.domain().install()
        assert isinstance(installation, MpiInstallation)
        with Session(scenario.scenario(installation), installation, **scenario.session_options()) as session:
            search = VariantSearch(installation.world)
            search.begin(1, 0)
            assert not session.run_for(search).outcome.failed
            assert installation.world.output.text(0).split()[1] == "True"


def test_the_energy_does_not_depend_on_the_order_of_the_answers() -> None:
    found = explored("vanderwaals", 1, 2)
    assert len(found) == 6**2  # 3! orders in each of 2 generations
    assert len(results(found)) == 1
    assert not any(run.failed for run in found)


def test_energies_stored_in_the_order_of_arrival_belong_to_other_individuals() -> None:
    found = explored("vanderwaals_by_arrival", 1, 2)
    assert len(found) == 36
    assert any(run.failed for run in found)
    assert any(not run.failed for run in found)
