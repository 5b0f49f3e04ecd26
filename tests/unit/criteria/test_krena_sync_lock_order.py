"""GoodLock: nested locking, by hand and against the definition."""

from __future__ import annotations

import random

from krena_sync_traces import RESOURCES, SITE, Fed, RandomExecution, actors_of, covered

from raddle.criteria.lock_order import GoodLock, GoodLockByThread
from raddle.entities import AbstractObject, make_entities
from raddle.site import Site

ONE, OTHER = AbstractObject("Lock", "m.py:1"), AbstractObject("Lock", "m.py:2")


def goodlock(steps, criterion=GoodLock):
    entities = make_entities(resources=[ONE, OTHER, OTHER], actors=["main", "worker"])
    return covered(criterion(), Fed(steps, entities))


def test_a_lock_acquired_while_another_is_held():
    steps = [(1, "acquire", 0, SITE + 1), (1, "acquire", 1, SITE + 2)]
    assert goodlock(steps) == {(SITE + 1, SITE + 2, ONE, OTHER)}


def test_every_lock_that_is_held_makes_a_pair():
    # 0, then 1, then 2: the pairs 0-1, 0-2 and 1-2; locks 1 and 2 have the same name.
    steps = [(1, "acquire", lock, SITE + lock) for lock in range(3)]
    expected = {(SITE, SITE + 1, ONE, OTHER), (SITE, SITE + 2, ONE, OTHER), (SITE + 1, SITE + 2, OTHER, OTHER)}
    assert goodlock(steps) == expected


def test_what_was_given_back_or_is_held_by_others_makes_none():
    given_back = [(1, "acquire", 0, SITE + 1), (1, "release", 0, SITE + 2), (1, "acquire", 1, SITE + 3)]
    assert goodlock(given_back) == set()
    by_others = [(0, "acquire", 0, SITE + 1), (1, "acquire", 1, SITE + 3)]
    assert goodlock(by_others) == set()


def test_the_thread_is_told_apart():
    steps = [(1, "begin", 1, 0), (1, "acquire", 0, SITE + 1), (1, "acquire", 1, SITE + 2)]
    (key,) = goodlock(steps, GoodLockByThread)
    assert key[:4] == (SITE + 1, SITE + 2, ONE, OTHER)
    assert key[4].type == "worker"


def test_a_request_is_enough():
    # Thread 1 has lock 0 and asks for lock 1, which thread 0 has and which asks for lock 0: neither gets it.
    acquired = [(1, "acquire", 0, SITE + 1), (0, "acquire", 1, SITE + 2)]
    expected = {(SITE + 1, SITE + 3, ONE, OTHER)}
    assert goodlock([*acquired, (1, "blocked", 1, SITE + 3)]) == expected
    assert goodlock([*acquired, (1, "failed", 1, SITE + 3)]) == expected
    both = [*acquired, (1, "blocked", 1, SITE + 3), (0, "blocked", 0, SITE + 4)]
    assert goodlock(both) == expected | {(SITE + 2, SITE + 4, OTHER, ONE)}


def test_a_lock_that_is_asked_for_again_by_its_holder_makes_no_pair():
    steps = [(1, "acquire", 0, SITE + 1), (1, "blocked", 0, SITE + 2), (1, "reenter", 0, SITE + 3)]
    assert goodlock(steps) == set()


def test_what_is_no_lock_makes_no_pair():
    assert goodlock([(1, "acquire", 0, SITE + 1), (1, "blocked", 1, SITE + 2), (1, "down", 1, SITE + 2)]) == set()


def by_definition(execution, *, starred):
    keys = set()
    locks = {lock for _, kind, lock, _ in execution.steps if kind == "acquire"}
    for j, (thread, kind, lock, site) in enumerate(execution.steps):
        if kind not in ("acquire", "blocked") or not site or lock not in locks:
            continue
        for i, (holder, earlier, held, held_at) in enumerate(execution.steps[:j]):
            between = [step[1:3] for step in execution.steps[i + 1 : j]]
            kept = held_at and held != lock and ("release", held) not in between
            if (holder, earlier) == (thread, "acquire") and kept:
                key = (held_at, site, RESOURCES[held], RESOURCES[lock])
                actor = actors_of(execution.steps)[j]
                keys.add((*key, execution.entities.thread(actor)) if starred else key)
    return keys


def test_agrees_with_the_definition_on_random_executions():
    rng = random.Random(50)
    plain, starred = GoodLock(), GoodLockByThread()
    for _ in range(1200):
        execution = RandomExecution(rng, length=rng.randrange(10, 60))
        assert covered(plain, execution, rng=rng) == by_definition(execution, starred=False)
        assert covered(starred, execution, rng=rng) == by_definition(execution, starred=True)


def test_said():
    sites = {SITE + n: Site("m.py", 10 + n, 0, "call", "lock", "f", switchable=False) for n in (1, 2)}
    key = (SITE + 1, SITE + 2, ("Lock", "m.py:1"), ("Lock", "m.py:2"))
    clause = "requests the Lock made at m.py:2 at m.py:12 while it holds the Lock made at m.py:1, acquired at m.py:11"
    assert GoodLock().explain(key, sites) == f"thread A {clause}"
    assert GoodLockByThread().explain((*key, ("worker", "a1")), sites) == f"thread A (worker#a1) {clause}"
