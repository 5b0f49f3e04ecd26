"""Partial order sampling: how likely each order is, worked out by hand."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from fake_threads import Do, Fake, chi_square, even, every_order, run, writes

import raddle
from raddle.schedulers import make_scheduler
from raddle.schedulers.partial_order_sampling import PartialOrderSampling, race

MANY = 4_000

# One priority that is kept against three that are drawn one after the other. It is below the first j of them
# with probability 1/(j+1), as any of these j+1 is the lowest alike; so exactly j come before it with
# probability 1/(j+1) - 1/(j+2), and all three with 1/4.
KEPT = {0: 1 / 2, 1: 1 / 6, 2: 1 / 12, 3: 1 / 4}


def orders(programs):
    pos = PartialOrderSampling(seed=3)
    return Counter(run(pos, programs, number=number) for number in range(1, MANY + 1))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_all_orders_of_writers_of_one_variable_are_equally_likely(count):
    # All their priorities are drawn alike, so each of the count! orders has the same probability.
    wanted = every_order(*[1] * count)
    assert chi_square(orders([writes("x", 1)] * count), even(wanted)) < 3 * len(wanted)


def place_of_the_second(programs):
    """How many operations of the first thread come before the only one of the second."""
    return Counter({order.index(2): count for order, count in orders(programs).items()})


@pytest.mark.parametrize(("one", "other"), [("write", "write"), ("write", "read"), ("read", "write")])
def test_who_lost_a_race_draws_again(one, other):
    # At each step both threads have fresh priorities: the second comes now with probability 1/2.
    seen = place_of_the_second([[Do(one, "x")] * 3, [Do(other, "x")]])
    assert chi_square(seen, {0: 1 / 2, 1: 1 / 4, 2: 1 / 8, 3: 1 / 8}) < 12


@pytest.mark.parametrize(("one", "other"), [(("write", "y"), ("write", "x")), (("read", "x"), ("read", "x"))])
def test_what_does_not_race_keeps_its_priority(one, other):
    seen = place_of_the_second([[Do(*one)] * 3, [Do(*other)]])
    assert chi_square(seen, KEPT) < 12


def test_a_thread_that_went_on_alone_has_a_fresh_priority():
    # One of two loses; asked again after the loser ran alone, it wins with probability 1/2. Had it kept
    # the lower one of two priorities, it would win against a fresh one with probability 1/3.
    won = 0
    pos = PartialOrderSampling(seed=3)
    for number in range(MANY):
        pos.begin(number, 0)
        threads = [Fake(1, writes("x", 2), {}), Fake(2, writes("y", 2), {})]
        chosen = pos.choose(threads, None)
        loser = next(t for t in threads if t is not chosen)
        won += pos.choose(threads, loser) is loser
    assert abs(won / MANY - 1 / 2) < 0.04


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("read", "n"), ("read", "n"), False),
        (("read", "n"), ("write", "n"), True),
        (("delete", "n"), ("read", "n"), True),
        (("write", "n"), ("write", "m"), False),
        (("acquire", "n"), ("acquire", "m"), True),  # names are left over from accesses before
        (("put", ""), ("get", ""), True),
        (("size", ""), ("size", ""), False),
        (("set", ""), ("is-set", ""), True),
    ],
)
def test_what_races(one, other, expected):
    threads = [Fake(index, [Do(kind, "same")], {}) for index, (kind, _) in enumerate((one, other))]
    for thread, (_, name) in zip(threads, (one, other), strict=True):
        thread.name = name
    assert race(*threads) is expected
    assert race(*reversed(threads)) is expected


def test_threads_that_only_sleep_do_not_race():
    # With no target there is nothing to race for, so a sleeper keeps its priority: as with other variables.
    pos = PartialOrderSampling(seed=3)
    seen = Counter()
    for number in range(MANY):
        pos.begin(number, 0)
        threads = [Fake(1, writes("x", 9), {}), Fake(2, writes("x", 9), {})]
        for thread in threads:
            thread.kind, thread.target = "sleep", None
        before = 0
        current = None
        while before < 3 and (current := pos.choose(threads, current)) is threads[0]:
            before += 1
        seen[before] += 1
    assert chi_square(seen, KEPT) < 12


def test_the_same_seed_and_number_give_the_same_execution_whatever_came_before():
    programs = [writes("x", 4), writes("x", 4), writes("y", 4)]
    one, other = PartialOrderSampling(5), PartialOrderSampling(5)
    for number in range(1, 20):
        run(one, programs, number=number)
    assert run(one, programs, number=7) == run(other, programs, number=7)
    assert len({run(other, programs, number=number) for number in range(50)}) > 25
    assert run(PartialOrderSampling(6), programs, number=7) != run(other, programs, number=7)


class Cell:
    def __init__(self):
        self.value = None


def test_both_orders_of_two_real_writes_come_up():
    left = set()

    def scenario():
        cell = Cell()

        def write(value):
            cell.value = value

        threads = [threading.Thread(target=write, args=(value,)) for value in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        left.add(cell.value)

    raddle.explore(scenario, source=[__file__], scheduler="pos", executions=20, until="budget", seed=1)
    assert left == {"a", "b"}


def test_it_is_to_be_had_by_name():
    assert isinstance(make_scheduler("pos", seed=1), PartialOrderSampling)
