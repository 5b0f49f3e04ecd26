"""Ranks are explored, shrunk and replayed by the same code as threads.

Expected counts: n messages that may arrive in any order can be received in n! orders. If three senders
send two messages each, and the messages of each sender arrive in order, there are 6! / (2! 2! 2!) = 90 orders.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from math import factorial

import pytest
import ranks
from ranks import RECEIVE, SEND, Rank, Ranks

from raddle.errors import DivergedError
from raddle.exploring.stop_rules import Budget
from raddle.exploring.units import Itself, SearchPlan, Unit, run_unit
from raddle.exploring.workbench import Workbench
from raddle.operation import START
from raddle.result import Result
from raddle.schedulers.sequential import Sequential
from raddle.searching import search
from raddle.stop_reason import StopReason

ALL = Budget(executions=20_000, until="exhausted")


def explore(scenario: Callable[[], None], scheduler: str, budget: Budget = ALL) -> Result:
    with Workbench(Ranks()) as workbench:
        return workbench.explore(scenario, scheduler=scheduler, budget=budget)


def gathering(senders: int, messages: int, received: set[tuple[object, ...]]) -> Callable[[], None]:
    """Return a scenario in which rank 0 receives all messages of the other ranks, in any order."""

    def receiver(rank: Rank) -> None:
        received.add(tuple(rank.receive() for _ in range(senders * messages)))

    def sender(rank: Rank) -> None:
        for number in range(messages):
            rank.send(0, (rank.number, number))

    return lambda: ranks.start(receiver, *[sender] * senders)


@pytest.mark.parametrize("senders", [2, 3, 4, 5])
def test_the_messages_of_n_senders_are_received_in_n_factorial_orders(senders: int) -> None:
    received: set[tuple[object, ...]] = set()
    result = explore(gathering(senders, 1, received), "reachability")
    assert result.stopped_because is StopReason.EXHAUSTED
    assert result.orders["partial_orders"] == len(received) == factorial(senders)


def test_three_senders_with_two_messages_each_have_90_orders() -> None:
    received: set[tuple[object, ...]] = set()
    result = explore(gathering(3, 2, received), "reachability")
    assert result.stopped_because is StopReason.EXHAUSTED
    assert result.orders["partial_orders"] == len(received) == 90


@pytest.mark.parametrize("scheduler", ["exhaustive", "deepening"])
def test_exhaustive_searches_find_the_same_orders(scheduler: str) -> None:
    received: set[tuple[object, ...]] = set()
    result = explore(gathering(3, 1, received), scheduler)
    assert result.stopped_because is StopReason.EXHAUSTED
    assert len(received) == factorial(3)


def test_a_message_can_be_overtaken_by_one_that_was_sent_because_of_it() -> None:
    # Rank 1 sends to rank 0 and then to rank 2, which sends to rank 0. Rank 0 may receive either message first.
    received: set[tuple[object, ...]] = set()

    def receiver(rank: Rank) -> None:
        received.add((rank.receive(), rank.receive()))

    def first(rank: Rank) -> None:
        rank.send(0, "first")
        rank.send(2, "go")

    def second(rank: Rank) -> None:
        rank.receive(1)
        rank.send(0, "second")

    result = explore(lambda: ranks.start(receiver, first, second), "reachability")
    assert result.stopped_because is StopReason.EXHAUSTED
    assert received == {("first", "second"), ("second", "first")}


SCHEDULERS = ["random", "pos", "pct:depth=2", "exhaustive", "deepening", "reachability", "portfolio"]


def impatient() -> None:
    """Fail if rank 0 receives the message of rank 3 first."""

    def receiver(rank: Rank) -> None:
        first = rank.receive()
        rank.receive()
        rank.receive()
        if first == 3:
            raise ValueError("the third came first")

    ranks.start(receiver, *[lambda rank: rank.send(0, rank.number)] * 3)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_failure_is_found_shrunk_and_replayed(scheduler: str) -> None:
    with Workbench(Ranks()) as workbench:
        result = workbench.explore(impatient, scheduler=scheduler, budget=Budget(executions=500))
        (finding,) = result.findings
        replayed = workbench.replay(impatient, str(finding.schedule))
    # Rank 0 starts the others and waits. Rank 3 sends first.
    assert str(finding.schedule) == "R0; R3."
    assert replayed is not None
    assert (replayed.kind, replayed.message) == (finding.kind, finding.message)


def overtaken() -> None:
    """Fail if rank 0 receives the second message of rank 2 before the message that rank 1 sent earlier."""

    def receiver(rank: Rank) -> None:
        rank.receive(2)  # the message of rank 1 has been sent by now
        first = rank.receive()
        rank.receive()
        if first == "second":
            raise ValueError("the second came first")

    def first(rank: Rank) -> None:
        rank.send(0, "first")
        rank.send(2, "go")

    def second(rank: Rank) -> None:
        rank.receive(1)
        rank.send(0, "ready")
        rank.send(0, "second")

    ranks.start(receiver, first, second)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_schedule_names_the_chosen_alternative(scheduler: str) -> None:
    with Workbench(Ranks()) as workbench:
        result = workbench.explore(overtaken, scheduler=scheduler, budget=Budget(executions=500))
        (finding,) = result.findings
        replayed = workbench.replay(overtaken, str(finding.schedule))
    assert "R0 (takes R2's message)" in str(finding.schedule)
    assert replayed is not None
    assert replayed.message == finding.message


def test_ranks_that_wait_for_each_other_deadlock() -> None:
    def waits(rank: Rank) -> None:
        rank.receive(1 - rank.number)
        rank.send(1 - rank.number, "late")

    result = explore(lambda: ranks.start(waits, waits), "reachability")
    assert [finding.message for finding in result.findings] == ["R0 and R1 wait for messages"]


# -- plans -------------------------------------------------------------------------------------------------------


def plan_for(scenario: Callable[[], None], scheduler: str = "random", criteria: tuple[str, ...] = ()) -> SearchPlan:
    session = {"measuring": bool(criteria)}
    return SearchPlan(
        Itself(scenario), None, Ranks(), session, scheduler=scheduler, seed=1, criteria=criteria, until="first-finding"
    )


def test_a_pickled_unit_runs_in_the_world_of_its_plan() -> None:
    unit = Unit(plan_for(impatient), before=0, executions=500)
    done = run_unit(pickle.loads(pickle.dumps(unit)))  # as a worker receives it
    assert [str(signed.finding.schedule) for signed in done.findings] == ["R0; R3."]


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_workers_use_the_installation_of_the_plan(workers: int | None) -> None:
    result = search(plan_for(impatient, criteria=("hbpair",)), Budget(executions=500), workers=workers)
    assert [str(finding.schedule) for finding in result.findings] == ["R0; R3."]
    assert result.record is not None
    assert result.record.tally.executions == result.executions


def test_the_world_defines_the_steps_that_criteria_receive() -> None:
    def receiver(rank: Rank) -> None:
        rank.receive()
        rank.receive()

    with Workbench(Ranks()) as workbench:
        sender = lambda rank: rank.send(0, "hello")  # noqa: E731 -- two ranks run it
        execution = workbench.run(lambda: ranks.start(receiver, sender, sender), Sequential(), measuring=True)
    assert execution.observed is not None
    steps, entities = execution.observed
    assert entities.letter == "R"
    # Rank 0 starts the other two ranks and waits. Rank 1 sends message 0, and rank 2 sends message 1. Rank 0 receives
    # them in that order.
    assert [step for step in steps if step[0] == 0] == [
        (0, START, 1, 0),
        (0, START, 2, 0),
        (0, RECEIVE, 0, 0),
        (0, RECEIVE, 1, 0),
    ]
    assert [step for step in steps if step[0] > 0] == [(1, SEND, 0, 0), (2, SEND, 1, 0)]


def test_a_schedule_uses_the_labels_of_its_world() -> None:
    # R0 starts the other ranks, which send. R0 then takes the message of rank 2, although rank 1 sent first.
    taken = []

    def scenario() -> None:
        sender = lambda rank: rank.send(0, rank.number)  # noqa: E731 -- two ranks run it
        ranks.start(lambda rank: taken.append((rank.receive(), rank.receive())), sender, sender)

    with Workbench(Ranks()) as workbench:
        assert workbench.replay(scenario, "R0; R1; R2; R0 (takes R2's message).") is None
        assert taken == [(2, 1)]
        with pytest.raises(DivergedError):
            workbench.replay(scenario, "T0; T1.")
