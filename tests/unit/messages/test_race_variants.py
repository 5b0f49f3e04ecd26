"""Traces, race variants and executions that are forced to begin like a variant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from raddle.exploring.workbench import Workbench
from raddle.messages.choices import REFUSED, Choice, Decided, Numbering, from_prescription, prescription
from raddle.messages.forcing import Forcing
from raddle.messages.trace import MessageTrace
from raddle.messages.variants import Variant, variants
from raddle.mpi.installation import MpiInstallation, Ranks
from raddle.mpi.library.comm import COMM_WORLD

comm: Any = COMM_WORLD


def receive(number: int, rank: int = 0) -> Choice:
    return Choice(rank, Numbering.RECEIVES, number)


class Runs:
    """Runs a program with forced outcomes."""

    def __init__(self, session: Any, installation: MpiInstallation) -> None:
        self._session = session
        self._installation = installation

    def run(self, outcomes: dict[Choice, tuple[int, ...]]) -> MessageTrace:
        forcing = Forcing(self._installation.world)
        forcing.outcomes = outcomes
        forcing.begin(1, 0)
        self._session.run_for(forcing)
        return MessageTrace(self._installation.world.exchange)


@contextmanager
def runs_of(program: Callable[[int], object], *, ranks: int) -> Iterator[Runs]:
    with Workbench(Ranks(ranks)) as workbench:
        installation = workbench.installation
        assert isinstance(installation, MpiInstallation)
        with workbench.session(installation.scenario(program)) as session:
            yield Runs(session, installation)


def gathers(rank: int) -> None:
    """Receive a message from each other rank, and then one from rank 1."""
    if rank == 0:
        for _ in range(comm.size - 1):
            comm.recv(tag=0)
        comm.recv(source=1, tag=1)
    else:
        comm.send(rank, dest=0, tag=0)
        if rank == 1:
            comm.send(rank, dest=0, tag=1)


def test_a_forced_execution_takes_the_given_messages() -> None:
    with runs_of(gathers, ranks=4) as runs:
        for first, second, third in ((1, 2, 3), (3, 1, 2), (2, 3, 1)):
            outcomes = {receive(0): (first, 0), receive(1): (second, 0)}
            assert runs.run(outcomes).outcomes() == {**outcomes, receive(2): (third, 0)}


def test_variants_change_one_receive_and_keep_what_happened_before_it() -> None:
    with runs_of(gathers, ranks=4) as runs:
        trace = runs.run({receive(0): (1, 0), receive(1): (2, 0)})
    # Receive 0 could have taken the messages of R2 or R3, and receive 1 that of R3. Receive 2 had no other message, and
    # the receive from R1 has only one.
    took_first = Decided(receive(0), (1, 0))
    assert list(variants(trace)) == [
        Variant((), Decided(receive(0), (2, 0))),
        Variant((), Decided(receive(0), (3, 0))),
        Variant((took_first,), Decided(receive(1), (3, 0))),
    ]


def test_a_message_that_depends_on_a_receive_is_not_in_its_race_set() -> None:
    def program(rank: int) -> None:
        if rank == 0:
            comm.recv()
            comm.send("go", dest=2)
            comm.recv()
        elif rank == 1:
            comm.send("first", dest=0)
        else:
            comm.recv()
            comm.send("second", dest=0)

    with runs_of(program, ranks=3) as runs:
        assert list(variants(runs.run({}))) == []


def test_variants_of_one_execution_exclude_each_other() -> None:
    with runs_of(gathers, ranks=5) as runs:
        found = list(variants(runs.run({})))
    assert len(found) == 3 + 2 + 1
    assert all(one is other or one.excludes(other) for one in found for other in found)


def test_the_variants_of_a_poll_include_a_refusal() -> None:
    def program(rank: int) -> None:
        if rank == 0:
            comm.recv(source=2)
            comm.iprobe(source=1)
        elif rank == 1:
            comm.send(None, dest=0)
            comm.send(None, dest=2)
        else:
            comm.recv(source=1)
            comm.send(None, dest=0)

    # R1 sends to R0 first, so the message is there when R0 polls; yet it may still be under way.
    with runs_of(program, ranks=3) as runs:
        found = list(variants(runs.run({receive(1): (1, 0)})))
        assert [one.changed for one in found] == [Decided(receive(1), REFUSED)]
        assert runs.run(found[0].outcomes()).outcomes() == {receive(1): REFUSED}


def test_a_prescription_holds_receives_only() -> None:
    receives = {0: {2: (3, 0), 5: (1, 2)}, 1: {0: (0, 1)}}
    outcomes = from_prescription(receives)
    assert outcomes == {receive(2): (3, 0), receive(5): (1, 2), receive(0, rank=1): (0, 1)}
    others = {receive(7): REFUSED, Choice(0, Numbering.SELECTIONS, 0): (1,)}
    assert prescription({**outcomes, **others}) == receives
