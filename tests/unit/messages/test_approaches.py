"""The approaches of `raddle.messages.explore`."""

from __future__ import annotations

from typing import Any

import pytest

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
