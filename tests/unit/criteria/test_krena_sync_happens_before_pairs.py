"""The HBPair metric (pairs of synchronized sites): handwritten cases and a comparison with the definition."""

from __future__ import annotations

import random

import pytest
from krena_sync_traces import RESOURCES, SITE, HandwrittenExecution, RandomExecution, actors_of, covered

from raddle.criteria.happens_before_pairs import GIVERS, HappensBeforePairs, HappensBeforePairsByThread
from raddle.entities import AbstractObject, make_entities
from raddle.operation import OF_RANKS
from raddle.site import Site
from raddle.step import GIVES, TAKES

LOCK = AbstractObject("Lock", "m.py:1")


def hbpair(steps, criterion=HappensBeforePairs):
    return covered(criterion(), HandwrittenExecution(steps, make_entities(resources=[LOCK], actors=["main", "worker"])))


def test_every_taking_kind_has_a_giving_kind():
    assert set(GIVERS) == TAKES
    assert set(GIVERS.values()) == GIVES


@pytest.mark.parametrize(("take", "give"), sorted(GIVERS.items()))
def test_a_taking_step_pairs_with_the_last_giving_step(take, give):
    steps = [(0, give, 0, SITE + 1), (0, give, 0, SITE + 2), (1, take, 0, SITE + 3)]
    assert hbpair(steps) == {(SITE + 2, SITE + 3, LOCK)}


@pytest.mark.parametrize(("take", "give"), sorted(GIVERS.items()))
def test_steps_of_one_thread_do_not_pair(take, give):
    # Thread 0 performs a giving step first, but the taking thread itself performs the last one.
    assert hbpair([(0, give, 0, SITE + 1), (1, give, 0, SITE + 2), (1, take, 0, SITE + 3)]) == set()


def test_a_get_does_not_pair_with_a_task_done():
    steps = [(0, "put", 0, SITE + 1), (0, "task-done", 0, SITE + 2), (1, "get", 0, SITE + 3)]
    assert hbpair(steps) == {(SITE + 1, SITE + 3, LOCK)}


def test_start_and_join_pair_with_the_first_and_the_last_site():
    steps = [
        (0, "start", 1, SITE + 1), (1, "begin", 1, 0), (1, "get", 0, 0),  # the thread begins in code without probes
        (1, "enter", 0, SITE + 5), (1, "read", 0, SITE + 6), (1, "leave", 0, SITE + 7), (1, "end", 1, 0),
        (0, "read", 0, SITE + 8), (0, "join", 1, SITE + 2),
    ]  # fmt: skip
    assert hbpair(steps) == {(SITE + 1, SITE + 5, ""), (SITE + 7, SITE + 2, "")}


def test_a_thread_without_probes_makes_no_pair():
    steps = [(0, "start", 1, SITE + 1), (1, "begin", 1, 0), (1, "end", 1, 0), (0, "join", 1, SITE + 2)]
    assert hbpair(steps) == set()


def test_the_starred_metric_distinguishes_threads():
    steps = [(1, "begin", 1, 0), (0, "release", 0, SITE + 1), (1, "acquire", 0, SITE + 2)]
    (key,) = hbpair(steps, HappensBeforePairsByThread)
    assert key[:3] == (SITE + 1, SITE + 2, LOCK)
    assert (key[3].type, key[4].type) == ("main", "worker")


def by_definition(execution, *, starred):
    steps, actors, keys = execution.steps, actors_of(execution.steps), set()

    def pair(i, j, resource, *, first_site=None):
        given_at, taken_at = first_site or steps[i][3], steps[j][3]
        if steps[i][0] != steps[j][0] and given_at and taken_at:
            key = (given_at, taken_at, resource)
            threads = (execution.entities.thread(actors[i]), execution.entities.thread(actors[j]))
            keys.add((*key, *threads) if starred else key)

    for j, (thread, kind, target, site) in enumerate(steps):
        earlier = range(j - 1, -1, -1)
        if kind in GIVERS:
            giving = [i for i in earlier if steps[i][1:3] == (GIVERS[kind], target)]
            if giving:
                pair(giving[0], j, RESOURCES[target])
        if kind == "join":
            end = next(i for i in earlier if steps[i][:2] == (target, "end"))
            last = [steps[i][3] for i in range(end, -1, -1) if steps[i][0] == target and steps[i][3]]
            if last:
                pair(end, j, "", first_site=last[0])
        start = [i for i in earlier if steps[i][1:3] == ("start", thread)]
        if site and start and not any(step[0] == thread and step[3] for step in steps[:j]):
            pair(start[0], j, "")
    return keys


def test_coverage_agrees_with_the_definition_on_random_executions():
    rng = random.Random(60)
    plain, starred = HappensBeforePairs(), HappensBeforePairsByThread()
    taken = set()
    for _ in range(1200):
        execution = RandomExecution(rng, length=rng.randrange(10, 60))
        taken |= {kind for _, kind, _, _ in execution.steps}
        assert covered(plain, execution, rng=rng) == by_definition(execution, starred=False)
        assert covered(starred, execution, rng=rng) == by_definition(execution, starred=True)
    assert taken >= (GIVES | TAKES) - OF_RANKS | {"start", "join"}


def test_explain_says_how_the_threads_synchronize():
    sites = {SITE + n: Site("m.py", 10 + n, 0, "call", "lock", "f", switchable=False) for n in (1, 2)}
    key = (SITE + 1, SITE + 2, ("Lock", "m.py:1"))
    plain, starred = HappensBeforePairs(), HappensBeforePairsByThread()
    assert plain.explain(key, sites) == (
        "thread A at m.py:11 synchronizes with thread B at m.py:12 through the Lock made at m.py:1"
    )
    assert starred.explain((*key, ("main", "a1"), ("worker", "b2")), sites) == (
        "thread A (main#a1) at m.py:11 synchronizes with thread B (worker#b2) at m.py:12 through "
        "the Lock made at m.py:1"
    )
    assert plain.explain((SITE + 1, SITE + 2, ""), sites) == (
        "thread A at m.py:11 synchronizes with thread B at m.py:12 by a start or a join"
    )
