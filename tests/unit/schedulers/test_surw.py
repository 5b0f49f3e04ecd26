"""The selectively uniform random walk: how likely each order is, worked out by hand."""

from __future__ import annotations

import copy
import threading
from collections import Counter

import pytest
from fake_threads import Do, chi_square, even, every_order, run, writes

import raddle
from raddle.schedulers import make_scheduler
from raddle.schedulers.uniform_walk import COUNTING_EXECUTIONS, UniformWalk, interests

LOCKED = [Do("acquire", "l"), Do("write", "x"), Do("release", "l")]


def orders(programs, many):
    """How often each order comes up after the counting."""
    walk = UniformWalk(seed=3)
    seen = [run(walk, programs, number=number) for number in range(1, many + COUNTING_EXECUTIONS + 1)]
    return Counter(seen[COUNTING_EXECUTIONS:])


@pytest.mark.parametrize("steps", [(1, 6), (5, 1), (3, 3), (3, 2, 1), (1, 1, 1, 1), (1, 1, 7)])
def test_all_interleavings_are_equally_likely_once_counts_are_known(steps):
    wanted = every_order(*steps)
    seen = orders([writes("x", count) for count in steps], 60 * len(wanted))
    # Expected: the number of orders less one, give or take the root of twice that.
    assert chi_square(seen, even(wanted)) < 2 * len(wanted) + 10


def test_a_random_walk_is_far_from_that():
    # What the test before tells apart: the random walk has the one step last with probability 1/64, not 1/7.
    walk = make_scheduler("random", seed=3)
    programs = [writes("x", 1), writes("x", 6)]
    seen = Counter(run(walk, programs, number=number) for number in range(1, 421))
    assert chi_square(seen, even(every_order(1, 6))) > 100


def test_threads_started_later_count_for_their_parent():
    # T0 does two things, starts T1 (two things) and does one more; T2 does one thing meanwhile. Without T2
    # there are 3 orders (T0's last among T1's two), each of 5 operations, so T2 has 6 places: 18 orders.
    started = [Do("write", "x", after=(0, 2)), Do("write", "x")]
    programs = [writes("x", 3), started, writes("x", 1)]
    rests = [(0, 0, 0, 1, 1), (0, 0, 1, 0, 1), (0, 0, 1, 1, 0)]
    wanted = {(*rest[:at], 2, *rest[at:]) for rest in rests for at in range(6)}
    assert len(wanted) == 18
    # If T2 goes before T1 is started, T0 goes on alone to the start, unseen, and its account stays too high:
    # what comes after is not even then, but T2's place is.
    merged = Counter()
    expected = {}
    for order in wanted:
        what = order if order.index(2) > 1 else order.index(2)
        expected[what] = expected.get(what, 0) + 1 / 18
    for order, count in orders(programs, 1_800).items():
        merged[order if order.index(2) > 1 else order.index(2)] += count
    assert chi_square(merged, expected) < 38


def test_the_orders_of_one_variable_are_even_whatever_happens_elsewhere():
    # The first thread writes y four times (nobody else does: no candidate), then x; the second writes x.
    # Half of the executions are uniform over everything: the second has one of six places alike.
    # The other half is uniform over the two orders of x. Who is to write x first is drawn when the second
    # thread is first looked at: if it is itself (1/2), it goes then, after j writes with probability 1/2^(j+1),
    # but after all four with the rest, 1/16; otherwise it goes last.
    seen = orders([[*writes("y", 4), *writes("x", 1)], writes("x", 1)], 3_000)
    places = Counter({order.index(2): count for order, count in seen.items()})
    wanted = {at: 1 / 12 + 1 / 4 * 2.0 ** -(at + 1) for at in range(4)}
    wanted |= {4: 1 / 12 + 1 / 4 * 1 / 16, 5: 1 / 12 + 1 / 4}
    assert sum(wanted.values()) == pytest.approx(1)
    assert chi_square(places, wanted) < 20


def test_what_a_walk_can_be_interested_in():
    # x is read at one site and written at another, which met; y is used by one thread only; z by both.
    counted = {"T1": {"read x": 2, "write x": 1, "y": 5, "z": 1}, "T2": {"write x": 3, "z": 4}}
    met = {"read x": "write x", "write x": "write x", "y": "y", "z": "z"}
    found = interests(counted, met)
    assert [(i.places, i.accounts["T1"], i.accounts["T2"]) for i in found] == [
        (None, 9, 7),
        ({"read x", "write x"}, 3, 3),
        ({"z"}, 1, 4),
    ]
    # T0 does nothing of its own, so it needs no account that shrinks as threads start.
    assert not any(i.nested for i in found)
    assert interests({**counted, "T0": {"z": 1}}, met)[0].nested
    assert interests({**counted, "T1.1": {"z": 1}}, met)[0].accounts == {"T0": 17, "T1": 10, "T1.1": 1, "T2": 7}


