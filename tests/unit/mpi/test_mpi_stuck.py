"""Outcomes of programs whose ranks are blocked forever."""

from __future__ import annotations

from typing import Any

from exploration import kinds_found

from raddle.messages import explore
from raddle.mpi.library.comm import COMM_WORLD
from raddle.mpi.options import MpiOptions, Sends

comm: Any = COMM_WORLD
SYNCHRONOUS = MpiOptions(sends=Sends.SYNCHRONOUS)


def test_two_ranks_that_receive_first_wait_for_each_other() -> None:
    def program(rank: int) -> None:
        comm.recv(source=1 - rank)
        comm.send(None, dest=1 - rank)

    assert kinds_found(program, ranks=2) == ["deadlock"]


def test_two_ranks_that_send_first_wait_only_for_synchronous_sends() -> None:
    def program(rank: int) -> None:
        comm.send(None, dest=1 - rank)
        comm.recv(source=1 - rank)

    assert kinds_found(program, ranks=2) == []
    assert kinds_found(program, ranks=2, options=SYNCHRONOUS) == ["deadlock"]


def test_a_nonblocking_send_before_the_receive_never_waits() -> None:
    def program(rank: int) -> None:
        request = comm.isend(None, dest=1 - rank)
        comm.recv(source=1 - rank)
        request.wait()

    assert kinds_found(program, ranks=2) == kinds_found(program, ranks=2, options=SYNCHRONOUS) == []


def test_a_posted_receive_completes_a_synchronous_send() -> None:
    # The progress example of the MPI standard: the send completes although the receive is waited for later.
    def program(rank: int) -> None:
        if rank == 0:
            comm.ssend(1, dest=1, tag=1)
            comm.send(2, dest=1, tag=2)
        else:
            request = comm.irecv(source=0, tag=1)
            comm.recv(source=0, tag=2)
            request.wait()

    assert kinds_found(program, ranks=2) == kinds_found(program, ranks=2, options=SYNCHRONOUS) == []


def test_a_probe_does_not_find_the_message_of_a_posted_receive() -> None:
    def program(rank: int) -> None:
        if rank == 0:
            comm.send(None, dest=1)
        else:
            comm.irecv()
            comm.probe()

    assert kinds_found(program, ranks=2) == ["no-sender"]


def test_a_receive_from_a_rank_that_has_ended_has_no_sender() -> None:
    def program(communicator: Any) -> None:
        if communicator.rank == 0:
            communicator.recv(source=1, tag=4)
        else:
            communicator.send("x", dest=0, tag=3)

    finding = explore(program, ranks=2, sends="buffered").findings[0]
    assert finding.kind == "no-sender"
    assert finding.message == "R0 waits for a message from R1 with tag 4, but R1 has ended"
    assert "its tag is 3, and R0 waits for tag 4" in finding.details[-1]


def test_a_collective_call_that_a_rank_never_enters_is_abandoned() -> None:
    def program(rank: int) -> None:
        if rank != 1:
            comm.barrier()

    assert kinds_found(program, ranks=3) == ["abandoned"]


def test_a_collective_call_on_another_communicator_is_a_mismatch() -> None:
    def program(rank: int) -> None:
        half = comm.Split(rank % 2, rank)
        (half if rank % 2 else comm).barrier()

    assert kinds_found(program, ranks=4) == ["communicator-mismatch"]


def test_a_receive_that_waits_for_a_send_after_a_barrier() -> None:
    def program(rank: int) -> None:
        if rank == 0:
            comm.recv(source=1)
            comm.barrier()
        else:
            comm.barrier()
            comm.send(None, dest=0)

    assert kinds_found(program, ranks=2) == ["p2p-collective"]


def test_the_rank_that_raised_is_reported_instead_of_the_ranks_that_wait() -> None:
    def program(rank: int) -> None:
        if rank == 1:
            raise ValueError("no input")
        comm.barrier()

    assert kinds_found(program, ranks=3) == ["exception"]


def test_abort_is_not_a_deadlock() -> None:
    def program(rank: int) -> None:
        if rank == 1:
            comm.Abort(3)
        comm.recv(source=1)

    assert kinds_found(program, ranks=2) == ["aborted"]
