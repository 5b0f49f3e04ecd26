"""Partial order sampling: the probability of each order, derived by hand."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from fake_threads import Do, Fake, chi_square, every_order, run, uniform, writes

import raddle
from raddle.schedulers import make_scheduler
from raddle.schedulers.partial_order_sampling import PartialOrderSampling, race

MANY = 4_000

# One thread keeps its priority while the other draws three priorities in turn. The kept priority is below the first j
# of them with probability 1/(j+1), because each of the j+1 is equally likely to be the lowest. So exactly j come before
# it with probability 1/(j+1) - 1/(j+2), and all three with probability 1/4.
KEPT = {0: 1 / 2, 1: 1 / 6, 2: 1 / 12, 3: 1 / 4}


def orders(programs):
    pos = PartialOrderSampling(seed=3)
    return Counter(run(pos, programs, number=number) for number in range(1, MANY + 1))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_all_orders_of_writers_of_one_variable_are_equally_likely(count):
    # All priorities have the same distribution, so each of the `count`! orders has the same probability.
    wanted = every_order(*[1] * count)
    assert chi_square(orders([writes("x", 1)] * count), uniform(wanted)) < 3 * len(wanted)


def position_of_second(programs):
    """Map each position of the second thread's only operation to the number of runs in which it had that position."""
    return Counter({order.index(2): count for order, count in orders(programs).items()})


@pytest.mark.parametrize(("first", "second"), [("write", "write"), ("write", "read"), ("read", "write")])
def test_the_loser_of_a_race_draws_a_new_priority(first, second):
    # At each step both threads have new priorities, so the second one runs next with probability 1/2.
    seen = position_of_second([[Do(first, "x")] * 3, [Do(second, "x")]])
    assert chi_square(seen, {0: 1 / 2, 1: 1 / 4, 2: 1 / 8, 3: 1 / 8}) < 12


@pytest.mark.parametrize(("first", "second"), [(("write", "y"), ("write", "x")), (("read", "x"), ("read", "x"))])
def test_an_operation_that_does_not_race_keeps_its_priority(first, second):
    seen = position_of_second([[Do(*first)] * 3, [Do(*second)]])
    assert chi_square(seen, KEPT) < 12


def test_a_thread_that_ran_alone_draws_a_new_priority():
    # After the first choice, the thread that was not chosen runs alone. At the next choice, it wins with probability
    # 1/2. If it had kept the lower of two priorities, it would win against a new one with probability 1/3.
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
    ("first", "second", "expected"),
    [
        (("read", "n"), ("read", "n"), False),
        (("read", "n"), ("write", "n"), True),
        (("delete", "n"), ("read", "n"), True),
        (("write", "n"), ("write", "m"), False),
        (("acquire", "n"), ("acquire", "m"), True),  # the names are left over from earlier accesses
        (("put", ""), ("get", ""), True),
        (("size", ""), ("size", ""), False),
        (("set", ""), ("is-set", ""), True),
    ],
)
def test_operations_race_if_they_conflict(first, second, expected):
    threads = [Fake(index, [Do(kind, "same")], {}) for index, (kind, _) in enumerate((first, second))]
    for thread, (_, name) in zip(threads, (first, second), strict=True):
        thread.name = name
    assert race(*threads) is expected
    assert race(*reversed(threads)) is expected


def test_threads_that_only_sleep_do_not_race():
    # A sleep has no target, so it cannot race. The sleeping thread keeps its priority, as it does if the threads access
    # different variables.
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


def test_an_execution_depends_only_on_seed_and_number():
    programs = [writes("x", 4), writes("x", 4), writes("y", 4)]
    used, fresh = PartialOrderSampling(5), PartialOrderSampling(5)
    for number in range(1, 20):
        run(used, programs, number=number)
    assert run(used, programs, number=7) == run(fresh, programs, number=7)
    assert len({run(fresh, programs, number=number) for number in range(50)}) > 25
    assert run(PartialOrderSampling(6), programs, number=7) != run(fresh, programs, number=7)


class Cell:
    def __init__(self):
        self.value = None


def test_both_orders_of_two_real_writes_occur():
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


def test_the_scheduler_is_available_by_name():
    assert isinstance(make_scheduler("pos", seed=1), PartialOrderSampling)
