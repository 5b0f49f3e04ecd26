"""Scenarios with receives from any rank."""

from __future__ import annotations

from typing import Any

from raddle.mpi.library.status import Status
from raddle.outcome import OutcomeKind
from raddle_lab.message_scenarios.scenario import MessageScenario


def bcast_race(comm: Any) -> None:
    """Receive two messages in any order, because a broadcast does not synchronize."""
    if comm.rank == 1:
        comm.bsend(1, dest=0)
    comm.bcast(None, root=1)
    if comm.rank == 2:
        comm.send(2, dest=0)
    if comm.rank == 0:
        assert comm.recv() + comm.recv() == 3


def bcast_race_sync(comm: Any) -> None:
    if comm.rank == 1:
        comm.send(1, dest=0)
    if comm.rank == 0:
        assert comm.recv() == 1
    comm.barrier()
    if comm.rank == 2:
        comm.send(2, dest=0)
    if comm.rank == 0:
        assert comm.recv() == 2


def any_two(comm: Any) -> None:
    if comm.rank == 0:
        print(comm.recv() + comm.recv())
    else:
        comm.send(comm.rank, dest=0)


def any_order(comm: Any) -> None:
    if comm.rank == 0:
        print(10 * comm.recv() + comm.recv())
    else:
        comm.send(comm.rank, dest=0)


def any_then_named(comm: Any) -> None:
    if comm.rank == 0:
        comm.recv()
        comm.recv(source=2)
    else:
        comm.send(1, dest=0)


def any_then_named_tags(comm: Any) -> None:
    if comm.rank == 0:
        comm.recv(tag=1)
        comm.recv(source=2, tag=2)
    else:
        comm.send(1, dest=0, tag=comm.rank)


def any_status_reply(comm: Any) -> None:
    if comm.rank == 0:
        status = Status()
        for _ in range(comm.size - 1):
            number = comm.recv(status=status)
            comm.send(number, dest=status.Get_source())
    else:
        comm.send(comm.rank, dest=0)
        assert comm.recv(source=0) == comm.rank


def any_wrong_reply(comm: Any) -> None:
    """Reply to rank 1, whichever rank asked."""
    if comm.rank == 0:
        comm.recv()
        comm.bsend("reply", dest=1)
        comm.recv(source=2)
    elif comm.rank == 1:
        comm.bsend("request", dest=0)
        comm.recv(source=0)
    else:
        comm.bsend("request", dest=0)


def causal_overtake(comm: Any) -> None:
    """Receive a message before the one that caused it."""
    if comm.rank == 0:
        assert comm.recv() == "first"
        comm.recv()
    elif comm.rank == 1:
        comm.bsend("first", dest=0)
        comm.send("go", dest=2)
    else:
        comm.recv(source=1)
        comm.send("second", dest=0)


def two_wild_loops(comm: Any) -> None:
    """Receive an offset and a block in separate loops, each from any rank, as in a faulty matrix product."""
    if comm.rank == 0:
        offsets = [comm.recv(tag=1) for _ in range(comm.size - 1)]
        blocks = [comm.recv(tag=2) for _ in range(comm.size - 1)]
        print(sorted(zip(offsets, blocks, strict=True)))
    else:
        comm.send(comm.rank, dest=0, tag=1)
        comm.send(comm.rank, dest=0, tag=2)


def probe_any(comm: Any) -> None:
    if comm.rank == 0:
        status = Status()
        for _ in range(comm.size - 1):
            comm.probe(status=status)
            assert comm.recv(source=status.Get_source()) == status.Get_source()
    else:
        comm.send(comm.rank, dest=0)


def probe_then_any(comm: Any) -> None:
    """Receive from any rank after a probe, and expect the message that the probe found."""
    if comm.rank == 0:
        status = Status()
        comm.probe(status=status)
        assert comm.recv() == status.Get_source()
        comm.recv()
    else:
        comm.send(comm.rank, dest=0)


def probe_both(comm: Any) -> None:
    comm.probe(source=1 - comm.rank)
    comm.send(1, dest=1 - comm.rank)
    comm.recv(source=1 - comm.rank)


def iprobe_loop(comm: Any) -> None:
    if comm.rank == 0:
        received = 0
        while received < 2:
            if comm.iprobe():
                comm.recv()
                received += 1
    else:
        comm.send(1, dest=0)


def iprobe_give_up(comm: Any) -> None:
    """Poll three times, and then end without the message."""
    if comm.rank == 0:
        if any(comm.iprobe(source=1) for _ in range(3)):
            comm.recv(source=1)
    else:
        comm.bsend(1, dest=0)


SCENARIOS = (
    MessageScenario(bcast_race, 3, sequences=2),
    MessageScenario(bcast_race_sync, 3, sequences=1),
    MessageScenario(any_two, 3, sequences=2),
    MessageScenario(any_order, 3, finds=OutcomeKind.DIFFERENT_RESULTS, sequences=2),
    MessageScenario(any_then_named, 3, finds=OutcomeKind.NO_SENDER, sequences=2),
    MessageScenario(any_then_named_tags, 3, sequences=1),
    MessageScenario(any_status_reply, 4, sequences=6),
    MessageScenario(any_wrong_reply, 3, finds=OutcomeKind.NO_SENDER, sequences=2),
    MessageScenario(causal_overtake, 3, finds=OutcomeKind.ASSERTION, sequences=2),
    MessageScenario(two_wild_loops, 4, finds=OutcomeKind.DIFFERENT_RESULTS, sequences=36),
    MessageScenario(probe_any, 4, sequences=6),
    MessageScenario(probe_then_any, 3, finds=OutcomeKind.ASSERTION),
    MessageScenario(probe_both, 2, finds=OutcomeKind.DEADLOCK),
    MessageScenario(iprobe_loop, 3),
    MessageScenario(iprobe_give_up, 2, warns="unreceived"),
)
