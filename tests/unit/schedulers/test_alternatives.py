"""Operations with several outcomes, and operations whose accesses show late, against brute force."""

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


def visits_each_once(make: Callable[[], World]) -> int:
    """Compare reachability testing with brute force; return how many partial orders there are."""
    search = Reachability()
    found = explored(search, make)
    assert found.keys() == brute_force(make).keys()
    assert set(found.values()) == {1}
    assert (search.redundant, search.cut, search.difference) == (0, False, None)
    return len(found)


def comes_to_all(make: Callable[[], World]) -> tuple[int, int]:
    """Compare reachability testing with brute force; return how many partial orders and executions there were.

    A step may touch something else once a race is reversed. That it leads to a known order then shows too late.
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
    # 6! / (2! 2! 2!): the orders of six messages in which those of one rank keep theirs.
    found = explored(Reachability(), fan_in(3, messages=2))
    assert len(found) == sum(found.values()) == 90


@pytest.mark.parametrize("search", [Exhaustive, Deepening])
def test_every_schedule_is_run_once(search: Callable[[], Any]) -> None:
    # s1 s2 or s2 s1, then two orders of receiving, 4; s1 r s2 r and s2 r s1 r, 2.
    found = explored(search(), fan_in(2))
    assert sum(found.values()) == 6
    assert len(found) == 2
    assert explored(search(), fan_in(3)) == brute_force(fan_in(3))


def test_a_message_that_was_caused_by_another_can_arrive_first() -> None:
    # R1 sends to R0 and then to R2, which sends to R0.
    assert visits_each_once(lambda: Ranks([[Recv(), Recv()], [Send(0), Send(2)], [Recv(1), Send(0)]])) == 2


def test_orders_that_no_receive_observes_are_one() -> None:
    assert visits_each_once(lambda: Ranks([[Recv()], [Send(0)], [Send(0)], [Send(0)]])) == 3


def test_named_sources_leave_no_choice() -> None:
    assert visits_each_once(lambda: Ranks([[Recv(1), Recv(2)], [Send(0)], [Send(0)]])) == 1


def test_a_deadlock_after_the_wrong_message() -> None:
    # R0 takes a message of anybody, then one of R1, which sends only one.
    assert visits_each_once(lambda: Ranks([[Recv(), Recv(1)], [Send(0)], [Send(0)]])) == 2


def test_random_message_programs() -> None:
    drawn = random.Random(14)
    orders = deadlocks = 0

    def program(rank: int, ranks: int) -> list[Any]:
        other = drawn.choice([one for one in range(ranks) if one != rank])
        if rank == 0:
            return drawn.choices([Recv(), Send(other), Recv(other)], [6, 1, 1], k=drawn.randint(2, 4))
        found = drawn.choices([Send(0), Send(other), Recv(), Recv(other)], [3, 2, 2, 1], k=drawn.randint(1, 3))
        return [*found, Reply()] if found[-1] == Recv(ANY) else found

    for _ in range(600):
        ranks = drawn.randint(3, 4)
        programs = [program(rank, ranks) for rank in range(ranks)]
        if sum(map(len, programs)) <= 9:
            orders += visits_each_once(lambda programs=programs: Ranks(programs))  # type: ignore[misc]
            deadlocks += any(participant.next for participant in finished(Ranks(programs)).participants)
    assert orders > 500
    assert deadlocks > 50


def finished(world: World) -> World:
    """Run a world in the first order there is."""
    world.run(Sequential())
    return world


# -- timeouts ----------------------------------------------------------------------------------------------------


def test_a_timeout_may_expire_early() -> None:
    # T0 holds the lock once; T1 gets it before or after, or not at all.
    assert visits_each_once(lambda: Locks([[Acquire(0), Release(0)], [Try(0, 1), Release(0)]])) == 3


def test_a_timeout_that_can_only_proceed_first() -> None:
    # T0 never gives the lock back: T1 gets it before, or its time is over; T0 waits for ever if T1 keeps it.
    assert visits_each_once(lambda: Locks([[Acquire(0)], [Try(0, 1), Release(0)]])) == 2
    assert visits_each_once(lambda: Locks([[Acquire(0)], [Try(0, 0)]])) == 2


def test_random_programs_with_timeouts() -> None:
    drawn = random.Random(15)
    orders = 0

    def section(lock: int, inner: list[Any]) -> list[Any]:
        return [drawn.choice([Acquire(lock), Try(lock, len(inner) + 1)]), *inner, Release(lock)]

    def program() -> list[Any]:
        one, other = drawn.sample(range(2), 2)
        if drawn.random() < 0.5:
            return section(one, section(other, []))  # may deadlock
        return [*section(one, []), *section(drawn.choice([one, other]), [])][: drawn.choice([2, 4])]

    for _ in range(150):
        programs = [program() for _ in range(drawn.randint(2, 3))]
        if sum(map(len, programs)) <= 10:
            orders += visits_each_once(lambda programs=programs: Locks(programs))  # type: ignore[misc]
    assert orders > 500


# -- footprints after the fact -----------------------------------------------------------------------------------


def test_steps_whose_accesses_show_late() -> None:
    # Two writes of x, either order; a third task that touches y only changes nothing.
    assert visits_each_once(lambda: Tasks([[Put("x", 1)], [Put("x", 2)], [Put("y", 3)]])) == 2


def test_a_step_that_touches_something_else_in_another_order() -> None:
    # T1 reads y if x is 0 and writes z otherwise. Before T0 it conflicts with T2, after T0 with T3.
    programs = [[Put("x", 1)], [Move("x", "y", "z")], [Put("y", 1)], [Put("z", 1)]]
    orders, executions = comes_to_all(lambda: Tasks(programs))
    assert orders == 4
    assert executions <= 5


def test_random_steps_whose_accesses_show_late() -> None:
    drawn = random.Random(16)
    orders = executions = 0

    def instruction() -> Any:
        one, two, three = (drawn.choice("xyz") for _ in range(3))
        return drawn.choice(
            [Put(one, 1), Put(one, 0), Move(one, two, three), Move(one, two, three), Make(one), Poke(one)]
        )

    for _ in range(400):
        programs = [[instruction() for _ in range(drawn.randint(1, 3))] for _ in range(drawn.randint(2, 3))]
        if sum(map(len, programs)) <= 7:
            found = comes_to_all(lambda programs=programs: Tasks(programs))  # type: ignore[misc]
            orders, executions = orders + found[0], executions + found[1]
    assert orders > 2_000
    assert executions < 1.2 * orders


# -- decisions and texts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "pct", "pos", "surw"])
def test_random_schedulers_draw_alternatives(name: str) -> None:
    search = make_scheduler(name, seed=1)
    assert sum(search.begin(number, 0) and fan_in(3)().run(search) is not None for number in range(1, 5)) == 4
    found = {make_result(search, number) for number in range(5, 300)}
    assert found == brute_force(fan_in(3)).keys()


def make_result(search: Any, number: int) -> object:
    assert search.begin(number, 0)
    return fan_in(3)().run(search)


def test_decisions_repeat_an_execution() -> None:
    search = make_scheduler("random", seed=1)
    for number in range(1, 50):
        search.begin(number, 0)
        world, same = fan_in(3)(), fan_in(3)()
        result = world.run(search)
        again = FixedDecisions(json.loads(json.dumps(world.decisions)))
        assert again.begin(1, 0)
        assert same.run(again) == result
        assert again.differed is None
        assert same.decisions == world.decisions


def test_a_decision_that_cannot_be_taken_again() -> None:
    # After both sends two messages can be taken, but not three.
    again = FixedDecisions([1, 2, Decision(0, 2)])
    fan_in(2)().run(again)
    assert again.differed == 2


def test_twice_repeats_alternatives() -> None:
    search = RunTwice(Exhaustive())
    assert set(explored(search, fan_in(2)).values()) == {6}
    assert search.difference is None


def replayed(text: str) -> tuple[object, str | None]:
    replay = Replay(Schedule.parse(text), lambda thread: thread.kind)
    world = Locks([[Acquire(0), Release(0)], [Try(0, 1), Release(0)]])
    world.run(replay, ask_always=True)
    replay.over()
    return [outcome for _, _, outcome in world.outcomes if outcome], replay.divergence


def test_a_schedule_names_an_alternative() -> None:
    assert replayed("T0; T1.") == (["proceeds"], None)
    assert replayed("T0; T1 (expires).") == (["expires"], None)
    assert replayed("T1 (expires); T0.") == (["expires"], None)
    segment = Segment("T1", "f.py:9 recv", 2, "from R2")
    assert Schedule.parse(f"{segment}.") == Schedule((segment,))


def test_an_alternative_that_is_not_there() -> None:
    assert replayed("T0 (expires).")[1] == "T0 cannot take (expires) here: it has no alternatives"
    assert replayed("T0; T1 (explodes).")[1] == "T1 cannot take (explodes) here: only (proceeds), (expires)"
