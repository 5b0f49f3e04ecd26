"""Searches compared with brute force.

Some operations have several outcomes, and the footprint of some steps is known only after the step.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from math import factorial
from typing import Any

import pytest
from fake_worlds import (
    ANY,
    Acquire,
    Locks,
    Make,
    Move,
    Poke,
    Put,
    Ranks,
    Recv,
    Release,
    Reply,
    Send,
    Tasks,
    Try,
    World,
    brute_force,
    explored,
)

from raddle.decision import Decision
from raddle.schedule import Schedule, Segment
from raddle.schedulers import make_scheduler
from raddle.schedulers.deepening import Deepening
from raddle.schedulers.determinism import RunTwice
from raddle.schedulers.exhaustive import Exhaustive
from raddle.schedulers.fixed_decisions import FixedDecisions
from raddle.schedulers.reachability import Reachability
from raddle.schedulers.replay import Replay
from raddle.schedulers.sequential import Sequential


def count_orders_visited_once(make: Callable[[], World]) -> int:
    """Check that reachability testing visits each partial order once; return the number of partial orders."""
    search = Reachability()
    found = explored(search, make)
    assert found.keys() == brute_force(make).keys()
    assert set(found.values()) == {1}
    assert (search.redundant, search.cut, search.difference) == (0, False, None)
    return len(found)


def count_orders_and_executions(make: Callable[[], World]) -> tuple[int, int]:
    """Check that reachability testing visits every partial order; return the numbers of partial orders and executions.

    A step may have a different footprint once a race is reversed. Then the search may notice too late that the
    execution repeats a known partial order.
    """
    search = Reachability()
    found = explored(search, make)
    assert found.keys() == brute_force(make).keys()
    assert (search.cut, search.difference) == (False, None)
    return len(found), sum(found.values())


def fan_in(senders: int, messages: int = 1) -> Callable[[], World]:
    return lambda: Ranks([[Recv()] * (senders * messages), *([[Send(0)] * messages] * senders)])


# -- messages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("senders", [2, 3, 4, 5])
def test_messages_can_arrive_in_any_order(senders: int) -> None:
    search = Reachability()
    found = explored(search, fan_in(senders))
    assert len(found) == sum(found.values()) == factorial(senders)
    assert search.redundant == 0


def test_messages_of_one_rank_do_not_overtake_each_other() -> None:
    # 6! / (2! 2! 2!): the orders of six messages in which the messages of each rank stay in order.
    found = explored(Reachability(), fan_in(3, messages=2))
    assert len(found) == sum(found.values()) == 90


@pytest.mark.parametrize("search", [Exhaustive, Deepening])
def test_exhaustive_searches_run_every_schedule_once(search: Callable[[], Any]) -> None:
    # Both sends first: 2 orders of sending times 2 of receiving = 4. Alternating: s1 r s2 r and s2 r s1 r = 2.
    found = explored(search(), fan_in(2))
    assert sum(found.values()) == 6
    assert len(found) == 2
    assert explored(search(), fan_in(3)) == brute_force(fan_in(3))


def test_a_message_can_arrive_before_the_message_that_caused_it() -> None:
    # R1 sends to R0 and then to R2, which sends to R0.
    assert count_orders_visited_once(lambda: Ranks([[Recv(), Recv()], [Send(0), Send(2)], [Recv(1), Send(0)]])) == 2


def test_orders_that_no_receive_observes_count_as_one() -> None:
    assert count_orders_visited_once(lambda: Ranks([[Recv()], [Send(0)], [Send(0)], [Send(0)]])) == 3


def test_named_sources_leave_no_choice() -> None:
    assert count_orders_visited_once(lambda: Ranks([[Recv(1), Recv(2)], [Send(0)], [Send(0)]])) == 1


def test_a_receive_can_deadlock_after_the_wrong_message() -> None:
    # R0 receives from any rank, then from R1, which sends only one message.
    assert count_orders_visited_once(lambda: Ranks([[Recv(), Recv(1)], [Send(0)], [Send(0)]])) == 2


def test_random_message_programs_match_brute_force() -> None:
    rng = random.Random(14)
    orders = deadlocks = 0

    def program(rank: int, ranks: int) -> list[Any]:
        other = rng.choice([candidate for candidate in range(ranks) if candidate != rank])
        if rank == 0:
            return rng.choices([Recv(), Send(other), Recv(other)], [6, 1, 1], k=rng.randint(2, 4))
        found = rng.choices([Send(0), Send(other), Recv(), Recv(other)], [3, 2, 2, 1], k=rng.randint(1, 3))
        return [*found, Reply()] if found[-1] == Recv(ANY) else found

    for _ in range(600):
        ranks = rng.randint(3, 4)
        programs = [program(rank, ranks) for rank in range(ranks)]
        if sum(map(len, programs)) <= 9:
            orders += count_orders_visited_once(lambda programs=programs: Ranks(programs))  # type: ignore[misc]
            deadlocks += any(participant.next for participant in finished(Ranks(programs)).participants)
    assert orders > 500
    assert deadlocks > 50


def finished(world: World) -> World:
    """Run a world without preemption and return it."""
    world.run(Sequential())
    return world


# -- timeouts ----------------------------------------------------------------------------------------------------


def test_a_timeout_may_expire_early() -> None:
    # T0 acquires the lock once. T1 acquires it before T0, after T0, or not at all.
    assert count_orders_visited_once(lambda: Locks([[Acquire(0), Release(0)], [Try(0, 1), Release(0)]])) == 3


def test_a_timed_acquire_expires_if_the_lock_is_never_released() -> None:
    # T0 never releases the lock, so T1 acquires it first or times out. In the second program T1 never releases it
    # either, so T0 can block forever.
    assert count_orders_visited_once(lambda: Locks([[Acquire(0)], [Try(0, 1), Release(0)]])) == 2
    assert count_orders_visited_once(lambda: Locks([[Acquire(0)], [Try(0, 0)]])) == 2


def test_random_programs_with_timeouts_match_brute_force() -> None:
    rng = random.Random(15)
    orders = 0

    def section(lock: int, inner: list[Any]) -> list[Any]:
        return [rng.choice([Acquire(lock), Try(lock, len(inner) + 1)]), *inner, Release(lock)]

    def program() -> list[Any]:
        first, second = rng.sample(range(2), 2)
        if rng.random() < 0.5:
            return section(first, section(second, []))  # nested sections may deadlock
        return [*section(first, []), *section(rng.choice([first, second]), [])][: rng.choice([2, 4])]

    for _ in range(150):
        programs = [program() for _ in range(rng.randint(2, 3))]
        if sum(map(len, programs)) <= 10:
            orders += count_orders_visited_once(lambda programs=programs: Locks(programs))  # type: ignore[misc]
    assert orders > 500


# -- footprints that are known only after the step ---------------------------------------------------------------


def test_footprints_known_after_the_step_yield_every_order() -> None:
    # The two writes to x can happen in two orders. The third task touches only y, so it adds no further orders.
    assert count_orders_visited_once(lambda: Tasks([[Put("x", 1)], [Put("x", 2)], [Put("y", 3)]])) == 2


def test_a_step_may_have_another_footprint_in_another_order() -> None:
    # T1 reads y if x is 0 and writes z otherwise. If T1 runs before T0, it conflicts with T2, otherwise with T3.
    programs = [[Put("x", 1)], [Move("x", "y", "z")], [Put("y", 1)], [Put("z", 1)]]
    orders, executions = count_orders_and_executions(lambda: Tasks(programs))
    assert orders == 4
    assert executions <= 5


def test_random_footprints_known_late_match_brute_force() -> None:
    rng = random.Random(16)
    orders = executions = 0

    def instruction() -> Any:
        first, second, third = (rng.choice("xyz") for _ in range(3))
        return rng.choice(
            [
                Put(first, 1),
                Put(first, 0),
                Move(first, second, third),
                Move(first, second, third),
                Make(first),
                Poke(first),
            ]
        )

    for _ in range(400):
        programs = [[instruction() for _ in range(rng.randint(1, 3))] for _ in range(rng.randint(2, 3))]
        if sum(map(len, programs)) <= 7:
            found = count_orders_and_executions(lambda programs=programs: Tasks(programs))  # type: ignore[misc]
            orders, executions = orders + found[0], executions + found[1]
    assert orders > 2_000
    assert executions < 1.2 * orders


# -- decisions and schedule texts --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "pct", "pos", "surw"])
def test_random_schedulers_draw_alternatives(name: str) -> None:
    search = make_scheduler(name, seed=1)
    assert sum(search.begin(number, 0) and fan_in(3)().run(search) is not None for number in range(1, 5)) == 4
    found = {run_fan_in(search, number) for number in range(5, 300)}
    assert found == brute_force(fan_in(3)).keys()


def run_fan_in(search: Any, number: int) -> object:
    assert search.begin(number, 0)
    return fan_in(3)().run(search)


def test_fixed_decisions_reproduce_an_execution() -> None:
    search = make_scheduler("random", seed=1)
    for number in range(1, 50):
        search.begin(number, 0)
        world, repeated = fan_in(3)(), fan_in(3)()
        result = world.run(search)
        fixed = FixedDecisions(json.loads(json.dumps(world.decisions)))
        assert fixed.begin(1, 0)
        assert repeated.run(fixed) == result
        assert fixed.differed is None
        assert repeated.decisions == world.decisions


def test_an_impossible_alternative_is_reported_as_a_difference() -> None:
    # After both sends, R0 has two alternatives, numbered 0 and 1. Alternative 2 does not exist.
    fixed = FixedDecisions([1, 2, Decision(0, 2)])
    fan_in(2)().run(fixed)
    assert fixed.differed == 2


def test_twice_repeats_alternatives() -> None:
    search = RunTwice(Exhaustive())
    assert set(explored(search, fan_in(2)).values()) == {6}
    assert search.difference is None


def replayed(text: str) -> tuple[object, str | None]:
    replay = Replay(Schedule.parse(text), lambda thread: thread.kind)
    world = Locks([[Acquire(0), Release(0)], [Try(0, 1), Release(0)]])
    world.run(replay, always_choose=True)
    replay.ended()
    return [outcome for _, _, outcome in world.outcomes if outcome], replay.divergence


def test_a_schedule_names_an_alternative() -> None:
    assert replayed("T0; T1.") == (["proceeds"], None)
    assert replayed("T0; T1 (expires).") == (["expires"], None)
    assert replayed("T1 (expires); T0.") == (["expires"], None)
    segment = Segment("T1", "f.py:9 recv", 2, "from R2")
    assert Schedule.parse(f"{segment}.") == Schedule((segment,))


def test_replay_rejects_an_alternative_that_does_not_exist() -> None:
    assert replayed("T0 (expires).")[1] == "T0 cannot take (expires) here: it has no alternatives"
    assert (
        replayed("T0; T1 (explodes).")[1] == "T1 cannot take (explodes) here: it can only take (proceeds) or (expires)"
    )
