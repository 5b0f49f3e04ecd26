"""`HeldLocks`, which tracks the locks that each thread holds."""

from __future__ import annotations

import random

from raddle.analysis.locksets import HeldLocks


def test_a_returned_set_does_not_change_later():
    held = HeldLocks()
    held.acquired(1, 7)
    before = held.by(1)
    held.acquired(1, 8)
    held.released(1, 7)
    assert before == {7}
    assert held.by(1) == {8}


def test_locks_may_be_released_in_any_order_and_by_any_thread():
    held = HeldLocks()
    for lock in (1, 2, 3):
        held.acquired(0, lock)
    held.released(0, 1)
    held.released(5, 3)  # thread 5 releases a lock that thread 0 holds
    assert held.by(0) == {2}
    assert held.by(5) == set()


def test_an_acquire_replaces_the_holder_even_without_a_recorded_release():
    held = HeldLocks()
    held.acquired(1, 7)
    held.acquired(2, 7)
    assert (held.by(1), held.by(2)) == (set(), {7})


def test_releasing_a_free_lock_changes_nothing():
    held = HeldLocks()
    held.released(1, 7)
    held.acquired(1, 8)
    held.released(1, 7)
    assert held.by(1) == {8}


def test_held_locks_agree_with_a_search_of_the_whole_trace():
    # By definition, a thread holds a lock if the last step on that lock is an acquire by that thread.
    choose = random.Random(4)
    for _ in range(300):
        held, steps = HeldLocks(), []
        for _ in range(30):
            thread, lock = choose.randrange(3), choose.randrange(4)
            kind = choose.choice(["acquire", "release"])
            steps.append((thread, kind, lock))
            (held.acquired if kind == "acquire" else held.released)(thread, lock)
            for observed in range(3):
                last = {lock: (thread, kind) for thread, kind, lock in steps}
                assert held.by(observed) == {lock for lock, step in last.items() if step == (observed, "acquire")}
