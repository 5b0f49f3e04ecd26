"""Round-robin: turns, worked out by hand."""

from __future__ import annotations

import pytest
from fake_threads import Do, run, writes

from raddle.errors import UsageError
from raddle.schedulers import make_scheduler
from raddle.schedulers.round_robin import RoundRobin

THREE = [writes("x", 3), writes("x", 3), writes("x", 3)]


@pytest.mark.parametrize(
    ("number", "order"),
    [
        (1, (1, 2, 3, 1, 2, 3, 1, 2, 3)),  # turns of one point, the first begins
        (2, (2, 3, 1, 2, 3, 1, 2, 3, 1)),  # one point, the second
        (3, (1, 1, 2, 2, 3, 3, 1, 2, 3)),  # two points, the first
        (4, (3, 1, 2, 3, 1, 2, 3, 1, 2)),  # one point, the third
        (5, (2, 2, 3, 3, 1, 1, 2, 3, 1)),  # two points, the second
        (6, (1, 1, 1, 2, 2, 2, 3, 3, 3)),  # three points, the first
    ],
)
def test_turns_grow_and_others_begin(number, order):
    assert run(RoundRobin(), THREE, number=number) == order


def test_a_quantum_fixes_the_length_of_a_turn():
    assert run(RoundRobin(quantum=2), THREE, number=1) == (1, 1, 2, 2, 3, 3, 1, 2, 3)
    assert run(RoundRobin(quantum=2), THREE, number=3) == (3, 3, 1, 1, 2, 2, 3, 1, 2)


def test_who_cannot_go_on_loses_its_turn():
    # The first takes the lock; the second, at the lock, is passed over until it is given back.
    locked = [Do("acquire", "l"), Do("write", "x"), Do("release", "l")]
    assert run(RoundRobin(), [locked, locked, writes("y", 2)], number=1) == (1, 3, 1, 3, 1, 2, 2, 2)


def test_the_same_number_gives_the_same_execution_whatever_came_before():
    one = RoundRobin()
    before = [run(one, THREE, number=number) for number in range(1, 10)]
    assert [run(RoundRobin(), THREE, number=number) for number in range(1, 10)] == before


def test_a_turn_of_no_point_is_refused():
    with pytest.raises(UsageError, match=r"the option quantum of round-robin takes a whole number of at least 1"):
        make_scheduler("round-robin:quantum=0", seed=1)
