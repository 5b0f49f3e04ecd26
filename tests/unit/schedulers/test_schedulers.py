"""Schedulers, run on fake threads that only count steps."""

from __future__ import annotations

import copy
import threading
from collections import Counter
from dataclasses import dataclass
from itertools import product

import pytest

import raddle
from raddle.errors import UsageError
from raddle.schedule import Schedule
from raddle.schedulers import make_scheduler
from raddle.schedulers.determinism import RunTwice
from raddle.schedulers.exhaustive import Exhaustive
from raddle.schedulers.fixed_decisions import FixedDecisions
from raddle.schedulers.pct import PCT
from raddle.schedulers.random_walk import RandomWalk
from raddle.schedulers.replay import Replay
from raddle.schedulers.sequential import Sequential


@dataclass(eq=False)
class Fake:
    index: int
    label: str = ""
    kind: str = "read"
    target: object = None
    name: str = "x"
    site: int = 0

    def __post_init__(self):
        self.label = self.label or f"T{self.index}"


def fakes(count):
    return [Fake(index) for index in range(1, count + 1)]


def walk(scheduler, steps, *, number=1, space=0):
    """Run threads with the given numbers of steps; return the thread index of each step, or None if exhausted."""
    if not scheduler.begin(number, space):
        return None
    threads = fakes(len(steps))
    left = dict(zip(threads, steps, strict=True))
    order, current = [], None
    while any(left.values()):
        enabled = [t for t in threads if left[t]]
        current = scheduler.choose(enabled, current) if len(enabled) > 1 else enabled[0]
        left[current] -= 1
        order.append(current.index)
        if not left[current]:
            current = None
    scheduler.end()
    return tuple(order)


def all_walks(scheduler, steps):
    found = []
    while (order := walk(scheduler, steps, number=len(found) + 1)) is not None:
        found.append(order)
    return found


def test_exhaustive_visits_every_order_once():
    # Two threads with two steps and one with one step: 5! / (2! 2! 1!) = 30 orders.
    found = all_walks(Exhaustive(), [2, 2, 1])
    wanted = {order for order in product((1, 2, 3), repeat=5) if Counter(order) == {1: 2, 2: 2, 3: 1}}
    assert len(found) == 30
    assert set(found) == wanted


def preemptions(order):
    last = {thread: max(i for i, t in enumerate(order) if t == thread) for thread in order}
    return sum(1 for i in range(len(order) - 1) if order[i] != order[i + 1] and last[order[i]] > i)


@pytest.mark.parametrize("bound", [0, 1, 2])
def test_exhaustive_with_a_bound_visits_exactly_the_orders_within_it(bound):
    search = Exhaustive(preemptions=bound)
    found = all_walks(search, [2, 3])
    wanted = {o for o in product((1, 2), repeat=5) if Counter(o) == {1: 2, 2: 3} and preemptions(o) <= bound}
    assert len(found) == len(wanted)
    assert set(found) == wanted
    assert search.cut == (bound < 4)


def test_exhaustive_restarts_when_scheduling_points_are_added():
    search = Exhaustive()
    first = walk(search, [1, 1], space=0)
    assert walk(search, [2, 1], number=2, space=1) == (1, 1, 2)
    assert first == (1, 2)


def test_exhaustive_advances_with_the_memory_of_a_child_process():
    search = Exhaustive()
    orders = []
    while search.begin(len(orders) + 1, 0):
        child = copy.deepcopy(search)  # the copy a forked child would have; its choices do not affect the parent
        child.begin = lambda number, space: True
        orders.append(walk(child, [2, 2]))
        search.remember(child.memory())
        search.end()
    assert len(orders) == len(set(orders)) == 6  # 4! / (2! 2!)


def test_random_walk_depends_only_on_seed_and_number():
    used, fresh = RandomWalk(5), RandomWalk(5)
    for number in range(1, 20):
        walk(used, [3, 3], number=number)
    assert walk(used, [4, 4], number=7) == walk(fresh, [4, 4], number=7)
    assert len({walk(fresh, [4, 4], number=n) for n in range(50)}) > 10


def test_pct_makes_at_most_depth_minus_one_changes():
    # Without change points a chosen thread runs to its end, so there is no preemption. Each change point adds at
    # most one.
    for depth in (1, 2, 3):
        for number in range(200):
            order = walk(PCT(3, depth=depth), [4, 4, 4], number=number)
            assert preemptions(order) <= depth - 1


