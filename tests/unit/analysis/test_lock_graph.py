"""Cycles in the guarded lock graph: classic examples, and random executions compared with the definition."""

from __future__ import annotations

import itertools
import random

from raddle.analysis import lock_graph
from raddle.analysis.lock_graph import LockGraph
from raddle.analysis.lock_holders import LockHolders

A, B, C, G = 1, 2, 3, 9


def canonical(links):
    return min(tuple(links[i:] + links[:i]) for i in range(len(links)))


def cycles(steps):
    """Return all cycles in canonical form; each edge is a tuple (held lock, acquired at, requested at)."""
    graph = LockGraph()
    return {
        canonical([(edge.held, edge.held_at, edge.requested_at) for edge in cycle])
        for step in steps
        for cycle in graph.step(*step)
    }


def nested(thread, *locks, site):
    """Return steps that acquire nested locks at consecutive sites starting with `site`, and then release the locks."""
    acquires = [(thread, "acquire", lock, site + index) for index, lock in enumerate(locks)]
    return acquires + [(thread, "release", lock, 0) for lock in reversed(locks)]


def started(*threads):
    return [(0, "start", thread, 0) for thread in threads]


def test_two_locks_in_both_orders_make_a_cycle():
    steps = [*started(1, 2), *nested(1, A, B, site=10), *nested(2, B, A, site=20)]
    assert cycles(steps) == {((A, 10, 11), (B, 20, 21))}


def test_three_locks_in_a_ring_make_a_cycle():
    steps = started(1, 2, 3)
    steps += [*nested(1, A, B, site=10), *nested(2, B, C, site=20), *nested(3, C, A, site=30)]
    assert cycles(steps) == {((A, 10, 11), (B, 20, 21), (C, 30, 31))}


def test_a_common_gate_lock_prevents_the_cycle():
    steps = [*started(1, 2), *nested(1, G, A, B, site=10), *nested(2, G, B, A, site=20)]
    assert cycles(steps) == set()


def test_a_gate_lock_held_by_only_one_thread_prevents_nothing():
    steps = [*started(1, 2), *nested(1, G, A, B, site=10), *nested(2, B, A, site=20)]
    assert cycles(steps) == {((A, 11, 12), (B, 20, 21))}


def test_one_thread_alone_makes_no_cycle():
    assert cycles([*started(1), *nested(1, A, B, site=10), *nested(1, B, A, site=20)]) == set()


def test_lock_requests_ordered_by_a_start_make_no_cycle():
    # Thread 0 releases its locks before it starts thread 1.
    assert cycles([*nested(0, A, B, site=10), *started(1), *nested(1, B, A, site=20)]) == set()


def test_lock_requests_ordered_by_a_join_make_no_cycle():
    # Thread 1 ends and is joined before thread 2 starts.
    steps = [*started(1), *nested(1, A, B, site=10), (1, "end", 1, 0), (0, "join", 1, 0)]
    assert cycles([*steps, *started(2), *nested(2, B, A, site=20)]) == set()
    assert len(cycles([*started(2), *steps, *nested(2, B, A, site=20)])) == 1


def test_lock_requests_after_the_start_are_not_ordered():
    assert len(cycles([*started(1), *nested(0, A, B, site=10), *nested(1, B, A, site=20)])) == 1


def test_a_lock_held_across_the_start_can_be_part_of_a_cycle():
    # Thread 0 acquires A, starts thread 1 and requests B. Meanwhile, thread 1 can hold B and request A.
    steps = [(0, "acquire", A, 10), *started(1), (0, "acquire", B, 11), (0, "release", B, 0), (0, "release", A, 0)]
    assert cycles([*steps, *nested(1, B, A, site=20)]) == {((A, 10, 11), (B, 20, 21))}


def test_a_blocked_acquire_counts_as_a_request():
    # The execution ended in the deadlock, so neither thread got its second lock.
    steps = [(1, "acquire", A, 10), (2, "acquire", B, 20), (1, "blocked", B, 11), (2, "blocked", A, 21)]
    assert cycles([*started(1, 2), *steps]) == {((A, 10, 11), (B, 20, 21))}


def test_a_lock_released_by_another_thread_is_not_held():
    # Thread 2 releases the lock that thread 1 acquired, so thread 1 holds nothing when it requests B.
    steps = [(1, "acquire", A, 10), (2, "release", A, 0), (1, "acquire", B, 11), (1, "release", B, 0)]
    assert cycles([*started(1, 2), *steps, *nested(2, B, A, site=20)]) == set()


def test_a_hundred_philosophers_make_one_cycle():
    steps = started(*range(1, 101))
    for thread in range(1, 101):
        steps += nested(thread, thread, thread % 100 + 1, site=1000 + 10 * thread)
    (cycle,) = cycles(steps)
    assert len(cycle) == 100


