"""Scenarios with nonblocking operations."""

from __future__ import annotations

from typing import Any

from raddle.mpi.library.request import Request
from raddle.outcome import OutcomeKind
from raddle_lab.message_scenarios.scenario import MessageScenario


def one_test(comm: Any) -> None:
    """Use a received value after one test, whether or not it has arrived."""
    if comm.rank == 0:
        request = comm.irecv(source=1)
        value = request.test()[1]
        print(value + 1)
    else:
        comm.send(1, dest=0)


def waitany_order(comm: Any) -> None:
    if comm.rank == 0:
        requests = [comm.irecv(source=1), comm.irecv(source=2)]
        assert Request.waitany(requests)[0] == 0
        Request.waitall(requests)
    else:
        comm.send(1, dest=0)


def waitany_loop(comm: Any) -> None:
    if comm.rank == 0:
        requests = [comm.irecv(source=source) for source in range(1, comm.size)]
        received = [Request.waitany(requests)[1] for _ in requests]
        assert sorted(received) == [1, 2, 3]
    else:
        comm.send(comm.rank, dest=0)


def irecv_any_reversed(comm: Any) -> None:
    if comm.rank == 0:
        requests = [comm.irecv() for _ in range(comm.size - 1)]
        assert sorted(request.wait() for request in reversed(requests)) == [1, 2, 3]
    else:
        comm.send(comm.rank, dest=0)


def missing_wait_isend(comm: Any) -> None:
    if comm.rank == 0:
        comm.isend(1, dest=1)
    else:
        comm.recv(source=0)


def missing_wait_irecv(comm: Any) -> None:
    if comm.rank == 0:
        comm.send(1, dest=1)
    else:
        comm.irecv(source=0)


def free_twice(comm: Any) -> None:
    if comm.rank == 0:
        request = comm.isend(1, dest=1)
        request.wait()
        request.Free()
    else:
        comm.recv(source=0)


def wait_twice(comm: Any) -> None:
    """Wait for a complete request again, which the standard allows."""
    if comm.rank == 0:
        request = comm.isend(1, dest=1)
        request.wait()
        request.wait()
    else:
        comm.recv(source=0)


def irecv_ssend_wait(comm: Any) -> None:
    """Exchange synchronous sends between posted receives, which take the messages at once."""
    request = comm.irecv(source=1 - comm.rank)
    comm.ssend(1, dest=1 - comm.rank)
    request.wait()


def ssend_send_irecv_recv(comm: Any) -> None:
    """Complete a synchronous send before its receive is waited for."""
    if comm.rank == 0:
        comm.ssend(1, dest=1, tag=1)
        comm.send(2, dest=1, tag=2)
    else:
        request = comm.irecv(source=0, tag=1)
        comm.recv(source=0, tag=2)
        request.wait()


def irecv_then_probe(comm: Any) -> None:
    """Probe for a message that a posted receive takes."""
    if comm.rank == 0:
        comm.send(1, dest=1)
    else:
        request = comm.irecv()
        comm.probe()
        request.wait()


def irecv_overlap(comm: Any) -> None:
    """Post two receives that could accept the same message, although no such message is sent."""
    if comm.rank == 0:
        first, second = comm.irecv(tag=1), comm.irecv(source=2)
        assert second.wait() == 7
        assert first.wait() == 1
    else:
        comm.send(1 if comm.rank == 1 else 7, dest=0, tag=1 if comm.rank == 1 else 7)


SCENARIOS = (
    MessageScenario(one_test, 2, finds=OutcomeKind.EXCEPTION),
    MessageScenario(waitany_order, 3, finds=OutcomeKind.ASSERTION),
    MessageScenario(waitany_loop, 4),
    MessageScenario(irecv_any_reversed, 4, sequences=6),
    MessageScenario(missing_wait_isend, 2, warns="missing-wait"),
    MessageScenario(missing_wait_irecv, 2, warns="missing-wait"),
    MessageScenario(free_twice, 2, finds=OutcomeKind.REQUEST_MISUSE),
    MessageScenario(wait_twice, 2, sequences=1),
    MessageScenario(irecv_ssend_wait, 2, sequences=1),
    MessageScenario(ssend_send_irecv_recv, 2, sequences=1),
    MessageScenario(irecv_then_probe, 2, finds=OutcomeKind.NO_SENDER),
    MessageScenario(irecv_overlap, 3, sequences=1),
)