def test_pct_reaches_every_order_of_its_depth():
    # Threads with one and two steps can run in three orders; the one with a preemption needs depth 2.
    pct = PCT(1, depth=2)
    assert {walk(pct, [1, 2], number=n) for n in range(300)} == {(1, 2, 2), (2, 2, 1), (2, 1, 2)}


def test_sequential_does_not_preempt():
    assert walk(Sequential(), [2, 2, 2]) == (1, 1, 2, 2, 3, 3)


def test_fixed_decisions_continue_without_preemption_after_the_last_decision():
    assert walk(FixedDecisions([2, 1, 2]), [2, 3]) == (2, 1, 2, 2, 1)


def test_fixed_decisions_report_the_first_impossible_decision():
    fixed = FixedDecisions([3])
    walk(fixed, [1, 1])
    assert fixed.differed == 0


def test_twice_runs_every_schedule_twice():
    twice = RunTwice(Exhaustive())
    found = all_walks(twice, [1, 1])
    assert found == [(1, 2), (1, 2), (2, 1), (2, 1)]
    assert twice.difference is None


def test_twice_reports_the_first_decision_that_differs():
    twice = RunTwice(Sequential())
    walk(twice, [2, 2], number=1)
    walk(twice, [2, 2, 1], number=2)
    assert (
        "decision 1: enabled in the first execution: T1 before read x, T2 before read x; in the second: "
        in twice.difference
    )


def follow(text, arrivals):
    """Feed arrivals (label, place, enabled labels) to a replay; return the chosen labels and the replay."""
    threads = {f"T{i}": Fake(i) for i in range(4)}
    places = {}
    replay = Replay(Schedule.parse(text), lambda t: places[t.label])
    chosen = []
    for label, place, enabled in arrivals:
        current = threads[label] if label else None
        if label:
            places[label] = place
        chosen.append(replay.choose([threads[e] for e in enabled], current).label)
    return chosen, replay


def test_replay_stops_a_thread_at_the_counted_arrival():
    chosen, replay = follow(
        "T1 until a.py:3 write x #2; T2.",
        [("T1", "a.py:3 write x", ["T1", "T2"]), ("T1", "a.py:3 write x", ["T1", "T2"])],
    )
    assert chosen == ["T1", "T2"]
    assert replay.divergence is None


def test_replay_says_why_it_diverged():
    _, ended = follow("T1 until a.py:3 write x; T2.", [(None, "", ["T2", "T3"])])
    assert ended.divergence == "T1 ended before it reached a.py:3 write x"
    _, waited = follow("T1 until a.py:3 write x; T2.", [("T1", "a.py:9 acquire", ["T2"])])
    assert waited.divergence == "T1 had to wait at a.py:9 acquire before it reached a.py:3 write x"
    _, unable = follow("T1; T3.", [("T1", "a.py:9 acquire", ["T2"])])
    assert (unable.divergence, unable.divergence_step) == ("T3 is not enabled here: only T2 can run", 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("randon", "there is no scheduler 'randon'; did you mean random?"),
        ("pct:depht=3", "the scheduler 'pct' has no option 'depht' (valid options: depth)"),
        ("pct:depth=x", "the option 'depth' of 'pct' takes a whole number of at least 1, not 'x'"),
        ("pct:depth=0", "the option 'depth' of 'pct' takes a whole number of at least 1, not '0'"),
        ("random:x=1", "the scheduler 'random' has no option 'x' (valid options: none)"),
        ("twice:foo", "there is no scheduler 'foo'"),
    ],
)
def test_a_wrong_name_or_option_is_explained(text, expected):
    with pytest.raises(UsageError) as caught:
        make_scheduler(text, seed=1)
    assert expected in str(caught.value)


@pytest.mark.parametrize("scheduler", ["exhaustive:preemptions=0", "twice:exhaustive:preemptions=0"])
def test_a_bounded_search_does_not_claim_to_be_exhausted(scheduler):
    def scenario():
        values = []
        threads = [threading.Thread(target=lambda: values.append(len(values))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    result = raddle.explore(scenario, scheduler=scheduler, until="exhausted", criteria="none", source=[__file__])
    assert result.stopped_because == "exhausted-within-bound"
