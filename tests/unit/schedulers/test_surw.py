"""The selectively uniform random walk: the probability of each order, derived by hand."""

from __future__ import annotations

import copy
import threading
from collections import Counter

import pytest
from fake_threads import Do, chi_square, every_order, run, uniform, writes

import raddle
from raddle.schedulers import make_scheduler
from raddle.schedulers.uniform_walk import COUNTING_EXECUTIONS, UniformWalk, interests

LOCKED = [Do("acquire", "l"), Do("write", "x"), Do("release", "l")]


def orders(programs, many):
    """Count the executions with each order, ignoring the initial executions, in which the scheduler counts steps."""
    walk = UniformWalk(seed=3)
    seen = [run(walk, programs, number=number) for number in range(1, many + COUNTING_EXECUTIONS + 1)]
    return Counter(seen[COUNTING_EXECUTIONS:])


@pytest.mark.parametrize("steps", [(1, 6), (5, 1), (3, 3), (3, 2, 1), (1, 1, 1, 1), (1, 1, 7)])
def test_all_interleavings_are_equally_likely_once_counts_are_known(steps):
    wanted = every_order(*steps)
    seen = orders([writes("x", count) for count in steps], 60 * len(wanted))
    # The expected statistic is n - 1, give or take the square root of 2(n - 1), where n is the number of orders.
    assert chi_square(seen, uniform(wanted)) < 2 * len(wanted) + 10


def test_a_plain_random_walk_is_far_from_uniform():
    # This shows that the test above can fail: a random walk runs the single step last with probability 1/64, not 1/7.
    walk = make_scheduler("random", seed=3)
    programs = [writes("x", 1), writes("x", 6)]
    seen = Counter(run(walk, programs, number=number) for number in range(1, 421))
    assert chi_square(seen, uniform(every_order(1, 6))) > 100


def test_the_steps_of_a_started_thread_count_for_its_parent():
    # T0 does two operations, starts T1, and does one more operation. T1 does two operations. T2 does one operation at
    # any time. Without T2 there are 3 orders of 5 operations each (T0's last operation can come before, between or
    # after T1's two). T2's operation can take any of 6 positions in each of them, so there are 18 orders.
    started = [Do("write", "x", after=(0, 2)), Do("write", "x")]
    programs = [writes("x", 3), started, writes("x", 1)]
    orders_without_t2 = [(0, 0, 0, 1, 1), (0, 0, 1, 0, 1), (0, 0, 1, 1, 0)]
    wanted = {(*order[:at], 2, *order[at:]) for order in orders_without_t2 for at in range(6)}
    assert len(wanted) == 18
    # If T2 runs before T1 is started, T0 then runs alone up to the start. The scheduler is not called for those steps,
    # so T0's count stays too high. The later steps are then not uniformly ordered, but T2's position is still uniform.
    merged = Counter()
    expected = {}
    for order in wanted:
        merged_order = order if order.index(2) > 1 else order.index(2)
        expected[merged_order] = expected.get(merged_order, 0) + 1 / 18
    for order, count in orders(programs, 1_800).items():
        merged[order if order.index(2) > 1 else order.index(2)] += count
    assert chi_square(merged, expected) < 38


def test_orders_of_one_variable_are_uniform_despite_accesses_to_others():
    # The first thread writes y four times and then x. The second thread writes x. Only one thread uses y, so y is not a
    # candidate. In half of the executions, the scheduler chooses uniformly among all orders of the operations: each of
    # the six positions of the second thread is equally likely. In the other half, it chooses uniformly between the two
    # orders of the writes to x. The thread that writes x first is drawn when the second thread is first considered. If
    # the second thread is drawn (probability 1/2), it runs at that point: after j writes with probability 1/2^(j+1),
    # but after all four with the remaining 1/16. Otherwise it runs last.
    seen = orders([[*writes("y", 4), *writes("x", 1)], writes("x", 1)], 3_000)
    places = Counter({order.index(2): count for order, count in seen.items()})
    wanted = {at: 1 / 12 + 1 / 4 * 2.0 ** -(at + 1) for at in range(4)}
    wanted |= {4: 1 / 12 + 1 / 4 * 1 / 16, 5: 1 / 12 + 1 / 4}
    assert sum(wanted.values()) == pytest.approx(1)
    assert chi_square(places, wanted) < 20


