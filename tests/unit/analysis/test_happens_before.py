"""Vector clocks against the transitive closure of what the definition says."""

from __future__ import annotations

import random

import pytest

from raddle.analysis.happens_before import MAX_ENDED, ORDERING, HappensBefore
from raddle.step import GIVES, TAKES

KINDS = [*sorted(GIVES | TAKES), "read"]


def random_trace(rng, *, length, resources=3, started=6, strangers=1):
    """(thread, kind, target); threads are started, end and are joined, some come from nowhere."""
    alive, ended = list(range(1 + strangers)), []
    trace = [(thread, "read", 0) for thread in alive]
    next_thread = len(alive)
    while len(trace) < length and alive:
        thread = rng.choice(alive)
        chance = rng.random()
        if chance < 0.1 and next_thread < started:
            trace.append((thread, "start", next_thread))
            trace.append((next_thread, "begin", next_thread))
            alive.append(next_thread)
            next_thread += 1
        elif chance < 0.15 and len(alive) > 1:
            trace.append((thread, "end", thread))
            alive.remove(thread)
            ended.append(thread)
        elif chance < 0.25 and ended:
            trace.append((thread, "join", rng.choice(ended)))
        else:
            trace.append((thread, rng.choice(KINDS), rng.randrange(resources)))
    return trace


def hands_over(earlier, later):
    """Does the definition have an edge from one step to the later one?"""
    thread, kind, target = earlier
    return (
        thread == later[0]
        or (kind in GIVES and later[1] in TAKES and target == later[2])
        or (kind == "start" and target == later[0])
        or (kind == "end" and later[1] == "join" and thread == later[2])
    )


def closure(trace):
    """before[j]: the indices of all steps that happened before step j."""
    before = []
    for j, later in enumerate(trace):
        found = set()
        for i in range(j):
            if hands_over(trace[i], later):
                found |= before[i] | {i}
        before.append(found)
    return before


def clocks(trace):
    order, epochs, before = HappensBefore(), [], []
    for thread, kind, target in trace:
        order.thread_clock(thread)
        epoch = order.epoch(thread)  # a giving step belongs to what it gives
        order.step(thread, kind, target)
        if kind != "end":
            before.append({i for i, known in enumerate(epochs) if order.is_before(known, thread)})
        else:
            before.append(None)  # the thread is gone; what it knew shows in who joins it
        epochs.append(epoch)
    return before


def agree(trace):
    for j, (brute, fast) in enumerate(zip(closure(trace), clocks(trace), strict=True)):
        if fast is not None and brute != fast:
            return f"step {j} of {trace}: {sorted(brute ^ fast)}"
    return ""


def test_agrees_with_the_closure_on_random_traces():
    rng = random.Random(20)
    seen = set()
    for number in range(3000):
        trace = random_trace(rng, length=rng.randrange(5, 30), strangers=number % 3)
        seen |= {kind for _, kind, _ in trace}
        assert not agree(trace)
    assert seen >= ORDERING | {"begin"}


def test_agrees_with_the_closure_where_threads_come_and_go():
    # More threads than in the traces above, on few resources: slots are used again.
    rng = random.Random(21)
    for _ in range(60):
        assert not agree(random_trace(rng, length=120, resources=2, started=40, strangers=0))


@pytest.mark.parametrize(
    "pair",
    ["release acquire", "notify woken", "set wait-set", "up down", "put get", "task-done join-queue"],
)
def test_each_giving_step_orders_the_taking_one(pair):
    # Thread 0 gives on resource 5, thread 1 takes from it: what 0 did before is known then, what it did after is not.
    give, take = pair.split()
    order = HappensBefore()
    before = order.epoch(0)
    order.step(0, give, 5)
    after = order.epoch(0)
    order.step(1, take, 6)
    assert not order.is_before(before, 1)
    order.step(1, take, 5)
    assert order.is_before(before, 1)
    assert not order.is_before(after, 1)


def test_both_givers_are_known():
    # Two put into a queue without knowing of each other; whoever gets knows of both.
    order = HappensBefore()
    epochs = [order.epoch(thread) for thread in (0, 1)]
    order.step(0, "put", 5)
    order.step(1, "put", 5)
    order.step(2, "get", 5)
    assert [order.is_before(epoch, 2) for epoch in epochs] == [True, True]


def test_threads_that_are_joined_leave_nothing_behind():
    # One after the other, each joined before the next one starts: two slots are enough for a thousand threads.
    order = HappensBefore()
    for thread in range(1, 1001):
        order.step(0, "start", thread)
        order.step(thread, "acquire", 3)
        order.step(thread, "release", 3)
        order.step(thread, "end", thread)
        order.step(0, "join", thread)
    assert len(order.thread_clock(0).clock) <= 2
    assert set(order.thread_clocks) == {0}


def test_threads_that_nobody_joins_are_bounded():
    order = HappensBefore()
    for thread in range(1, 1001):
        order.step(0, "start", thread)
        order.step(thread, "acquire", 3)
        order.step(thread, "release", 3)
        order.step(thread, "end", thread)
    order.step(0, "acquire", 3)
    assert len(order.thread_clock(0).clock) <= MAX_ENDED + 2


def test_a_thread_that_was_forgotten_is_taken_as_known():
    # Thread 1 ends and nobody joins it. Thread 0 does not know of it, until too many others ended after it.
    order = HappensBefore()
    order.step(0, "start", 1)
    epoch = order.epoch(1)
    order.step(1, "end", 1)
    for thread in range(2, MAX_ENDED + 2):
        order.step(0, "start", thread)
        assert not order.is_before(epoch, 0)
        order.step(thread, "end", thread)
    order.step(0, "start", 1000)
    assert order.is_before(epoch, 0)


def test_a_thread_from_nowhere_can_join_one_that_was_forgotten():
    # Thread 2 takes over the slot of thread 1, which main joined. Thread 3, which nobody started, joins 1 as well.
    order = HappensBefore()
    order.step(0, "start", 1)
    epoch = order.epoch(1)
    order.step(1, "end", 1)
    order.step(0, "join", 1)
    order.step(0, "start", 2)
    assert not order.is_before(epoch, 3)
    order.step(3, "join", 1)
    assert order.is_before(epoch, 3)


def test_the_next_thread_in_a_slot_is_another_one():
    # Thread 1 is joined and leaves its slot to thread 2: main knows all of 1 and nothing of 2.
    order = HappensBefore()
    order.step(0, "start", 1)
    first = order.epoch(1)
    order.step(1, "end", 1)
    order.step(0, "join", 1)
    order.step(0, "start", 2)
    second = order.epoch(2)
    assert second[0] == first[0]
    assert (order.is_before(first, 0), order.is_before(second, 0)) == (True, False)
