"""Sync: the situations at a synchronization, by hand and against the definition."""

from __future__ import annotations

import random

from krena_sync_traces import CONDITION, LOCKS, SITE, Fed, RandomExecution, covered

from raddle.criteria.contention import Contention
from raddle.entities import make_entities
from raddle.site import Site

CALLS = {"up", "down", "put", "get", "task-done", "join-queue", "set", "clear", "wait-set"}


def sync(steps):
    return covered(Contention(), Fed(steps, make_entities()))


def test_visited():
    assert sync([(0, "acquire", 0, SITE + 1), (0, "release", 0, SITE + 1)]) == {(SITE + 1, "visited")}


def test_blocked_and_blocking():
    # Thread 0 is inside block B (site 2) when thread 1 comes to block A (site 1) of the same lock: A is blocked, B is
    # blocking, both are visited. The paper's three situations.
    steps = [
        (0, "acquire", 0, SITE + 2), (1, "blocked", 0, SITE + 1), (0, "release", 0, SITE + 2),
        (1, "acquire", 0, SITE + 1), (1, "release", 0, SITE + 1),
    ]  # fmt: skip
    expected = {(SITE + 1, "visited"), (SITE + 1, "blocked"), (SITE + 2, "visited"), (SITE + 2, "blocking")}
    assert sync(steps) == expected


def test_blocked_for_ever_is_visited_all_the_same():
    steps = [(0, "acquire", 0, SITE + 2), (1, "blocked", 0, SITE + 1)]
    assert (SITE + 1, "visited") in sync(steps)


def test_a_thread_that_waits_for_itself_is_not_in_its_own_way():
    steps = [(0, "acquire", 0, SITE + 2), (0, "blocked", 0, SITE + 1)]
    assert sync(steps) == {(SITE + 2, "visited"), (SITE + 1, "visited"), (SITE + 1, "blocked")}


def test_what_fails_and_what_is_acquired_again_is_visited_and_nothing_else():
    # Thread 0 has the lock twice. Thread 1 tries once without waiting, and once with a timeout: only the latter is
    # stopped by thread 0.
    steps = [(0, "acquire", 0, SITE + 1), (0, "reenter", 0, SITE + 2), (1, "failed", 0, SITE + 3)]
    visited = {(SITE + site, "visited") for site in (1, 2, 3)}
    assert sync(steps) == visited
    steps += [(1, "blocked", 0, SITE + 4), (1, "failed", 0, SITE + 4)]
    assert sync(steps) == visited | {(SITE + 4, "visited"), (SITE + 4, "blocked"), (SITE + 1, "blocking")}


def test_calls_of_other_primitives_are_visited_and_blocked_but_nobody_blocks():
    for kind in sorted(CALLS):
        assert sync([(0, kind, 0, SITE + 1)]) == {(SITE + 1, "visited")}
    steps = [(1, "blocked", 0, SITE + 1), (0, "put", 0, SITE + 2), (1, "get", 0, SITE + 1)]
    assert sync(steps) == {(SITE + 1, "visited"), (SITE + 1, "blocked"), (SITE + 2, "visited")}


def test_a_notification_is_heard_or_not():
    wait = [(1, "acquire", 0, SITE + 1), (1, "release", 0, SITE + 2), (1, "wait", 1, SITE + 2)]
    notify = (0, "notify", 1, SITE + 3)
    woken = [(1, "woken", 1, SITE + 2), (1, "acquire", 0, SITE + 2)]
    visited = {(SITE + site, "visited") for site in (1, 2, 3)}
    assert sync([*wait, notify, *woken]) == visited | {(SITE + 2, "notified"), (SITE + 3, "heard")}
    # After its timeout nobody waits any more.
    assert sync([*wait, (1, "acquire", 0, SITE + 2), notify]) == visited | {(SITE + 3, "unheard")}


def holder_at(steps, index, lock):
    """Who held a lock just before a step, and where it was acquired."""
    for thread, kind, target, site in reversed(steps[:index]):
        if target == lock and kind == "release":
            return None, 0
        if target == lock and kind == "acquire":
            return thread, site
    return None, 0


def waits_at(steps, index, thread, condition):
    """Did the last that the thread had to do with waiting before a step begin a wait?"""
    for who, kind, target, _ in reversed(steps[:index]):
        if who == thread and kind in ("woken", "acquire"):
            return False
        if (who, kind, target) == (thread, "wait", condition):
            return True
    return False


def by_definition(steps):
    keys = set()
    for index, (thread, kind, target, site) in enumerate(steps):
        if kind in CALLS | {"acquire", "blocked", "wait", "notify"}:
            keys.add((site, "visited"))
        if kind == "blocked":
            keys.add((site, "blocked"))
            holder, held_at = holder_at(steps, index, target)
            if target in LOCKS and holder not in (None, thread):
                keys.add((held_at, "blocking"))
        if kind == "woken":
            keys.add((site, "notified"))
        if kind == "notify":
            heard = any(waits_at(steps, index, other, CONDITION) for other in range(6))
            keys.add((site, "heard" if heard else "unheard"))
    return {key for key in keys if key[0]}


def test_agrees_with_the_definition_on_random_executions():
    rng = random.Random(80)
    criterion, situations = Contention(), set()
    for _ in range(2000):
        execution = RandomExecution(rng, length=rng.randrange(10, 60))
        expected = by_definition(execution.steps)
        situations |= {situation for _, situation in expected}
        assert covered(criterion, execution, rng=rng) == expected
    assert situations == {"visited", "blocked", "blocking", "notified", "heard", "unheard"}


def test_said():
    sites = {SITE + 1: Site("m.py", 11, 0, "call", "lock", "f", switchable=False)}
    explain = Contention().explain
    assert explain((SITE + 1, "visited"), sites) == "a thread reaches the synchronization at m.py:11"
    assert explain((SITE + 1, "blocking"), sites) == "another thread blocks on the lock acquired at m.py:11"
    for situation in ("blocked", "notified", "heard", "unheard"):
        assert "at m.py:11" in explain((SITE + 1, situation), sites)
