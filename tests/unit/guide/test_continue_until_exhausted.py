"""With default options, a saturated search without findings continues until it is exhausted, if few orders are left."""

from __future__ import annotations

import gc
import threading

import pytest

import raddle


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Box:
    def __init__(self):
        self.n = 0


def ping_pong():
    """Fails only if the two threads alternate six times in a row."""
    box = Box()

    def ping():
        for turn in (0, 2, 4):
            if box.n == turn:
                box.n = turn + 1

    def pong():
        for turn in (1, 3, 5):
            if box.n == turn:
                box.n = turn + 1

    side_by_side(ping, pong)
    assert box.n < 6


def locked(threads, times):
    def scenario():
        box, lock = Box(), threading.Lock()

        def count():
            for _ in range(times):
                with lock:
                    box.n += 1

        side_by_side(*[count] * threads)
        assert box.n == threads * times

    return scenario


def explore(scenario, **options):
    return raddle.explore(scenario, source=[__file__], **options)


def test_a_small_space_is_exhausted_and_its_totals_are_exact():
    result = explore(locked(2, 1))
    assert result.exhausted
    assert not result.findings
    assert result.orders["partial_orders"] == 2
    assert result.shares["reachability"]["executions"] == sum(result.orders.values())
    assert sum(share["executions"] for share in result.shares.values()) == result.executions
    assert {row["total_kind"] for row in result.criteria.values()} == {"exact"}
    assert result.chance_of_new == 0
    assert list(result.shares)[-1] == "reachability"  # reachability testing runs last


@pytest.mark.parametrize("seed", [1, 3])
def test_a_failure_that_needs_many_switches_is_found(seed):
    # If the saturated search found the failure, the program would be too easy for this test.
    assert not explore(ping_pong, seed=seed, until="saturated").findings
    result = explore(ping_pong, seed=seed)
    (finding,) = result.findings
    assert finding.kind == "assertion"
    assert result.shares["reachability"]["found"] == 1
    assert raddle.replay(ping_pong, finding.schedule, source=[__file__]).kind == "assertion"


def test_a_large_search_space_ends_saturated():
    result = explore(locked(4, 4))
    assert result.stopped_because == "saturated"
    assert not result.orders
    before = explore(locked(4, 4), until="saturated")
    assert before.executions < result.executions <= 2 * before.executions
    assert "reachability" in result.shares
    assert result.chance_of_new == before.chance_of_new  # the estimate ignores executions that were not random


def test_the_execution_budget_limits_the_exhaustive_part():
    saturated = explore(locked(4, 4), until="saturated").executions
    assert saturated < explore(locked(4, 4), executions=saturated + 5).executions <= saturated + 5


def test_a_search_with_a_finding_does_not_continue():
    def lost_update():
        box = Box()

        def count():
            box.n += 1

        side_by_side(count, count)
        assert box.n == 2

    result = explore(lost_update)
    assert result.findings
    assert result.stopped_because == "saturated"
    assert "reachability" not in result.shares


def test_a_scenario_without_threads_is_exhausted_at_once():
    result = explore(lambda: None)
    assert result.exhausted
    assert result.executions == 2  # one for the only partial order, one for its only interleaving
    assert explore(lambda: None, until="saturated").executions > 100  # an explicit option is respected


def test_executions_that_are_too_long_end_reachability_testing(monkeypatch):
    monkeypatch.setattr("raddle.schedulers.reachability.MAX_OPERATIONS", 5)
    result = explore(locked(2, 1))
    assert result.stopped_because == "saturated"
    assert result.shares["reachability"]["executions"] == 1
    assert not any("bound" in note for note in result.notes)


@pytest.mark.parametrize("options", [{"scheduler": "pos", "criteria": "map"}, {"scheduler": "directed"}])
def test_other_schedulers_do_not_continue_until_exhausted(options):
    assert not explore(locked(2, 1), executions=400, **options).exhausted


def test_a_search_for_the_first_finding_ends_when_exhausted():
    assert explore(locked(2, 1), until="first-finding").exhausted
    result = explore(locked(4, 4), until="first-finding")
    assert result.stopped_because == "executions"  # the portfolio continues after reachability testing gives up
    assert result.executions == 1000
    assert 0 < result.shares["reachability"]["executions"] < 300
    assert list(result.shares)[-1] == "reachability"


def test_a_search_for_the_first_finding_finds_what_needs_many_switches():
    result = explore(ping_pong, until="first-finding")
    assert result.stopped_because == "first-finding"
    assert result.shares["reachability"]["found"] == 1


def test_code_that_only_the_first_execution_runs_is_reported():
    made = []

    def scenario():
        if not made:
            made.append(Box())
            made[0].n = 1
        locked(2, 1)()

    result = explore(scenario)
    assert result.stopped_because == "exhausted-in-part"
    assert any("only the first execution" in note for note in result.notes)


def test_memory_does_not_grow_with_the_number_of_explorations(monkeypatch):
    monkeypatch.setattr("raddle.execute.installation.INSTALLATIONS_TO_COLLECT", 2)
    object_counts = []
    for _ in range(6):
        explore(locked(2, 1), executions=5, criteria="none", scheduler="random")
        explore(locked(2, 1), executions=5, criteria="none", scheduler="random")
        object_counts.append(len(gc.get_objects()))
    assert object_counts[-1] <= object_counts[1] + 200


def test_a_thread_that_never_yields_does_not_exceed_the_time_budget():
    def scenario():
        box = Box()

        def count():
            box.n += 1

        side_by_side(count, count)
        lost = box.n == 1
        while lost:
            pass

    result = explore(scenario, seconds=0.5, patience_seconds=0.2, scheduler="random", until="budget")
    assert result.stopped_because == "seconds"
    assert not result.findings
    (note,) = [note for note in result.notes if "was not counted" in note]
    assert "test_continue_until_exhausted.py" in note
