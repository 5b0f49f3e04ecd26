"""Ranks are explored, shrunk and replayed by the code that serves threads.

Counts: with n messages in one mailbox that may arrive in any order, there are n! ways to receive them; of three senders
with two messages each, which do not overtake each other, 6! / (2! 2! 2!) = 90.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import pytest
import ranks
from ranks import Rank

from raddle.execute.installation import Installation
from raddle.exploring.stop_rules import Budget
from raddle.exploring.workbench import Workbench
from raddle.result import Result
from raddle.stop_reason import StopReason

ALL = Budget(executions=20_000, until="exhausted")


def explore(scenario: Callable[[], None], scheduler: str, budget: Budget = ALL) -> Result:
    with Workbench(Installation(ranks.RankWorld(), ranks.RankCalculus())) as workbench:
        return workbench.explore(scenario, scheduler=scheduler, budget=budget)


def gathering(senders: int, messages: int, received: set[tuple[object, ...]]) -> Callable[[], None]:
    """Rank 0 receives everything that the others send it, from any of them."""

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
def test_searches_through_all_schedules_find_the_same_orders(scheduler: str) -> None:
    received: set[tuple[object, ...]] = set()
    result = explore(gathering(3, 1, received), scheduler)
    assert result.stopped_because is StopReason.EXHAUSTED
    assert len(received) == factorial(3)


def test_a_message_can_be_overtaken_by_one_that_was_sent_because_of_it() -> None:
    # Rank 1 sends to rank 0, then tells rank 2, which sends to rank 0: rank 0 may receive either message first.
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
    """Rank 0 does not expect the message of rank 3 first."""

    def receiver(rank: Rank) -> None:
        first = rank.receive()
        rank.receive()
        rank.receive()
        if first == 3:
            raise ValueError("the third came first")

    ranks.start(receiver, *[lambda rank: rank.send(0, rank.number)] * 3)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_failure_is_found_shrunk_and_replayed(scheduler: str) -> None:
    with Workbench(Installation(ranks.RankWorld(), ranks.RankCalculus())) as workbench:
        result = workbench.explore(impatient, scheduler=scheduler, budget=Budget(executions=500))
        (finding,) = result.findings
        again = workbench.replay(impatient, str(finding.schedule))
    assert str(finding.schedule) == "T0; T4."  # rank 3, which T0 started as its fourth participant, sends first
    assert again is not None
    assert (again.kind, again.message) == (finding.kind, finding.message)


def overtaken() -> None:
    """Rank 0 does not expect the message that rank 2 sends once rank 1 has sent its own."""

    def receiver(rank: Rank) -> None:
        rank.receive(2)  # the messages of both are there by now
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
def test_the_schedule_names_the_alternative(scheduler: str) -> None:
    with Workbench(Installation(ranks.RankWorld(), ranks.RankCalculus())) as workbench:
        result = workbench.explore(overtaken, scheduler=scheduler, budget=Budget(executions=500))
        (finding,) = result.findings
        again = workbench.replay(overtaken, str(finding.schedule))
    assert "T1 (from R2)" in str(finding.schedule)
    assert again is not None
    assert again.message == finding.message


def test_ranks_that_wait_for_each_other_are_a_deadlock() -> None:
    def waits(rank: Rank) -> None:
        rank.receive(1 - rank.number)
        rank.send(1 - rank.number, "late")

    result = explore(lambda: ranks.start(waits, waits), "reachability")
    assert [finding.message for finding in result.findings] == ["T1 and T2 wait for messages"]
