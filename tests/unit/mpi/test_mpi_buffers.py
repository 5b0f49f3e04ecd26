"""Messages and collective operations with buffers."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest

from raddle.messages import explore
from raddle.mpi.library.buffers import IN_PLACE, buffer_of, parts_of
from raddle.mpi.library.datatypes import DATATYPES, Datatype
from raddle.mpi.library.matched import MatchedMessage
from raddle.mpi.library.operators import MAX, Op
from raddle.mpi.library.persistent import Prequest
from raddle.mpi.library.status import Status

INT, DOUBLE, BYTE = (DATATYPES[name] for name in ("INT", "DOUBLE", "BYTE"))


def reports(program: Callable[[Any], object], ranks: int = 2) -> list[str]:
    """Return the kinds of the findings or, if there are none, of the warnings."""
    result = explore(program, ranks=ranks)
    findings = [f"{finding.kind}: {finding.message}" for finding in result.findings]
    return findings or [warning["kind"] for warning in result.warnings]


def ints(*values: int) -> array[int]:
    return array("i", values)


def zeros(number: int) -> array[int]:
    return array("i", [0] * number)


def test_specifications_of_buffers() -> None:
    data = array("d", range(6))
    assert (buffer_of(data).count, buffer_of(data).datatype) == (6, DOUBLE)
    assert buffer_of([data, DOUBLE]).count == 6
    assert buffer_of([data, 2, "d"]).count == 2
    assert buffer_of([data, (2, 3), DOUBLE]).pack().data == data[3:5].tobytes()
    assert buffer_of([data, BYTE]).count == 48
    with pytest.raises(ValueError, match="too small"):
        buffer_of([data, 7, DOUBLE])


def test_specifications_of_parts() -> None:
    data = array("d", range(6))
    # Without displacements, each part begins where the one before it ends.
    assert [part.pack().data for part in parts_of([data, [1, 2, 3]], 3)] == [
        data[:1].tobytes(), data[1:3].tobytes(), data[3:].tobytes()
    ]  # fmt: skip
    (first, second) = parts_of([data, ([1, 1], [4, 0]), DOUBLE], 2)
    assert (first.pack().data, second.pack().data) == (data[4:5].tobytes(), data[:1].tobytes())


@pytest.mark.parametrize(
    ("send", "receive"),
    [("Send", "Recv"), ("Ssend", "Recv"), ("Bsend", "Irecv"), ("Isend", "Irecv"), ("Issend", "Recv")],
)
def test_a_buffer_is_copied_to_the_receiver(send: str, receive: str) -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            request = getattr(comm, send)(ints(1, 2, 3), dest=1, tag=5)
            if request is not None:
                request.Wait()
        else:
            buffer, status = zeros(3), Status()
            request = getattr(comm, receive)(buffer, source=0)
            if request is not None:
                request.Wait(status)
                assert (status.Get_tag(), status.Get_count(INT)) == (5, 3)
            assert buffer == ints(1, 2, 3)

    assert reports(program) == []


def test_numpy_arrays() -> None:
    numpy = pytest.importorskip("numpy")

    def program(comm: Any) -> None:
        matrix = numpy.arange(6.0).reshape(2, 3) * (comm.rank + 1)
        total = numpy.empty_like(matrix)
        comm.Allreduce(matrix, total, op=MAX)
        assert (total == numpy.arange(6.0).reshape(2, 3) * 2).all()
        numbers = numpy.array(comm.rank, dtype="c16")
        everything = numpy.zeros(2, dtype="c16")
        comm.Allgather(numbers, everything)
        assert everything.tolist() == [0, 1]

    assert reports(program) == []


def test_exchanges_in_a_ring() -> None:
    def program(comm: Any) -> None:
        right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
        buffer = zeros(1)
        comm.Sendrecv(ints(comm.rank), dest=right, recvbuf=buffer, source=left)
        assert buffer[0] == left
        comm.Sendrecv_replace(buffer, dest=right, source=left)
        assert buffer[0] == (comm.rank - 2) % comm.size

    assert reports(program, 3) == []


def test_a_matched_probe_owns_its_message() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.Send(ints(7, 8), dest=1)
            comm.send("object", dest=1)
        else:
            status = Status()
            first = comm.Mprobe(source=0, status=status)
            second = MatchedMessage.probe(comm, source=0)
            assert second.recv() == "object"
            buffer = zeros(status.Get_count(INT))
            first.Recv(buffer)
            assert buffer == ints(7, 8)

    assert reports(program) == []


def test_persistent_requests() -> None:
    def program(comm: Any) -> None:
        buffer = zeros(1)
        request = comm.Recv_init(buffer, source=0) if comm.rank else comm.Send_init(buffer, dest=1)
        for number in range(3):
            if not comm.rank:
                buffer[0] = number
            Prequest.Startall([request])
            request.Wait()
            assert buffer[0] == number
        request.Free()

    assert reports(program) == []


def test_collective_operations() -> None:
    def program(comm: Any) -> None:
        rank, size = comm.rank, comm.size
        buffer = ints(4, 5) if rank == 1 else zeros(2)
        comm.Bcast(buffer, root=1)
        assert buffer == ints(4, 5)
        one = zeros(1)
        comm.Scatter(ints(10, 20, 30) if rank == 0 else None, one)
        assert one[0] == 10 * (rank + 1)
        everything = zeros(size)
        comm.Gather(one, everything if rank == 2 else None, root=2)
        assert everything == (ints(10, 20, 30) if rank == 2 else zeros(size))
        comm.Allgather(one, everything)
        assert everything == ints(10, 20, 30)
        exchanged = zeros(size)
        comm.Alltoall(ints(*(10 * rank + to for to in range(size))), exchanged)
        assert exchanged == ints(*(10 * source + rank for source in range(size)))
        total = ints(rank, 1)
        comm.Allreduce(IN_PLACE, total)
        assert total == ints(0 + 1 + 2, 3)
        comm.Scan(ints(rank), one)
        assert one[0] == sum(range(rank + 1))
        one = ints(-1)
        comm.Exscan(ints(rank), one)
        assert one[0] == (sum(range(rank)) if rank else -1)
        comm.Reduce_scatter_block(ints(rank, rank, rank), one)
        assert one[0] == 0 + 1 + 2

    assert reports(program, 3) == []


def test_collective_operations_with_parts_of_different_lengths() -> None:
    def program(comm: Any) -> None:
        rank = comm.rank
        mine = ints(*[rank] * (rank + 1))
        everything = zeros(6)
        comm.Gatherv(mine, [everything, (1, 2, 3)] if rank == 0 else None)
        assert everything == (ints(0, 1, 1, 2, 2, 2) if rank == 0 else zeros(6))
        comm.Allgatherv(mine, [everything, (1, 2, 3), (5, 3, 0), INT])
        assert everything == ints(2, 2, 2, 1, 1, 0)
        part = zeros(rank + 1)
        comm.Scatterv([ints(0, 1, 1, 2, 2, 2), (1, 2, 3)] if rank == 0 else None, part)
        assert part == mine
        # Every rank sends r + 1 elements to rank r.
        received = zeros(3 * (rank + 1))
        comm.Alltoallv([ints(*[rank] * 6), (1, 2, 3)], [received, [rank + 1] * 3])
        assert received == ints(*(source for source in range(3) for _ in range(rank + 1)))

    assert reports(program, 3) == []


def test_an_operator_of_the_program() -> None:
    def larger(one: memoryview, other: memoryview, datatype: Datatype) -> None:
        values = other.cast("i")
        for position, value in enumerate(one.cast("i")):
            values[position] = max(values[position], value)

    def program(comm: Any) -> None:
        result = zeros(1)
        comm.Reduce(ints(comm.rank), result, op=Op.Create(larger, commute=True))
        assert result[0] == (1 if comm.rank == 0 else 0)

    assert reports(program) == []


def exchange(sent: Any, received: Any) -> Callable[[Any], None]:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.Send(sent, dest=1)
        else:
            comm.Recv(received, source=0)

    return program


def test_messages_that_do_not_fit_their_buffers() -> None:
    (truncated,) = reports(exchange(zeros(10), zeros(5)))
    assert truncated == "truncated: MPI_ERR_TRUNCATE: a message of 40 bytes does not fit a buffer of 20 bytes"
    (mismatch,) = reports(exchange(zeros(2), array("f", [0, 0])))
    assert mismatch.startswith("type-mismatch: a message of MPI.INT elements was received into a buffer of MPI.FLOAT")
    assert reports(exchange(zeros(5), zeros(10))) == ["short-message"]
    assert reports(exchange(zeros(5), bytearray(20))) == []  # bytes match every type
    assert reports(exchange(zeros(2), array("I", [0, 0])))[0].startswith("type-mismatch")


def test_objects_and_buffers_do_not_match() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.send([1, 2], dest=1)
        else:
            comm.Recv(zeros(100), source=0)

    assert reports(program)[0].startswith("type-mismatch: a pickled object was received into a buffer")


@pytest.mark.parametrize(
    ("program", "difference"),
    [
        (lambda comm: comm.Bcast(zeros(4 + comm.rank)), "count"),
        (lambda comm: comm.Bcast(array("f" if comm.rank else "i", [0])), "type"),
        (lambda comm: comm.Reduce(zeros(1 + comm.rank), zeros(1 + comm.rank)), "count"),
        (lambda comm: comm.Gather(zeros(1 + comm.rank), zeros(2) if comm.rank == 0 else None), "count"),
    ],
)
def test_collective_operations_with_different_buffers(program: Callable[[Any], object], difference: str) -> None:
    (report,) = reports(program)
    assert report.startswith("collective-argument: ")
    assert f"with {difference} " in report


def test_counts_of_the_root_that_are_too_small() -> None:
    def program(comm: Any) -> None:
        comm.Gatherv(zeros(2), [zeros(3), (1, 2)] if comm.rank == 0 else None)

    assert reports(program)[0].startswith("truncated: ")


def test_persistent_requests_that_are_not_used_as_intended() -> None:
    def not_freed(comm: Any) -> None:
        request = comm.Recv_init(zeros(1), source=0) if comm.rank else comm.Send_init(zeros(1), dest=1)
        request.Start()
        request.Wait()

    def started_twice(comm: Any) -> None:
        request = comm.Recv_init(zeros(1), source=comm.rank)
        request.Start()
        request.Start()

    def not_started(comm: Any) -> None:
        request = comm.Recv_init(zeros(1), source=comm.rank)
        request.Wait()
        request.Free()

    assert reports(not_freed) == ["leak", "leak"]
    assert reports(started_twice, 1)[0].startswith("request-misuse")
    assert reports(not_started, 1) == ["missing-start"]
