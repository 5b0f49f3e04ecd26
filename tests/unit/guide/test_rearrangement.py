"""Steps in another order: what is possible, and what is not."""

from __future__ import annotations

import pytest

from raddle.guide.rearrangement import ImpossibleError, Rearrangement

LOCK, X = 0, 0
A, B, C, D = 70001, 70002, 70003, 70004
BOTH_STARTED = [(0, "start", 1, 0), (1, "begin", 1, 0), (0, "start", 2, 0), (2, "begin", 2, 0)]


def order(other: Rearrangement) -> list[tuple[int, str]]:
    return [(thread, kind) for thread, kind, _, _ in other.steps]


def test_a_thread_is_started_before_it_runs():
    other = Rearrangement([*BOTH_STARTED, (1, "write", X, A), (2, "read", X, B)])
    other.run(2, 2)
    # T2 is the second that T0 starts, so T0 has to do both; T1 need not have begun.
    assert order(other) == [(0, "start"), (0, "start"), (2, "begin"), (2, "read")]


def test_a_join_waits_for_the_end():
    other = Rearrangement(
        [(0, "start", 1, 0), (1, "begin", 1, 0), (1, "write", X, A), (1, "end", 1, 0), (0, "join", 1, B)]
    )
    other.run(0, 2)
    assert order(other) == [(0, "start"), (1, "begin"), (1, "write"), (1, "end"), (0, "join")]


def locked(thread: int, site: int) -> list[tuple[int, str, int, int]]:
    return [(thread, "acquire", LOCK, site), (thread, "write", X, site + 10), (thread, "release", LOCK, site)]


def test_who_holds_a_lock_gives_it_back_first():
    other = Rearrangement([*BOTH_STARTED, *locked(1, A), *locked(2, B)])
    other.run(1, 2)  # begin, acquire
    other.run(2, 3)
    assert order(other)[-6:] == [
        (2, "begin"), (2, "blocked"), (1, "write"), (1, "release"), (2, "acquire"), (2, "write"),
    ]  # fmt: skip


def test_a_lock_whose_holder_stands_still_cannot_be_had():
    other = Rearrangement([*BOTH_STARTED, *locked(1, A), *locked(2, B)])
    other.run(1, 2)
    other.suspend(1)
    with pytest.raises(ImpossibleError):
        other.run(2, 3)


def test_what_is_taken_was_given():
    steps = [*BOTH_STARTED, (1, "put", 5, A), (2, "get", 5, B)]
    other = Rearrangement(steps)
    other.run(2, 2)
    assert order(other)[-3:] == [(1, "begin"), (1, "put"), (2, "get")]
    other.begin()
    other.suspend(1)
    with pytest.raises(ImpossibleError):
        other.run(2, 2)


def test_permits_that_were_there_at_first_need_nobody():
    # Two took one each and nobody gave any before: there were two.
    steps = [*BOTH_STARTED, (1, "down", 5, A), (2, "down", 5, B), (1, "up", 5, C)]
    other = Rearrangement(steps)
    other.suspend(1)
    other.run(2, 2)
    assert order(other)[-1] == (2, "down")


def test_only_a_later_notification_wakes():
    steps = [
        *BOTH_STARTED,
        (1, "wait", 5, A), (2, "notify", 5, B), (1, "woken", 5, A),
    ]  # fmt: skip
    other = Rearrangement(steps)
    other.run(2, 2)  # it notifies when nobody waits
    with pytest.raises(ImpossibleError):
        other.run(1, 3)


def test_run_on_stops_where_it_has_to():
    other = Rearrangement([*BOTH_STARTED, *locked(1, A), *locked(2, B), (2, "read", X, D)])
    other.run(1, 2)
    other.suspend(1)
    other.run_as_far_as_possible(2)
    assert order(other)[-2:] == [(2, "begin"), (2, "blocked")]