def test_threads_that_block_one_another_come_to_an_end():
    programs = [[*LOCKED, *writes("y", 1)], [*writes("y", 1), *LOCKED], [*LOCKED, *LOCKED]]
    seen = orders(programs, 500)
    assert sum(seen.values()) == 500
    assert {Counter(order)[3] for order in seen} == {6}
    assert len(seen) > 50


def test_more_events_than_were_counted_are_no_trouble():
    walk = UniformWalk(seed=3)
    for number in range(1, COUNTING_EXECUTIONS + 1):
        run(walk, [writes("x", 1), writes("x", 1)], number=number)
    longer = [writes("x", 2), writes("x", 2), writes("z", 2)]  # and a thread more
    seen = {run(walk, longer, number=number) for number in range(3, 2_000)}
    assert seen == every_order(2, 2, 2)


def test_it_counts_again_when_points_were_added_but_not_all_the_time():
    walk = UniformWalk(seed=3)
    programs = [writes("x", 2), writes("x", 2)]
    # Counted in 1 and 2, then at the earliest in 5 and 6 (four have run by then), then in 13 and 14.
    counting = []
    for number in range(1, 17):
        run(walk, programs, number=number, space=number)
        counting.append(walk.memory() is not None)
    assert [number for number, counted in enumerate(counting, 1) if counted] == [1, 2, 5, 6, 13, 14]
    quiet = UniformWalk(seed=3)
    for number in range(1, 17):
        run(quiet, programs, number=number, space=0)
    assert quiet.memory() is None


def test_after_the_counting_an_execution_depends_on_seed_and_number_only():
    programs = [writes("x", 4), [*writes("y", 2), *writes("x", 2)], writes("y", 3)]
    one, other = UniformWalk(5), UniformWalk(5)
    whole = [run(one, programs, number=number) for number in range(1, 20)]
    assert [run(other, programs, number=number) for number in range(1, 3)] == whole[:2]
    assert [run(other, programs, number=number) for number in (9, 4, 19)] == [whole[8], whole[3], whole[18]]
    assert len(set(whole)) > 10


def test_it_keeps_its_memory_across_processes():
    programs = [writes("x", 4), [*writes("y", 2), *writes("x", 2)], writes("y", 3)]
    plain, apart = UniformWalk(5), UniformWalk(5)
    for number in range(1, 20):
        apart.begin(number, 0)
        child = copy.deepcopy(apart)  # what a forked child has; the parent sees nothing of its choices
        child.begin = lambda number, space: True
        child.end = lambda: None
        order = run(child, programs)
        apart.remember(child.memory())
        apart.end()
        assert order == run(plain, programs, number=number)


class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.money = 0
        self.log = 0

    def pay(self):
        for _ in range(3):
            with self.lock:
                self.log += 1
        value = self.money
        self.money = value + 1


def test_a_lost_update_among_other_things_is_found():
    def scenario():
        account = Account()
        threads = [threading.Thread(target=account.pay) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert account.money == 2

    first, second = (
        raddle.explore(scenario, scheduler="surw", executions=60, seed=1, source=[__name__]) for _ in range(2)
    )
    assert first.outcome == "assertion"
    assert (first.executions, str(first.findings[0].schedule)) == (second.executions, str(second.findings[0].schedule))


class Gate:
    def __init__(self):
        self.open = False
        self.passed = 0

    def wait(self):
        while not self.open:
            pass
        self.passed = self.passed + 1

    def prepare(self):
        for _ in range(60):
            self.passed = self.passed + 1
        self.open = True


def test_two_threads_that_wait_in_a_loop_are_not_waited_for_for_ever():
    # If one of those who wait is drawn to write first, the third is held back before what they wait for. Were
    # it held back for ever, or a thousand steps long before each of its writes, the limit on steps would show.
    def scenario():
        gate = Gate()
        threads = [threading.Thread(target=body) for body in (gate.wait, gate.prepare, gate.wait)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    result = raddle.explore(scenario, scheduler="surw", executions=20, until="budget", seed=1, source=[__name__])
    assert (result.executions, result.outcome) == (20, "passed")


def test_it_is_to_be_had_by_name():
    assert isinstance(make_scheduler("surw", seed=1), UniformWalk)
