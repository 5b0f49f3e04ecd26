"""Errors and warnings about the use of MPI."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable
from typing import Any

from raddle.finding import Finding
from raddle.messages import explore, replay
from raddle.mpi.library.operators import MAX, SUM


def finding(program: Callable[[Any], object], ranks: int) -> Finding:
    result = explore(program, ranks=ranks, until="exhausted")
    assert len(result.findings) == 1
    return result.findings[0]


def warnings(program: Callable[[Any], object], ranks: int) -> list[str]:
    result = explore(program, ranks=ranks)
    assert not result.findings
    return [warning["kind"] for warning in result.warnings]


def test_ranks_that_call_collective_operations_in_another_order() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.barrier()
            comm.bcast(1)
        else:
            comm.bcast(1)
            comm.barrier()

    found = finding(program, 2)
    assert found.kind == "collective-order"
    assert {"barrier", "bcast"} <= set(found.message.split())


def test_ranks_that_skip_a_collective_operation() -> None:
    def program(comm: Any) -> None:
        if comm.rank != 2:
            comm.allreduce(1)
        comm.barrier()

    assert finding(program, 3).kind == "collective-order"


def test_different_roots() -> None:
    found = finding(lambda comm: comm.bcast(1, root=comm.rank), 2)
    assert found.kind == "collective-argument"
    assert "root R0" in found.message
    assert "root R1" in found.message


def test_different_operators() -> None:
    found = finding(lambda comm: comm.reduce(1, op=MAX if comm.rank else SUM), 2)
    assert found.kind == "collective-argument"
    assert "operator SUM" in found.message
    assert "operator MAX" in found.message


def test_a_rank_that_does_not_exist() -> None:
    found = finding(lambda comm: comm.send(1, dest=comm.size), 2)
    assert found.kind == "invalid-argument"
    assert "destination 2 is not a rank of a communicator with 2 ranks" in found.message


def test_an_error_that_the_program_catches_is_not_a_finding() -> None:
    def program(comm: Any) -> None:
        with contextlib.suppress(RuntimeError):
            comm.send(1, dest=-7)

    assert warnings(program, 2) == []


def test_a_request_is_freed_twice() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            request = comm.isend(1, dest=1)
            request.wait()
            request.Free()
        else:
            comm.recv()

    assert finding(program, 2).kind == "request-misuse"


def test_a_message_that_is_never_received() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.bsend(1, dest=1, tag=4)

    assert warnings(program, 2) == ["unreceived"]


def test_requests_that_are_never_completed() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.isend(1, dest=1)
        else:
            comm.irecv()

    # Each rank forgets a request, whether or not sends are buffered.
    assert warnings(program, 2) == ["missing-wait", "missing-wait"]


def test_a_communicator_that_is_never_freed() -> None:
    def program(comm: Any) -> None:
        comm.Dup().Free()
        if comm.Split(comm.rank).rank:
            raise AssertionError

    assert warnings(program, 2) == ["leak", "leak"]


def kinds(program: Callable[[Any], object], ranks: int) -> list[str]:
    return [str(one.kind) for one in explore(program, ranks=ranks).findings]


def test_output_that_depends_on_the_order_of_messages() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            print(10 * comm.recv() + comm.recv())
        else:
            comm.send(comm.rank, dest=0)

    found = explore(program, ranks=3).findings[0]
    assert found.kind == "different-results"
    assert {"  12", "  21"} <= set(found.details)
    assert found.details[-1] == "the first receive that differs is number 1 of R0: message 1 of R1 or message 1 of R2"
    replayed = replay(program, str(found.schedule), ranks=3)
    assert replayed is not None
    assert replayed.kind == "different-results"


def test_output_in_another_order_is_the_same_result() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            for _ in range(2):
                print("received from", comm.recv())
        else:
            comm.send(comm.rank, dest=0)

    assert kinds(program, 3) == []


def test_times_are_no_results() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            began = time.perf_counter()
            while not comm.iprobe():
                pass
            comm.recv()
            print(f"{time.perf_counter() - began} s")
        else:
            comm.send(comm.rank, dest=0)

    assert kinds(program, 2) == []


def test_output_that_depends_on_something_else_is_not_compared() -> None:
    executions = itertools.count()

    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.recv()
            comm.recv()
            print(next(executions))
        else:
            comm.send(comm.rank, dest=0)

    assert kinds(program, 3) == []


def test_ranks_that_poll_forever() -> None:
    def program(comm: Any) -> None:
        while not comm.iprobe():
            pass

    found = explore(program, ranks=3, sends="buffered", shrink=False)
    assert [str(one.kind) for one in found.findings] == ["step-limit"]
    assert "polls forever" in found.findings[0].message


def test_a_rank_that_polls_while_another_one_sleeps() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            while not comm.iprobe():
                pass
            comm.recv()
        else:
            time.sleep(300)
            comm.send(1, dest=0)

    assert kinds(program, 2) == []
