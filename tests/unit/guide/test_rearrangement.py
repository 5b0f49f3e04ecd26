"""Rearrangements of recorded steps: which orders are possible."""

from __future__ import annotations

import pytest

from raddle.guide.rearrangement import ImpossibleError, Rearrangement

LOCK, X = 0, 0
A, B, C, D = 70001, 70002, 70003, 70004
BOTH_STARTED = [(0, "start", 1, 0), (1, "begin", 1, 0), (0, "start", 2, 0), (2, "begin", 2, 0)]


def order(rearranged: Rearrangement) -> list[tuple[int, str]]:
    return [(thread, kind) for thread, kind, _, _ in rearranged.steps]


def test_a_thread_is_started_before_it_runs():
    rearranged = Rearrangement([*BOTH_STARTED, (1, "write", X, A), (2, "read", X, B)])
    rearranged.run(2, 2)
    # T2 is the second thread that T0 starts, so T0 must perform both starts. T1 need not have begun.
    assert order(rearranged) == [(0, "start"), (0, "start"), (2, "begin"), (2, "read")]


def test_a_join_waits_for_the_end():
    rearranged = Rearrangement(
        [(0, "start", 1, 0), (1, "begin", 1, 0), (1, "write", X, A), (1, "end", 1, 0), (0, "join", 1, B)]
    )
    rearranged.run(0, 2)
    assert order(rearranged) == [(0, "start"), (1, "begin"), (1, "write"), (1, "end"), (0, "join")]


def locked(thread: int, site: int) -> list[tuple[int, str, int, int]]:
    return [(thread, "acquire", LOCK, site), (thread, "write", X, site + 10), (thread, "release", LOCK, site)]


def test_a_lock_holder_releases_the_lock_first():
    rearranged = Rearrangement([*BOTH_STARTED, *locked(1, A), *locked(2, B)])
    rearranged.run(1, 2)  # begin, acquire
    rearranged.run(2, 3)
    assert order(rearranged)[-6:] == [
        (2, "begin"), (2, "blocked"), (1, "write"), (1, "release"), (2, "acquire"), (2, "write"),
    ]  # fmt: skip


def test_a_lock_held_by_a_suspended_thread_cannot_be_acquired():
    rearranged = Rearrangement([*BOTH_STARTED, *locked(1, A), *locked(2, B)])
    rearranged.run(1, 2)
    rearranged.suspend(1)
    with pytest.raises(ImpossibleError):
        rearranged.run(2, 3)


def test_a_get_runs_after_the_put_that_supplies_it():
    steps = [*BOTH_STARTED, (1, "put", 5, A), (2, "get", 5, B)]
    rearranged = Rearrangement(steps)
    rearranged.run(2, 2)
    assert order(rearranged)[-3:] == [(1, "begin"), (1, "put"), (2, "get")]
    rearranged.begin()
    rearranged.suspend(1)
    with pytest.raises(ImpossibleError):
        rearranged.run(2, 2)


def test_initial_permits_need_no_release():
    # Two threads each acquire a permit before any release, so there must have been two initial permits.
    steps = [*BOTH_STARTED, (1, "down", 5, A), (2, "down", 5, B), (1, "up", 5, C)]
    rearranged = Rearrangement(steps)
    rearranged.suspend(1)
    rearranged.run(2, 2)
    assert order(rearranged)[-1] == (2, "down")


def test_only_a_later_notification_wakes_a_waiting_thread():
    steps = [
        *BOTH_STARTED,
        (1, "wait", 5, A), (2, "notify", 5, B), (1, "woken", 5, A),
    ]  # fmt: skip
    rearranged = Rearrangement(steps)
    rearranged.run(2, 2)  # T2 notifies while no thread is waiting
    with pytest.raises(ImpossibleError):
        rearranged.run(1, 3)


def test_running_as_far_as_possible_stops_at_a_held_lock():
    rearranged = Rearrangement([*BOTH_STARTED, *locked(1, A), *locked(2, B), (2, "read", X, D)])
    rearranged.run(1, 2)
    rearranged.suspend(1)
    rearranged.run_as_far_as_possible(2)
    assert order(rearranged)[-2:] == [(2, "begin"), (2, "blocked")]
