"""`raddle.messages.explore`: what an exhausted search proves, and what it assumes."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest

from raddle.errors import UsageError
from raddle.messages import explore, replay


def test_a_sleep_orders_no_messages() -> None:
    # Rank 2 sleeps before it sends. Its message may still be received first, because rank 1 may be slower.
    def program(comm: Any) -> None:
        if comm.rank == 0:
            assert [comm.recv(), comm.recv()] == [1, 2]
        else:
            if comm.rank == 2:
                time.sleep(0.01)
            comm.send(comm.rank, dest=0)

    result = explore(program, ranks=3)
    assert [finding.kind for finding in result.findings] == ["assertion"]
    assert result.sequences == 2
    schedule = result.findings[0].schedule
    assert schedule is not None
    replayed = replay(program, schedule, ranks=3)
    assert replayed is not None
    assert replayed.kind == "assertion"


def test_a_collective_call_that_a_rank_never_enters_is_a_failure_even_if_no_rank_waits() -> None:
    # The root of a broadcast needs no other rank, so it continues. Another MPI library may let it wait.
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.bcast("x", root=0)

    finding = explore(program, ranks=2).findings[0]
    assert (finding.kind, finding.message) == ("abandoned", "R0 called bcast, but R1 has ended without calling it")


def test_an_exhausted_search_names_only_assumptions_that_matter(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from mpi4py import MPI\n", encoding="utf-8")
    sends = "that either all standard sends are buffered or all wait for their receives"
    assert explore(program, ranks=2).assumptions == (sends,)
    program.write_text("import random\nfrom mpi4py import MPI\nrandom.random()\n", encoding="utf-8")
    assert explore(program, ranks=2).assumptions == (sends, "that random numbers are those of this seed")
    program.write_text("from mpi4py import MPI\nMPI.COMM_WORLD.barrier()\n", encoding="utf-8")
    collectives = "that collective operations wait only for the data they need"
    assert explore(program, ranks=2).assumptions == (sends, collectives)


@pytest.mark.parametrize(
    ("option", "value"),
    [("ranks", 0), ("ranks", True), ("seconds", math.nan), ("seconds", 0), ("executions", 0), ("polls", -1)],
)
def test_a_value_that_makes_no_sense_is_refused(option: str, value: object) -> None:
    options: dict[str, Any] = {"ranks": 2, option: value}
    with pytest.raises(UsageError):
        explore(lambda comm: None, **options)
