"""Scenarios with collective operations and communicators."""

from __future__ import annotations

from typing import Any

from raddle.mpi.constants import UNDEFINED
from raddle.mpi.library.operators import MAX, OP_NULL, SUM
from raddle.outcome import OutcomeKind
from raddle_lab.message_scenarios.scenario import MessageScenario


def early_exit(comm: Any) -> None:
    if comm.rank != 1:
        comm.barrier()


def raise_before_barrier(comm: Any) -> None:
    if comm.rank == 0:
        raise ValueError("no input")
    comm.barrier()


def coll_swap(comm: Any) -> None:
    if comm.rank == 0:
        comm.barrier()
        comm.bcast(1)
    else:
        comm.bcast(1)
        comm.barrier()


def coll_missing(comm: Any) -> None:
    if comm.rank != 2:
        comm.allreduce(1)
    comm.barrier()


def coll_missing_last(comm: Any) -> None:
    if comm.rank != 2:
        comm.allreduce(1)


def coll_root(comm: Any) -> None:
    comm.bcast(comm.rank, root=comm.rank)


def coll_op(comm: Any) -> None:
    comm.reduce(comm.rank, op=MAX if comm.rank else SUM)


def coll_comm(comm: Any) -> None:
    half = comm.Split(comm.rank % 2)
    (half if comm.rank % 2 else comm).barrier()
    half.Free()


def coll_null(comm: Any) -> None:
    comm.Split(UNDEFINED).bcast(1)


def coll_same_order(comm: Any) -> None:
    half = comm.Split(comm.rank % 2)
    assert half.allreduce(1) == 2
    assert comm.allreduce(1) == 4
    half.Free()


def coll_cross_comm(comm: Any) -> None:
    """Ranks 1 and 2 call the barriers of two overlapping communicators in different orders."""
    first = comm.Split(0 if comm.rank in (0, 1, 2) else UNDEFINED)
    second = comm.Split(0 if comm.rank in (1, 2, 3) else UNDEFINED)
    for each in (first, second) if comm.rank != 2 else (second, first):
        if each:
            each.barrier()
            each.Free()


def recv_barrier_send(comm: Any) -> None:
    if comm.rank == 0:
        comm.recv(source=1)
        comm.barrier()
    else:
        comm.barrier()
        comm.send(1, dest=0)


def recv_bcast_send(comm: Any) -> None:
    """Fail only if the root of a broadcast waits for the other ranks."""
    if comm.rank == 0:
        comm.bcast("parameters", root=0)
        comm.send(1, dest=1)
    else:
        comm.recv(source=0)
        comm.bcast(None, root=0)


def comm_leak(comm: Any) -> None:
    comm.Dup()


def comm_free(comm: Any) -> None:
    half = comm.Split(comm.rank % 2)
    half.barrier()
    half.Free()


def bad_rank(comm: Any) -> None:
    comm.send(1, dest=comm.size)


def bad_root(comm: Any) -> None:
    comm.bcast(1, root=-3)


def bad_tag(comm: Any) -> None:
    if comm.rank == 0:
        comm.send(1, dest=1, tag=-5)
    else:
        comm.recv(source=0)


def null_op(comm: Any) -> None:
    comm.allreduce(1, op=OP_NULL)


def split_independent(comm: Any) -> None:
    """Receive two messages in any order in each half, and two more on a duplicate of all."""
    half, whole = comm.Split(comm.rank // 3), comm.Dup()
    if half.rank == 0:
        half.recv()
        half.recv()
    else:
        half.send(None, dest=0)
    if comm.rank == 0:
        whole.recv()
        whole.recv()
    elif comm.rank in (4, 5):
        whole.send(None, dest=0)
    half.Free()
    whole.Free()


SCENARIOS = (
    MessageScenario(early_exit, 3, finds=OutcomeKind.ABANDONED),
    MessageScenario(raise_before_barrier, 3, finds=OutcomeKind.EXCEPTION),
    MessageScenario(coll_swap, 2, finds=OutcomeKind.COLLECTIVE_ORDER),
    MessageScenario(coll_missing, 3, finds=OutcomeKind.COLLECTIVE_ORDER),
    MessageScenario(coll_missing_last, 3, finds=OutcomeKind.ABANDONED),
    MessageScenario(coll_root, 2, finds=OutcomeKind.COLLECTIVE_ARGUMENT),
    MessageScenario(coll_op, 2, finds=OutcomeKind.COLLECTIVE_ARGUMENT),
    MessageScenario(coll_comm, 4, finds=OutcomeKind.COMMUNICATOR_MISMATCH),
    MessageScenario(coll_null, 2, finds=OutcomeKind.INVALID_ARGUMENT),
    MessageScenario(coll_same_order, 4, sequences=1),
    MessageScenario(coll_cross_comm, 4, finds=OutcomeKind.DEADLOCK),
    MessageScenario(recv_barrier_send, 2, finds=OutcomeKind.P2P_COLLECTIVE),
    MessageScenario(recv_bcast_send, 2, finds=OutcomeKind.P2P_COLLECTIVE, only_synchronizing=True),
    MessageScenario(comm_leak, 2, warns="leak"),
    MessageScenario(comm_free, 4, sequences=1),
    MessageScenario(bad_rank, 2, finds=OutcomeKind.INVALID_ARGUMENT),
    MessageScenario(bad_root, 2, finds=OutcomeKind.INVALID_ARGUMENT),
    MessageScenario(bad_tag, 2, finds=OutcomeKind.INVALID_ARGUMENT),
    MessageScenario(null_op, 2, finds=OutcomeKind.INVALID_ARGUMENT),
    MessageScenario(split_independent, 6, sequences=8),
)
