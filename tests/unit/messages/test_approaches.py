"""The approaches of `raddle.messages.explore`."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from raddle.errors import UsageError
from raddle.messages import explore


def expects_order(comm: Any) -> None:
    """Fail in one of two sequences; rank 0 receives a third message afterwards."""
    if comm.rank == 0:
        first, second = comm.recv(tag=0), comm.recv(tag=0)
        assert first < second
        comm.recv(tag=1)
    else:
        comm.send(comm.rank, dest=0)
        if comm.rank == 2:
            comm.send(comm.rank, dest=0, tag=1)


@pytest.mark.parametrize("approach", ["reachability", "variants"])
def test_both_explorers_execute_each_sequence_once_and_find_the_failure(approach: str) -> None:
    result = explore(expects_order, ranks=3, approach=approach, sends="buffered")
    assert (result.executions, result.sequences, result.stopped_because) == (2, 2, "exhausted")
    assert [str(finding.schedule) for finding in result.findings] == ["R0; R2."]


def test_the_size_of_the_index_is_reported() -> None:
    result = explore(expects_order, ranks=3, approach="variants", sends="buffered")
    assert "the search kept an index of 2 SYN-sequences" in result.notes


def gathers(comm: Any) -> None:
    """Receive two messages from each of three ranks; fail if both messages of R3 come first."""
    if comm.rank == 0:
        senders = [comm.recv() for _ in range(6)]
        assert senders[:2] != [3, 3]
    else:
        comm.send(comm.rank, dest=0)
        comm.send(comm.rank, dest=0)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_result_does_not_depend_on_the_number_of_workers(workers: int) -> None:
    # 6! / 2!^3 = 90 orders. In 4! / 2!^2 = 6 of them, both messages of R3 come first.
    result = explore(gathers, ranks=4, sends="buffered", workers=workers)
    assert (result.executions, result.sequences, result.stopped_because) == (90, 90, "exhausted")
    [finding] = result.findings
    assert str(finding.schedule) == str(explore(gathers, ranks=4, sends="buffered", workers=2).findings[0].schedule)


def test_workers_can_be_an_executor() -> None:
    with ProcessPoolExecutor(2) as executor:
        result = explore(gathers, ranks=4, sends="buffered", workers=executor)
    assert (result.executions, result.sequences) == (90, 90)


def test_a_scheduler_cannot_use_workers() -> None:
    with pytest.raises(UsageError, match="'random' cannot be split among workers"):
        explore(gathers, ranks=4, approach="random", workers=2)


def test_a_parallel_search_keeps_to_its_limit() -> None:
    result = explore(gathers, ranks=4, sends="buffered", workers=2, executions=20)
    assert (result.executions, result.stopped_because) == (20, "executions")


def test_workers_do_not_measure_criteria(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from mpi4py import MPI\n")
    with pytest.raises(UsageError, match="workers do not measure criteria"):
        explore(program, ranks=2, workers=2, criteria="all-edges-s")


def test_an_approach_that_coverage_directs_needs_a_program_in_a_file() -> None:
    with pytest.raises(UsageError, match="criteria can only be measured for a program in a file"):
        explore(gathers, ranks=4, approach="composite")