def test_interests_are_all_places_and_each_shared_variable():
    # x is read at one site and written at another, and these accesses conflicted. Only one thread uses y. Both threads
    # use z.
    counted = {"T1": {"read x": 2, "write x": 1, "y": 5, "z": 1}, "T2": {"write x": 3, "z": 4}}
    met = {"read x": "write x", "write x": "write x", "y": "y", "z": "z"}
    found = interests(counted, met)
    assert [(i.places, i.accounts["T1"], i.accounts["T2"]) for i in found] == [
        (None, 9, 7),
        ({"read x", "write x"}, 3, 3),
        ({"z"}, 1, 4),
    ]
    # T0 does nothing itself, so its count need not shrink as threads start.
    assert not any(i.nested for i in found)
    assert interests({**counted, "T0": {"z": 1}}, met)[0].nested
    assert interests({**counted, "T1.1": {"z": 1}}, met)[0].accounts == {"T0": 17, "T1": 10, "T1.1": 1, "T2": 7}


def test_threads_that_block_each_other_run_to_their_end():
    programs = [[*LOCKED, *writes("y", 1)], [*writes("y", 1), *LOCKED], [*LOCKED, *LOCKED]]
    seen = orders(programs, 500)
    assert sum(seen.values()) == 500
    assert {Counter(order)[3] for order in seen} == {6}
    assert len(seen) > 50


def test_more_steps_than_counted_still_reach_every_order():
    walk = UniformWalk(seed=3)
    for number in range(1, COUNTING_EXECUTIONS + 1):
        run(walk, [writes("x", 1), writes("x", 1)], number=number)
    longer = [writes("x", 2), writes("x", 2), writes("z", 2)]  # more steps, and one more thread
    seen = {run(walk, longer, number=number) for number in range(3, 2_000)}
    assert seen == every_order(2, 2, 2)


def test_counting_is_repeated_at_growing_intervals_when_points_are_added():
    walk = UniformWalk(seed=3)
    programs = [writes("x", 2), writes("x", 2)]
    # The scheduler counts steps in executions 1 and 2. The next count begins with execution 5, and the one after that
    # with execution 13.
    counting = []
    for number in range(1, 17):
        run(walk, programs, number=number, space=number)
        counting.append(walk.memory() is not None)
    assert [number for number, counted in enumerate(counting, 1) if counted] == [1, 2, 5, 6, 13, 14]
    quiet = UniformWalk(seed=3)
    for number in range(1, 17):
        run(quiet, programs, number=number, space=0)
    assert quiet.memory() is None


def test_after_counting_an_execution_depends_only_on_seed_and_number():
    programs = [writes("x", 4), [*writes("y", 2), *writes("x", 2)], writes("y", 3)]
    in_order, out_of_order = UniformWalk(5), UniformWalk(5)
    whole = [run(in_order, programs, number=number) for number in range(1, 20)]
    assert [run(out_of_order, programs, number=number) for number in range(1, 3)] == whole[:2]
    assert [run(out_of_order, programs, number=number) for number in (9, 4, 19)] == [whole[8], whole[3], whole[18]]
    assert len(set(whole)) > 10


def test_the_memory_of_a_child_process_advances_the_walk():
    programs = [writes("x", 4), [*writes("y", 2), *writes("x", 2)], writes("y", 3)]
    in_process, forked = UniformWalk(5), UniformWalk(5)
    for number in range(1, 20):
        forked.begin(number, 0)
        child = copy.deepcopy(forked)  # the copy a forked child would have; its choices do not affect the parent
        child.begin = lambda number, space: True
        child.end = lambda: None
        order = run(child, programs)
        forked.remember(child.memory())
        forked.end()
        assert order == run(in_process, programs, number=number)


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


def test_a_lost_update_among_unrelated_accesses_is_found_reproducibly():
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


def test_a_thread_is_not_held_back_forever_by_threads_waiting_in_a_loop():
    # If a waiting thread is drawn to write first, the thread that opens the gate is held back. If it were held back
    # forever, or for a thousand steps before each of its writes, the execution would reach the step limit.
    def scenario():
        gate = Gate()
        threads = [threading.Thread(target=body) for body in (gate.wait, gate.prepare, gate.wait)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    result = raddle.explore(scenario, scheduler="surw", executions=20, until="budget", seed=1, source=[__name__])
    assert (result.executions, result.outcome) == (20, "passed")


def test_the_scheduler_is_available_by_name():
    assert isinstance(make_scheduler("surw", seed=1), UniformWalk)
