"""Round-robin: the order of turns, derived by hand."""

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
        (1, (1, 2, 3, 1, 2, 3, 1, 2, 3)),  # turns of one step, starting with T1
        (2, (2, 3, 1, 2, 3, 1, 2, 3, 1)),  # turns of one step, starting with T2
        (3, (1, 1, 2, 2, 3, 3, 1, 2, 3)),  # turns of two steps, starting with T1
        (4, (3, 1, 2, 3, 1, 2, 3, 1, 2)),  # turns of one step, starting with T3
        (5, (2, 2, 3, 3, 1, 1, 2, 3, 1)),  # turns of two steps, starting with T2
        (6, (1, 1, 1, 2, 2, 2, 3, 3, 3)),  # turns of three steps, starting with T1
    ],
)
def test_the_execution_number_determines_turn_length_and_first_thread(number, order):
    assert run(RoundRobin(), THREE, number=number) == order


def test_a_quantum_fixes_the_length_of_a_turn():
    assert run(RoundRobin(quantum=2), THREE, number=1) == (1, 1, 2, 2, 3, 3, 1, 2, 3)
    assert run(RoundRobin(quantum=2), THREE, number=3) == (3, 3, 1, 1, 2, 2, 3, 1, 2)


def test_a_blocked_thread_loses_its_turn():
    # T1 acquires the lock. T2 blocks on it and is skipped until T1 releases it.
    locked = [Do("acquire", "l"), Do("write", "x"), Do("release", "l")]
    assert run(RoundRobin(), [locked, locked, writes("y", 2)], number=1) == (1, 3, 1, 3, 1, 2, 2, 2)


def test_an_execution_depends_only_on_its_number():
    scheduler = RoundRobin()
    before = [run(scheduler, THREE, number=number) for number in range(1, 10)]
    assert [run(RoundRobin(), THREE, number=number) for number in range(1, 10)] == before


def test_a_quantum_of_zero_is_rejected():
    with pytest.raises(UsageError, match=r"the option 'quantum' of 'round-robin' takes a whole number of at least 1"):
        make_scheduler("round-robin:quantum=0", seed=1)
