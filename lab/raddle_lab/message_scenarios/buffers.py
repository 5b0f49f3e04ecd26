"""Scenarios with buffers and persistent requests."""

from __future__ import annotations

from array import array
from typing import Any

from raddle.mpi.library.datatypes import DATATYPES
from raddle.mpi.library.status import Status
from raddle.outcome import OutcomeKind
from raddle_lab.message_scenarios.scenario import MessageScenario


def _zeros(number: int, code: str = "i") -> array[Any]:
    return array(code, [0] * number)


def _exchange(comm: Any, sent: Any, received: Any) -> None:
    if comm.rank == 0:
        comm.Send(sent, dest=1)
    else:
        comm.Recv(received, source=0)


def truncate(comm: Any) -> None:
    _exchange(comm, _zeros(10), _zeros(5))


def short(comm: Any) -> None:
    _exchange(comm, _zeros(5), _zeros(10))


def short_with_count(comm: Any) -> None:
    if comm.rank == 0:
        comm.Send(_zeros(5), dest=1)
    else:
        status = Status()
        comm.Recv(_zeros(10), source=0, status=status)
        assert status.Get_count(DATATYPES["INT"]) == 5


def type_p2p(comm: Any) -> None:
    _exchange(comm, _zeros(4), _zeros(4, "f"))


def same_type(comm: Any) -> None:
    _exchange(comm, [_zeros(4), DATATYPES["INT"]], [_zeros(4), DATATYPES["INT32_T"]])


def pickle_vs_buffer(comm: Any) -> None:
    if comm.rank == 0:
        comm.send([1, 2, 3], dest=1)
    else:
        comm.Recv(_zeros(100), source=0)


def buffer_vs_pickle(comm: Any) -> None:
    if comm.rank == 0:
        comm.Send(_zeros(3), dest=1)
    else:
        comm.recv(source=0)


def null_type(comm: Any) -> None:
    _exchange(comm, [_zeros(4), 4, DATATYPES["DATATYPE_NULL"]], _zeros(4))


def coll_type(comm: Any) -> None:
    comm.Allreduce(_zeros(1, "f" if comm.rank else "i"), _zeros(1, "f" if comm.rank else "i"))


def coll_count(comm: Any) -> None:
    comm.Bcast(_zeros(4 + comm.rank))


def coll_equal(comm: Any) -> None:
    comm.Bcast(_zeros(4))
    comm.Allreduce(_zeros(1), _zeros(1))


def gatherv_counts(comm: Any) -> None:
    comm.Gatherv(_zeros(2), [_zeros(4), (2, 1, 1)] if comm.rank == 0 else None)


def gatherv_fitting(comm: Any) -> None:
    comm.Gatherv(_zeros(2), [_zeros(6), (2, 2, 2)] if comm.rank == 0 else None)


def sendrecv_replace(comm: Any) -> None:
    buffer = array("i", [comm.rank])
    comm.Sendrecv_replace(buffer, dest=1 - comm.rank, source=1 - comm.rank)
    assert buffer[0] == 1 - comm.rank


def _persistent(comm: Any) -> Any:
    return comm.Recv_init(_zeros(1), source=0) if comm.rank else comm.Send_init(_zeros(1), dest=1)


def persistent_ok(comm: Any) -> None:
    request = _persistent(comm)
    for _ in range(3):
        request.Start()
        request.Wait()
    request.Free()


def persistent_no_start(comm: Any) -> None:
    if comm.rank == 0:
        request = comm.Send_init(_zeros(1), dest=1)
        request.Wait()
        request.Free()
    else:
        comm.Recv(_zeros(1), source=0)


def persistent_no_free(comm: Any) -> None:
    request = _persistent(comm)
    request.Start()
    request.Wait()


def persistent_start_twice(comm: Any) -> None:
    request = _persistent(comm)
    request.Start()
    request.Start()


def isend_modify(comm: Any) -> None:
    if comm.rank == 0:
        buffer = _zeros(1)
        request = comm.Isend(buffer, dest=1)
        buffer[0] = 7
        request.Wait()
    else:
        comm.Recv(_zeros(1), source=0)


def isend_modify_later(comm: Any) -> None:
    if comm.rank == 0:
        buffer = _zeros(1)
        comm.Isend(buffer, dest=1).Wait()
        buffer[0] = 7
    else:
        comm.Recv(_zeros(1), source=0)


SCENARIOS = (
    MessageScenario(isend_modify, 2, finds=OutcomeKind.BUFFER_IN_USE),
    MessageScenario(isend_modify_later, 2, sequences=1),
    MessageScenario(truncate, 2, finds=OutcomeKind.TRUNCATED),
    MessageScenario(short, 2, warns="short-message"),
    MessageScenario(short_with_count, 2, sequences=1),
    MessageScenario(type_p2p, 2, finds=OutcomeKind.TYPE_MISMATCH),
    MessageScenario(same_type, 2, sequences=1),
    MessageScenario(pickle_vs_buffer, 2, finds=OutcomeKind.TYPE_MISMATCH),
    MessageScenario(buffer_vs_pickle, 2, finds=OutcomeKind.TYPE_MISMATCH),
    MessageScenario(null_type, 2, finds=OutcomeKind.INVALID_ARGUMENT),
    MessageScenario(coll_type, 2, finds=OutcomeKind.COLLECTIVE_ARGUMENT),
    MessageScenario(coll_count, 2, finds=OutcomeKind.COLLECTIVE_ARGUMENT),
    MessageScenario(coll_equal, 2, sequences=1),
    MessageScenario(gatherv_counts, 3, finds=OutcomeKind.TRUNCATED),
    MessageScenario(gatherv_fitting, 3, sequences=1),
    MessageScenario(sendrecv_replace, 2, sequences=1),
    MessageScenario(persistent_ok, 2, sequences=1),
    MessageScenario(persistent_no_start, 2, finds=OutcomeKind.NO_SENDER),
    MessageScenario(persistent_no_free, 2, warns="leak"),
    MessageScenario(persistent_start_twice, 2, finds=OutcomeKind.REQUEST_MISUSE),
)
