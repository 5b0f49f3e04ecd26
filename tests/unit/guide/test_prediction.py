"""The coverage predicted for other orders, compared with the coverage of actual executions."""

from __future__ import annotations

import threading

import raddle
from raddle.criteria import make_criteria
from raddle.entities import make_entities
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.guide.prediction import Prediction, labels_of, reads_from, shape_of
from raddle.instrument import Selection
from raddle.schedulers.directed import Directed
from raddle.schedulers.sequential import Sequential


class Pair:
    def __init__(self):
        self.a = 0
        self.b = 0
        self.seen = None
        self.lock = threading.Lock()

    def set(self):
        self.a = 1
        self.b = -1

    def look(self):
        a = self.a
        self.seen = (a, self.b)

    def set_locked(self):
        with self.lock:
            self.set()

    def look_locked(self):
        with self.lock:
            self.look()


def in_threads(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def unlocked():
    pair = Pair()
    in_threads(pair.set, pair.look)


def locked():
    pair = Pair()
    in_threads(pair.set_locked, pair.look_locked)


def one_execution(scenario, names):
    """Run one execution without preemption; return what it covers and all candidates predicted from it."""
    criteria = make_criteria(names)
    with Session(scenario, Threads(Selection(sources=(__file__,))).install(), measuring=True) as session:
        session.rehearse()
        session.rehearse()
        scheduler = Sequential()
        scheduler.begin(1, session.known_points.version)
        steps, entities = session.run_for(scheduler).observed
        early = session.model().early
    late = [step for step in steps if step[3] not in early]
    covered = {c.name: c.cover(tuple(late if c.late_only else steps), entities) for c in criteria}
    return covered, Prediction(steps, entities, criteria, early=early).candidates(covered, 1_000_000)


def all_covered(scenario, names):
    result = raddle.explore(scenario, source=[__file__], scheduler="exhaustive", criteria=names, until="exhausted")
    assert result.exhausted
    return {name: set(keys) for name, keys in result.tally.covered.items()}


def test_one_execution_predicts_everything_that_can_be_covered():
    names = ["map", "hbpair*", "du-pairs"]
    covered, candidates = one_execution(unlocked, names)
    predicted = {name: set(keys) for name, keys in covered.items()}
    for candidate in candidates:
        for name, keys in candidate.goals.items():
            predicted[name] |= keys
    possible = all_covered(unlocked, names)
    # The control flow of the two threads does not depend on any shared value, so the prediction is exact.
    assert predicted == possible


def test_a_lock_leaves_only_two_orders():
    covered, candidates = one_execution(locked, ["map"])
    predicted = covered["map"].union(*(candidate.goals.get("map", frozenset()) for candidate in candidates))
    assert predicted == all_covered(locked, ["map"])["map"]


def test_a_plan_is_followed():
    """The reader runs between the two writes. Only a plan guarantees that."""
    _, candidates = one_execution(unlocked, ["map"])
    half = max(candidates, key=lambda candidate: candidate.mixed)
    assert half.mixed[0] == 1  # `look` sees the new value of `a` and the old value of `b`
    observed = []

    def scenario():
        pair = Pair()
        in_threads(pair.set, pair.look)
        observed.append(pair.seen)

    with Session(scenario, Threads(Selection(sources=(__file__,))).install(), measuring=True) as session:
        for _ in range(2):
            session.rehearse()
        directed = Directed(1, lambda: half.plan)
        directed.begin(1, session.known_points.version)
        observed.clear()
        session.run_for(directed)
    assert observed == [(1, 0)]


def test_a_shape_ignores_the_order_of_steps():
    steps = [(1, "read", 5, 70001), (2, "write", 5, 70002), (1, "write", 5, 70003)]
    assert shape_of(steps) == shape_of([steps[0], steps[2], steps[1]])
    assert shape_of(steps) != shape_of(steps[:2])


def test_a_read_sees_the_last_write_of_any_thread():
    first, second, read = (1, "write", 5, 70001), (2, "write", 5, 70002), (3, "read", 5, 70003)
    assert reads_from([first, second, read]) != reads_from([second, first, read])
    assert reads_from([first, read, second]) != reads_from([read, first, second])


def test_threads_are_named_by_descent():
    assert labels_of([(0, "start", 1, 0), (1, "start", 2, 0), (1, "start", 3, 0)], "T") == {
        0: "T0", 1: "T1", 2: "T1.1", 3: "T1.2",
    }  # fmt: skip


def test_every_order_is_generated_once():
    """The generated orders include those in which a thread is preempted before its first step."""
    steps = [
        (0, "read", 0, 70001),
        (0, "start", 1, 0),
        (1, "begin", 1, 0),
        (1, "write", 0, 70002),
        (0, "read", 0, 70003),
    ]
    orders = list(Prediction(steps, make_entities(actors=["main", "other"]), [])._orders())
    assert len(orders) == len(set(orders)) > 0
