"""The ConcurPairs metric (pairs of consecutive sites): handwritten cases and a comparison with the definition."""

from __future__ import annotations

import itertools
import random

from krena_sync_traces import SITE, HandwrittenExecution, RandomExecution, covered

from raddle.criteria.concurrent_pairs import ConcurrentPairs
from raddle.entities import make_entities
from raddle.site import Site

NOT_MONITORED = {"enter", "leave", "block", "blocked", "begin", "task", "end"}


def pairs(steps):
    return covered(ConcurrentPairs(), HandwrittenExecution(steps, make_entities()))


def test_a_pair_records_whether_the_thread_changed():
    steps = [(0, "read", 0, SITE + 1), (0, "write", 0, SITE + 2), (1, "acquire", 0, SITE + 1)]
    assert pairs(steps) == {(SITE + 1, SITE + 2, False), (SITE + 2, SITE + 1, True)}


def test_steps_that_are_not_monitored_do_not_separate_a_pair():
    between = [(1, kind, 0, SITE + 9) for kind in sorted(NOT_MONITORED)] + [(1, "read", 0, 0)]
    assert pairs([(0, "read", 0, SITE + 1), *between, (0, "read", 0, SITE + 2)]) == {(SITE + 1, SITE + 2, False)}


def by_definition(steps):
    monitored = [(thread, site) for thread, kind, _, site in steps if kind not in NOT_MONITORED and site]
    return {(a[1], b[1], a[0] != b[0]) for a, b in itertools.pairwise(monitored)}


def test_coverage_agrees_with_the_definition_on_random_executions():
    rng = random.Random(70)
    criterion = ConcurrentPairs()
    for _ in range(2000):
        execution = RandomExecution(rng, length=rng.randrange(10, 60))
        assert covered(criterion, execution, rng=rng) == by_definition(execution.steps)


def test_explain_says_which_thread_follows():
    sites = {SITE + n: Site("m.py", 10 + n, 0, "read", "x", "f", switchable=False) for n in (1, 2)}
    explain = ConcurrentPairs().explain
    assert (
        explain((SITE + 1, SITE + 2, True), sites)
        == "thread A executes m.py:11, and immediately afterwards thread B executes m.py:12"
    )
    assert explain((SITE + 1, SITE + 2, False), sites) == (
        "thread A executes m.py:11, and immediately afterwards the same thread executes m.py:12"
    )
