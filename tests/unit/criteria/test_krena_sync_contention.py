"""The Sync metric (situations at a synchronization operation): handwritten cases, compared with the definition."""

from __future__ import annotations

import random

from krena_sync_traces import CONDITION, LOCKS, SITE, HandwrittenExecution, RandomExecution, covered

from raddle.criteria.contention import Contention
from raddle.entities import make_entities
from raddle.site import Site

CALLS = {"up", "down", "put", "get", "task-done", "join-queue", "set", "clear", "wait-set"}


def sync(steps):
    return covered(Contention(), HandwrittenExecution(steps, make_entities()))


def test_an_uncontended_acquire_is_only_visited():
    assert sync([(0, "acquire", 0, SITE + 1), (0, "release", 0, SITE + 1)]) == {(SITE + 1, "visited")}


def test_a_contended_lock_is_blocked_and_blocking():
    # Thread 0 is inside critical section B (site 2) when thread 1 reaches section A (site 1), which uses the same lock.
    # A is blocked, B is blocking, and both are visited. These are the paper's three situations.
    steps = [
        (0, "acquire", 0, SITE + 2), (1, "blocked", 0, SITE + 1), (0, "release", 0, SITE + 2),
        (1, "acquire", 0, SITE + 1), (1, "release", 0, SITE + 1),
    ]  # fmt: skip
    expected = {(SITE + 1, "visited"), (SITE + 1, "blocked"), (SITE + 2, "visited"), (SITE + 2, "blocking")}
    assert sync(steps) == expected


def test_an_acquire_that_blocks_forever_is_visited():
    steps = [(0, "acquire", 0, SITE + 2), (1, "blocked", 0, SITE + 1)]
    assert (SITE + 1, "visited") in sync(steps)


def test_a_thread_that_deadlocks_with_itself_is_blocked_but_not_blocking():
    steps = [(0, "acquire", 0, SITE + 2), (0, "blocked", 0, SITE + 1)]
    assert sync(steps) == {(SITE + 2, "visited"), (SITE + 1, "visited"), (SITE + 1, "blocked")}


def test_failed_and_reentrant_acquires_are_only_visited():
    # Thread 0 holds the lock twice. Thread 1 tries to acquire it once without blocking and once with a timeout. Only
    # the second attempt is blocked by thread 0.
    steps = [(0, "acquire", 0, SITE + 1), (0, "reenter", 0, SITE + 2), (1, "failed", 0, SITE + 3)]
    visited = {(SITE + site, "visited") for site in (1, 2, 3)}
    assert sync(steps) == visited
    steps += [(1, "blocked", 0, SITE + 4), (1, "failed", 0, SITE + 4)]
    assert sync(steps) == visited | {(SITE + 4, "visited"), (SITE + 4, "blocked"), (SITE + 1, "blocking")}


def test_other_primitives_are_visited_and_blocked_but_never_blocking():
    for kind in sorted(CALLS):
        assert sync([(0, kind, 0, SITE + 1)]) == {(SITE + 1, "visited")}
    steps = [(1, "blocked", 0, SITE + 1), (0, "put", 0, SITE + 2), (1, "get", 0, SITE + 1)]
    assert sync(steps) == {(SITE + 1, "visited"), (SITE + 1, "blocked"), (SITE + 2, "visited")}


def test_a_notify_is_heard_only_while_a_thread_waits():
    wait = [(1, "acquire", 0, SITE + 1), (1, "release", 0, SITE + 2), (1, "wait", 1, SITE + 2)]
    notify = (0, "notify", 1, SITE + 3)
    woken = [(1, "woken", 1, SITE + 2), (1, "acquire", 0, SITE + 2)]
    visited = {(SITE + site, "visited") for site in (1, 2, 3)}
    assert sync([*wait, notify, *woken]) == visited | {(SITE + 2, "notified"), (SITE + 3, "heard")}
    # After the timeout, no thread is waiting.
    assert sync([*wait, (1, "acquire", 0, SITE + 2), notify]) == visited | {(SITE + 3, "unheard")}


def holder_at(steps, index, lock):
    """Return the thread that held `lock` just before step `index`, and the site of its acquire."""
    for thread, kind, target, site in reversed(steps[:index]):
        if target == lock and kind == "release":
            return None, 0
        if target == lock and kind == "acquire":
            return thread, site
    return None, 0


def waits_at(steps, index, thread, condition):
    """Return whether `thread` was waiting on `condition` just before step `index`."""
    for step_thread, kind, target, _ in reversed(steps[:index]):
        if step_thread == thread and kind in ("woken", "acquire"):
            return False
        if (step_thread, kind, target) == (thread, "wait", condition):
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


def test_coverage_agrees_with_the_definition_on_random_executions():
    rng = random.Random(80)
    criterion, situations = Contention(), set()
    for _ in range(2000):
        execution = RandomExecution(rng, length=rng.randrange(10, 60))
        expected = by_definition(execution.steps)
        situations |= {situation for _, situation in expected}
        assert covered(criterion, execution, rng=rng) == expected
    assert situations == {"visited", "blocked", "blocking", "notified", "heard", "unheard"}


def test_explain_names_the_line_of_the_synchronization():
    sites = {SITE + 1: Site("m.py", 11, 0, "call", "lock", "f", switchable=False)}
    explain = Contention().explain
    assert explain((SITE + 1, "visited"), sites) == "a thread reaches the synchronization operation at m.py:11"
    assert explain((SITE + 1, "blocking"), sites) == "another thread blocks on the lock acquired at m.py:11"
    for situation in ("blocked", "notified", "heard", "unheard"):
        assert "at m.py:11" in explain((SITE + 1, situation), sites)
