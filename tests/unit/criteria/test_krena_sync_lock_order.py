"""The GoodLock metric (nested locks): handwritten cases and a comparison with the definition."""

from __future__ import annotations

import random

from krena_sync_traces import RESOURCES, SITE, HandwrittenExecution, RandomExecution, actors_of, covered

from raddle.criteria.lock_order import GoodLock, GoodLockByThread
from raddle.entities import AbstractObject, make_entities
from raddle.site import Site

FIRST, SECOND = AbstractObject("Lock", "m.py:1"), AbstractObject("Lock", "m.py:2")


def goodlock(steps, criterion=GoodLock):
    entities = make_entities(resources=[FIRST, SECOND, SECOND], actors=["main", "worker"])
    return covered(criterion(), HandwrittenExecution(steps, entities))


def test_acquiring_a_lock_while_holding_another_covers_a_pair():
    steps = [(1, "acquire", 0, SITE + 1), (1, "acquire", 1, SITE + 2)]
    assert goodlock(steps) == {(SITE + 1, SITE + 2, FIRST, SECOND)}


def test_every_held_lock_makes_a_pair():
    # Acquiring locks 0, 1 and 2 in turn gives the pairs 0-1, 0-2 and 1-2. Locks 1 and 2 have the same description.
    steps = [(1, "acquire", lock, SITE + lock) for lock in range(3)]
    expected = {(SITE, SITE + 1, FIRST, SECOND), (SITE, SITE + 2, FIRST, SECOND), (SITE + 1, SITE + 2, SECOND, SECOND)}
    assert goodlock(steps) == expected


def test_released_locks_and_locks_of_other_threads_make_no_pair():
    released_before = [(1, "acquire", 0, SITE + 1), (1, "release", 0, SITE + 2), (1, "acquire", 1, SITE + 3)]
    assert goodlock(released_before) == set()
    held_by_another_thread = [(0, "acquire", 0, SITE + 1), (1, "acquire", 1, SITE + 3)]
    assert goodlock(held_by_another_thread) == set()


def test_the_starred_metric_distinguishes_threads():
    steps = [(1, "begin", 1, 0), (1, "acquire", 0, SITE + 1), (1, "acquire", 1, SITE + 2)]
    (key,) = goodlock(steps, GoodLockByThread)
    assert key[:4] == (SITE + 1, SITE + 2, FIRST, SECOND)
    assert key[4].type == "worker"


def test_a_request_that_is_not_granted_makes_a_pair():
    # Thread 1 holds lock 0 and requests lock 1. Thread 0 holds lock 1 and requests lock 0. Neither request succeeds.
    acquired = [(1, "acquire", 0, SITE + 1), (0, "acquire", 1, SITE + 2)]
    expected = {(SITE + 1, SITE + 3, FIRST, SECOND)}
    assert goodlock([*acquired, (1, "blocked", 1, SITE + 3)]) == expected
    assert goodlock([*acquired, (1, "failed", 1, SITE + 3)]) == expected
    both = [*acquired, (1, "blocked", 1, SITE + 3), (0, "blocked", 0, SITE + 4)]
    assert goodlock(both) == expected | {(SITE + 2, SITE + 4, SECOND, FIRST)}


def test_a_lock_requested_again_by_its_holder_makes_no_pair():
    steps = [(1, "acquire", 0, SITE + 1), (1, "blocked", 0, SITE + 2), (1, "reenter", 0, SITE + 3)]
    assert goodlock(steps) == set()


def test_resources_that_are_not_locks_make_no_pair():
    assert goodlock([(1, "acquire", 0, SITE + 1), (1, "blocked", 1, SITE + 2), (1, "down", 1, SITE + 2)]) == set()


def by_definition(execution, *, starred):
    keys = set()
    locks = {lock for _, kind, lock, _ in execution.steps if kind == "acquire"}
    for j, (thread, kind, lock, site) in enumerate(execution.steps):
        if kind not in ("acquire", "blocked") or not site or lock not in locks:
            continue
        for i, (holder, earlier, held, held_at) in enumerate(execution.steps[:j]):
            between = [step[1:3] for step in execution.steps[i + 1 : j]]
            still_held = held_at and held != lock and ("release", held) not in between
            if (holder, earlier) == (thread, "acquire") and still_held:
                key = (held_at, site, RESOURCES[held], RESOURCES[lock])
                actor = actors_of(execution.steps)[j]
                keys.add((*key, execution.entities.thread(actor)) if starred else key)
    return keys


def test_coverage_agrees_with_the_definition_on_random_executions():
    rng = random.Random(50)
    plain, starred = GoodLock(), GoodLockByThread()
    for _ in range(1200):
        execution = RandomExecution(rng, length=rng.randrange(10, 60))
        assert covered(plain, execution, rng=rng) == by_definition(execution, starred=False)
        assert covered(starred, execution, rng=rng) == by_definition(execution, starred=True)


def test_explain_names_both_locks_and_their_lines():
    sites = {SITE + n: Site("m.py", 10 + n, 0, "call", "lock", "f", switchable=False) for n in (1, 2)}
    key = (SITE + 1, SITE + 2, ("Lock", "m.py:1"), ("Lock", "m.py:2"))
    clause = "requests the Lock made at m.py:2 at m.py:12 while it holds the Lock made at m.py:1, acquired at m.py:11"
    assert GoodLock().explain(key, sites) == f"thread A {clause}"
    assert GoodLockByThread().explain((*key, ("worker", "a1")), sites) == f"thread A (worker#a1) {clause}"
