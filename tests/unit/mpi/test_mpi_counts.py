"""The number of SYN-sequences of small programs, derived by hand or published.

Every sequence is executed exactly once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import pytest
from exploration import Explored, explored, explored_by_variants

from raddle.mpi.library.comm import COMM_WORLD
from raddle.mpi.library.request import Request
from raddle.mpi.library.status import Status
from raddle.mpi.options import MpiOptions, Sends

Program = Callable[[int], object]
comm: Any = COMM_WORLD


def count(program: Program, *, ranks: int, options: MpiOptions | None = None) -> int:
    """Return the number of sequences; fail unless both explorers found the same ones and ran each of them once."""
    return len(both(program, ranks=ranks, options=options).sequences)


def both(program: Program, *, ranks: int, options: MpiOptions | None = None) -> Explored:
    """Explore a program with both explorers; fail unless they agree and ran each sequence once."""
    one = explored(program, ranks=ranks, options=options)
    other = explored_by_variants(program, ranks=ranks, options=options)
    for found in (one, other):
        assert found.complete
        assert found.redundant == 0
        assert len(set(found.sequences)) == len(found.sequences)
    assert set(one.sequences) == set(other.sequences)
    assert one.failed == other.failed
    return one


def gathering(messages: int) -> Program:
    def program(rank: int) -> None:
        if rank == 0:
            for _ in range(messages * (comm.size - 1)):
                comm.recv()
        else:
            for number in range(messages):
                comm.send(number, dest=0)

    return program


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 6, 7])
def test_n_senders_of_one_message_have_n_factorial_sequences(ranks: int) -> None:
    assert count(gathering(1), ranks=ranks) == factorial(ranks - 1)


def test_messages_of_one_sender_keep_their_order() -> None:
    # 6! / (2! 2! 2!) and 9! / (3! 3! 3!) interleavings of three ordered lists
    assert count(gathering(2), ranks=4) == 90
    assert count(gathering(3), ranks=4) == 1680


@pytest.mark.parametrize(("ranks", "expected"), [(4, 4), (5, 12)])
def test_the_example_of_lei_and_carver(ranks: int, expected: int) -> None:
    # T2 receives the messages of T1 and T4 in 2 orders. Then T3 receives the messages of T2 and T4 in 2 orders; with a
    # fifth thread that also sends to T3, it receives three messages in 3! orders.
    def program(rank: int) -> None:
        if rank == 0:
            comm.send("s1", dest=1)
        elif rank == 1:
            comm.recv()
            comm.recv()
            comm.send("s3", dest=2)
        elif rank == 2:
            for _ in range(ranks - 2):
                comm.recv()
        elif rank == 3:
            comm.send("s2", dest=1)
            comm.send("s4", dest=2)
        else:
            comm.send("s5", dest=2)

    assert count(program, ranks=ranks) == expected


@pytest.mark.parametrize("ranks", [3, 4, 5])
def test_orders_that_no_receive_observes_do_not_count(ranks: int) -> None:
    # Only one message is received, so there is one sequence for each sender.
    def program(rank: int) -> None:
        if rank == 0:
            comm.recv()
        else:
            comm.send(None, dest=0)

    assert count(program, ranks=ranks) == ranks - 1


def test_a_message_can_be_overtaken_by_one_that_was_sent_because_of_it() -> None:
    def program(rank: int) -> None:
        if rank == 0:
            comm.recv()
            comm.recv()
        elif rank == 1:
            comm.send("first", dest=0)
            comm.send("go", dest=2)
        else:
            comm.recv(source=1)
            comm.send("second", dest=0)

    assert count(program, ranks=3) == 2


def test_posted_receives_that_complete_out_of_order() -> None:
    # Each of three posted receives takes the message of another sender: 3!
    def program(rank: int) -> None:
        if rank == 0:
            requests = [comm.irecv() for _ in range(3)]
            for request in reversed(requests):
                request.wait()
        else:
            comm.send(rank, dest=0)

    assert count(program, ranks=4) == 6


def test_a_probe_chooses_the_message() -> None:
    def program(rank: int) -> None:
        if rank == 0:
            for _ in range(3):
                status = Status()
                comm.probe(status=status)
                comm.recv(source=status.Get_source())
        else:
            comm.send(rank, dest=0)

    # A probe and its receive find the same message: 3! orders.
    assert count(program, ranks=4) == 6


def test_communicators_are_independent() -> None:
    # Two groups of three ranks after a Split, and a Dup of all: each has one race with two outcomes.
    def program(rank: int) -> None:
        half = comm.Split(rank // 3, rank)
        whole = comm.Dup()
        if half.rank == 0:
            half.recv()
            half.recv()
        else:
            half.send(None, dest=0)
        if rank == 0:
            whole.recv()
            whole.recv()
        elif rank in (4, 5):
            whole.send(None, dest=0)

    assert count(program, ranks=6) == 2 * 2 * 2


def test_a_broadcast_does_not_synchronize() -> None:
    # Rank 1 sends before the broadcast, rank 2 after it. Rank 0 may still receive either message first.
    def program(rank: int) -> None:
        if rank == 1:
            comm.send(None, dest=0)
        comm.bcast(None, root=1)
        if rank == 2:
            comm.send(None, dest=0)
        if rank == 0:
            comm.recv()
            comm.recv()

    assert count(program, ranks=3) == 2


def test_a_barrier_does_not_order_messages_either() -> None:
    # The first message was sent before the barrier, but it may still be under way when the second one arrives.
    def program(rank: int) -> None:
        if rank == 1:
            comm.send(None, dest=0)
        comm.barrier()
        if rank == 2:
            comm.send(None, dest=0)
        if rank == 0:
            comm.recv()
            comm.recv()

    assert count(program, ranks=3) == 2


def test_a_receive_before_a_barrier_cannot_take_a_message_sent_after_it() -> None:
    def program(rank: int) -> None:
        if rank == 1:
            comm.send(None, dest=0)
        if rank == 0:
            comm.recv()
        comm.barrier()
        if rank == 2:
            comm.send(None, dest=0)
        if rank == 0:
            comm.recv()

    assert count(program, ranks=3) == 1


def test_waitany_may_complete_either_request_first() -> None:
    # Both receives name their source, so there is one sequence of messages; the order of completion differs.
    first: list[int] = []

    def program(rank: int) -> None:
        if rank == 0:
            requests = [comm.irecv(source=1), comm.irecv(source=2)]
            first.append(Request.waitany(requests)[0])
            Request.waitall(requests)
        else:
            comm.send(None, dest=0)

    found = explored(program, ranks=3)
    assert found.complete
    assert first == [0, 1]


def test_a_synchronous_send_completes_after_its_receive() -> None:
    # Rank 1 sends its second message only after the first has been received.
    def program(rank: int) -> None:
        if rank == 0:
            comm.recv()
            comm.recv()
            comm.recv()
        elif rank == 1:
            comm.send(None, dest=0)
            comm.send(None, dest=2)
        else:
            comm.send(None, dest=0)
            comm.recv(source=1)
            comm.send(None, dest=0)

    # Synchronous: rank 2's second message follows the receipt of rank 1's first: orders of {1, 2} and then 2 last: 2.
    assert count(program, ranks=3, options=MpiOptions(sends=Sends.SYNCHRONOUS)) == 2
    # Buffered: rank 1's message may be received first, second or last: 3.
    assert count(program, ranks=3) == 3


def test_a_poll_is_refused_a_limited_number_of_times() -> None:
    # One message: it is found at the first, second, third or fourth poll.
    def program(rank: int) -> None:
        if rank == 0:
            while not comm.iprobe():
                pass
            comm.recv()
        else:
            comm.send(None, dest=0)

    found = explored(program, ranks=2, options=MpiOptions(polls=3))
    assert len(found.sequences) == 4
