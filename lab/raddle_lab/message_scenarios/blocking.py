"""Scenarios with blocking sends and receives."""

from __future__ import annotations

from typing import Any

from raddle.mpi.constants import PROC_NULL
from raddle.outcome import OutcomeKind
from raddle_lab.message_scenarios.scenario import MessageScenario


def recv_recv(comm: Any) -> None:
    comm.recv(source=1 - comm.rank)
    comm.send(1, dest=1 - comm.rank)


def recv_ring(comm: Any) -> None:
    comm.recv(source=(comm.rank - 1) % comm.size)
    comm.send(1, dest=(comm.rank + 1) % comm.size)


def recv_self(comm: Any) -> None:
    comm.recv(source=0)
    comm.send(1, dest=0)


def send_send(comm: Any) -> None:
    comm.send(1, dest=1 - comm.rank)
    comm.recv(source=1 - comm.rank)


def ssend_ssend(comm: Any) -> None:
    comm.ssend(1, dest=1 - comm.rank)
    comm.recv(source=1 - comm.rank)


def ring_send_first(comm: Any) -> None:
    comm.send(1, dest=(comm.rank + 1) % comm.size)
    comm.recv(source=(comm.rank - 1) % comm.size)


def ring_odd_even(comm: Any) -> None:
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    if comm.rank % 2 == 0:
        comm.send(1, dest=right)
        comm.recv(source=left)
    else:
        comm.recv(source=left)
        comm.send(1, dest=right)


def isend_wait_recv(comm: Any) -> None:
    comm.isend(1, dest=1 - comm.rank).wait()
    comm.recv(source=1 - comm.rank)


def isend_recv_wait(comm: Any) -> None:
    request = comm.isend(1, dest=1 - comm.rank)
    comm.recv(source=1 - comm.rank)
    request.wait()


def sendrecv_ring(comm: Any) -> None:
    left = (comm.rank - 1) % comm.size
    assert comm.sendrecv(comm.rank, dest=(comm.rank + 1) % comm.size, source=left) == left


def tag_mismatch(comm: Any) -> None:
    if comm.rank == 0:
        comm.bsend(1, dest=1, tag=3)
    else:
        comm.recv(source=0, tag=4)


def comm_mismatch_p2p(comm: Any) -> None:
    other = comm.Dup()
    if comm.rank == 0:
        other.bsend(1, dest=1)
    else:
        comm.recv(source=0)
    other.Free()


def wrong_dest(comm: Any) -> None:
    if comm.rank == 0:
        comm.bsend(1, dest=1)
    elif comm.rank == 2:
        comm.recv(source=0)


def missing_send(comm: Any) -> None:
    if comm.rank == 0:
        if _threshold() > 0:
            comm.send(1, dest=1)
    else:
        comm.recv(source=0)


def _threshold() -> int:
    return 0


def send_in_branch(comm: Any) -> None:
    if comm.rank == 0:
        if _threshold() == 0:
            comm.send(1, dest=1)
    else:
        comm.recv(source=0)


def extra_send(comm: Any) -> None:
    if comm.rank == 0:
        comm.bsend(1, dest=1)
        comm.bsend(2, dest=1)
    else:
        comm.recv(source=0)


def extra_recv(comm: Any) -> None:
    if comm.rank == 0:
        comm.send(1, dest=1)
    else:
        comm.recv(source=0)
        comm.recv(source=0)


def exit_code(comm: Any) -> None:
    if comm.rank == 1:
        raise SystemExit(3)


def exit_zero(comm: Any) -> None:
    raise SystemExit(0)


def abort(comm: Any) -> None:
    if comm.rank == 1:
        comm.Abort(2)
    comm.recv(source=1)


def proc_null(comm: Any) -> None:
    left = comm.rank - 1 if comm.rank > 0 else PROC_NULL
    right = comm.rank + 1 if comm.rank < comm.size - 1 else PROC_NULL
    from_left = comm.sendrecv(comm.rank, dest=right, source=left)
    assert from_left == (None if left == PROC_NULL else left)


def fifo_same_source(comm: Any) -> None:
    if comm.rank == 1:
        comm.send("first", dest=0)
        comm.send("second", dest=0)
    else:
        assert [comm.recv(), comm.recv()] == ["first", "second"]


def any_tag_any(comm: Any) -> None:
    if comm.rank == 1:
        comm.send("first", dest=0, tag=7)
        comm.send("second", dest=0, tag=2)
    else:
        assert [comm.recv(source=1), comm.recv(source=1)] == ["first", "second"]


SCENARIOS = (
    MessageScenario(recv_recv, 2, finds=OutcomeKind.DEADLOCK),
    MessageScenario(recv_ring, 4, finds=OutcomeKind.DEADLOCK),
    MessageScenario(recv_self, 1, finds=OutcomeKind.DEADLOCK),
    MessageScenario(send_send, 2, finds=OutcomeKind.DEADLOCK, only_synchronous=True),
    MessageScenario(ssend_ssend, 2, finds=OutcomeKind.DEADLOCK),
    MessageScenario(ring_send_first, 4, finds=OutcomeKind.DEADLOCK, only_synchronous=True),
    MessageScenario(ring_odd_even, 4, sequences=1),
    MessageScenario(isend_wait_recv, 2, finds=OutcomeKind.DEADLOCK, only_synchronous=True),
    MessageScenario(isend_recv_wait, 2, sequences=1),
    MessageScenario(sendrecv_ring, 4, sequences=1),
    MessageScenario(tag_mismatch, 2, finds=OutcomeKind.NO_SENDER),
    MessageScenario(comm_mismatch_p2p, 2, finds=OutcomeKind.NO_SENDER),
    MessageScenario(wrong_dest, 3, finds=OutcomeKind.NO_SENDER),
    MessageScenario(missing_send, 2, finds=OutcomeKind.NO_SENDER),
    MessageScenario(send_in_branch, 2, sequences=1),
    MessageScenario(extra_send, 2, warns="unreceived"),
    MessageScenario(extra_recv, 2, finds=OutcomeKind.NO_SENDER),
    MessageScenario(exit_code, 2, finds=OutcomeKind.ABORTED),
    MessageScenario(exit_zero, 2, sequences=1),
    MessageScenario(abort, 2, finds=OutcomeKind.ABORTED),
    MessageScenario(proc_null, 3, sequences=1),
    MessageScenario(fifo_same_source, 2, sequences=1),
    MessageScenario(any_tag_any, 2, sequences=1),
)
