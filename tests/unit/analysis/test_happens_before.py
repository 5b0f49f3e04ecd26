"""Vector clocks, compared with the transitive closure of the happens-before edges."""

from __future__ import annotations

import random

import pytest

from raddle.analysis.happens_before import MAX_ENDED, ORDERING, HappensBefore
from raddle.step import GIVES, TAKES

KINDS = [*sorted(GIVES | TAKES), "read"]


def random_trace(rng, *, length, resources=3, started=6, strangers=1):
    """Return random steps (thread, kind, target), including starts, ends and joins.

    No start is recorded for the first `strangers` threads after thread 0.
    """
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


def is_ordered(earlier, later):
    """Return whether there is, by definition, a happens-before edge from the earlier step to the later one."""
    thread, kind, target = earlier
    return (
        thread == later[0]
        or (kind in GIVES and later[1] in TAKES and target == later[2])
        or (kind == "start" and target == later[0])
        or (kind == "end" and later[1] == "join" and thread == later[2])
    )


def closure(trace):
    """Return, for each step, the indices of all steps that happen before it."""
    before = []
    for j, later in enumerate(trace):
        found = set()
        for i in range(j):
            if is_ordered(trace[i], later):
                found |= before[i] | {i}
        before.append(found)
    return before


def clocks(trace):
    order, epochs, before = HappensBefore(), [], []
    for thread, kind, target in trace:
        order.thread_clock(thread)
        epoch = order.epoch(thread)  # taken before the step, since a giving step publishes its own epoch
        order.step(thread, kind, target)
        if kind != "end":
            before.append({i for i, earlier in enumerate(epochs) if order.is_before(earlier, thread)})
        else:
            before.append(None)  # the thread has ended; its clock is checked through the threads that join it
        epochs.append(epoch)
    return before


def agree(trace):
    for j, (brute, fast) in enumerate(zip(closure(trace), clocks(trace), strict=True)):
        if fast is not None and brute != fast:
            return f"step {j} of {trace}: {sorted(brute ^ fast)}"
    return ""


def test_clocks_agree_with_the_closure_on_random_traces():
    rng = random.Random(20)
    observed_kinds = set()
    for number in range(3000):
        trace = random_trace(rng, length=rng.randrange(5, 30), strangers=number % 3)
        observed_kinds |= {kind for _, kind, _ in trace}
        assert not agree(trace)
    assert observed_kinds >= ORDERING | {"begin"}


def test_clocks_agree_with_the_closure_when_slots_are_reused():
    # These traces have more threads and fewer resources than those above, so clock slots are reused.
    rng = random.Random(21)
    for _ in range(60):
        assert not agree(random_trace(rng, length=120, resources=2, started=40, strangers=0))


@pytest.mark.parametrize(
    "pair",
    ["release acquire", "notify woken", "set wait-set", "up down", "put get", "task-done join-queue"],
)
def test_each_giving_step_orders_the_taking_step(pair):
    # Thread 0 performs a giving step on resource 5, and then thread 1 performs a taking step on it. Steps of thread 0
    # before the giving step happen before thread 1's next step. Steps after the giving step do not.
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


def test_a_taking_step_is_ordered_after_all_givers():
    # Two unsynchronized threads put items into a queue. Both puts happen before thread 2's get.
    order = HappensBefore()
    epochs = [order.epoch(thread) for thread in (0, 1)]
    order.step(0, "put", 5)
    order.step(1, "put", 5)
    order.step(2, "get", 5)
    assert [order.is_before(epoch, 2) for epoch in epochs] == [True, True]


def test_joined_threads_free_their_slots():
    # Each thread is joined before the next one starts, so two slots are enough for a thousand threads.
    order = HappensBefore()
    for thread in range(1, 1001):
        order.step(0, "start", thread)
        order.step(thread, "acquire", 3)
        order.step(thread, "release", 3)
        order.step(thread, "end", thread)
        order.step(0, "join", thread)
    assert len(order.thread_clock(0).clock) <= 2
    assert set(order.thread_clocks) == {0}


def test_the_number_of_slots_of_unjoined_threads_is_bounded():
    order = HappensBefore()
    for thread in range(1, 1001):
        order.step(0, "start", thread)
        order.step(thread, "acquire", 3)
        order.step(thread, "release", 3)
        order.step(thread, "end", thread)
    order.step(0, "acquire", 3)
    assert len(order.thread_clock(0).clock) <= MAX_ENDED + 2


def test_a_forgotten_thread_counts_as_happening_before():
    # Thread 1 ends and is never joined. It counts as happening before thread 0's next step only once `MAX_ENDED` other
    # threads have ended.
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


def test_a_thread_without_a_recorded_start_can_join_a_thread_whose_slot_was_reused():
    # Thread 2 reuses the slot of thread 1, which thread 0 has joined. Thread 3 has no recorded start and also joins
    # thread 1.
    order = HappensBefore()
    order.step(0, "start", 1)
    epoch = order.epoch(1)
    order.step(1, "end", 1)
    order.step(0, "join", 1)
    order.step(0, "start", 2)
    assert not order.is_before(epoch, 3)
    order.step(3, "join", 1)
    assert order.is_before(epoch, 3)


def test_threads_that_reuse_a_slot_are_distinguished():
    # Thread 2 reuses the slot of thread 1, which thread 0 has joined. Thread 1's steps happen before thread 0's next
    # step, but thread 2's do not.
    order = HappensBefore()
    order.step(0, "start", 1)
    first = order.epoch(1)
    order.step(1, "end", 1)
    order.step(0, "join", 1)
    order.step(0, "start", 2)
    second = order.epoch(2)
    assert second[0] == first[0]
    assert (order.is_before(first, 0), order.is_before(second, 0)) == (True, False)