def test_the_search_gives_up_on_too_many_cycles(monkeypatch):
    monkeypatch.setattr(lock_graph, "MAX_EDGE_VISITS", 100)
    graph = LockGraph()
    pairs = list(itertools.permutations(range(5), 2))  # twenty threads, one for each ordered pair of five locks
    steps = started(*range(1, 21))
    for thread, pair in enumerate(pairs, 1):
        steps += nested(thread, *pair, site=10)
    found = [cycle for step in steps for cycle in graph.step(*step)]
    assert graph.gave_up
    # Five locks form C(5, k) (k - 1)! cycles of length k. For k = 2, 3, 4 and 5, that makes 10 + 20 + 30 + 24 = 84.
    assert len(found) < 84


def test_all_84_cycles_of_five_locks_are_found():
    graph = LockGraph()
    steps = started(*range(1, 21))
    for thread, pair in enumerate(itertools.permutations(range(5), 2), 1):
        steps += nested(thread, *pair, site=10)
    assert len([cycle for step in steps for cycle in graph.step(*step)]) == 84
    assert not graph.gave_up


def test_only_the_last_edges_of_ended_threads_are_kept():
    graph = LockGraph()
    for thread in range(1, 1000):
        for step in [*started(thread), *nested(thread, A, B, site=10), (thread, "end", thread, 0)]:
            graph.step(*step)
    assert sum(len(alike) for out in graph._edges.values() for alike in out.values()) == lock_graph.MAX_ALIKE
    assert not graph._requested


def test_lock_holders_record_where_locks_were_acquired():
    held = LockHolders()
    held.acquire(1, A, 10)
    held.acquire(1, B, 11)
    assert (held.by(1), held.site(B), held.site(C)) == ({A: 10, B: 11}, 11, 0)
    held.acquire(2, A, 20)  # the release in between was not recorded
    assert (held.by(1), held.by(2), held.site(A)) == ({B: 11}, {A: 20}, 20)


def random_trace(rng):
    threads, ended, held, steps = [0, 1, 2], [], {}, started(1, 2)
    for _ in range(rng.randrange(10, 60)):
        thread = rng.choice(threads)
        chance = rng.random()
        own_locks = [lock for lock, holder in held.items() if holder == thread]
        if chance < 0.5:
            lock = rng.randrange(4)
            if lock not in held:
                held[lock] = thread
                steps.append((thread, "acquire", lock, rng.randrange(10, 13)))
            elif lock not in own_locks:
                steps.append((thread, "blocked", lock, rng.randrange(10, 13)))
        elif chance < 0.85 and own_locks:
            lock = rng.choice(own_locks if rng.random() < 0.9 else sorted(held))
            del held[lock]
            steps.append((thread, "release", lock, 0))
        elif chance < 0.92 and len(threads) + len(ended) < 6:
            new = len(threads) + len(ended)
            threads.append(new)
            steps += started(new)
        elif chance < 0.95 and len(threads) > 1:
            threads.remove(thread)
            ended.append(thread)
            steps.append((thread, "end", thread, 0))
        elif ended:
            steps.append((thread, "join", rng.choice(ended), 0))
    return steps


def by_definition(steps):
    """Return all cycles, computed from every pair of a held lock and a requested lock in the trace."""

    def orders(one, other):
        return (
            one[0] == other[0]
            or (one[1] == "start" and one[2] == other[0])
            or (one[1] == "end" and other[1] == "join" and one[0] == other[2])
        )

    before, edges, held_locks = [], set(), {}
    for j, (thread, kind, lock, site) in enumerate(steps):
        before.append({k for i in range(j) if orders(steps[i], steps[j]) for k in (*before[i], i)})
        if kind in ("acquire", "blocked"):
            own_locks = {other: index for other, (holder, index) in held_locks.items() if holder == thread}
            edges |= {
                (held, lock, steps[i][3], site, thread, frozenset(own_locks), i, j) for held, i in own_locks.items()
            }
        if kind == "acquire":
            held_locks[lock] = (thread, j)
        elif kind == "release":
            held_locks.pop(lock, None)

    def can_overlap(one, other):
        apart = one[4] != other[4] and not one[5] & other[5]
        return apart and one[7] not in before[other[6]] and other[7] not in before[one[6]]

    found = set()

    def extend(path):
        for edge in edges:
            if edge[0] == path[-1][1] and all(can_overlap(edge, other) for other in path):
                if edge[1] == path[0][0]:
                    found.add(canonical([(link[0], link[2], link[3]) for link in [*path, edge]]))
                extend([*path, edge])

    for edge in edges:
        extend([edge])
    return found


def test_cycles_agree_with_the_definition_on_random_traces():
    rng = random.Random(40)
    lengths = []
    for _ in range(2500):
        steps = random_trace(rng)
        expected = by_definition(steps)
        lengths += [len(cycle) for cycle in expected]
        assert cycles(steps) == expected, steps
    assert lengths.count(2) > 200
    assert lengths.count(3) > 20
