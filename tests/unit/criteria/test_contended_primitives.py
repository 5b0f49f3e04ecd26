"""Tests of threads that reach an available primitive but block because another thread gets it first."""

from __future__ import annotations

import queue
import threading

import pytest

import raddle


def both(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def semaphore():
    permits, counts = threading.Semaphore(1), [0]

    def one():
        with permits:
            counts[0] += 1

    def other():
        with permits:
            counts[0] += 2

    both(one, other)


def full_queue():
    items = queue.Queue(1)

    def one():
        items.put(1)

    def other():
        items.put(2)

    threads = [threading.Thread(target=one), threading.Thread(target=other)]
    for thread in threads:
        thread.start()
    items.get()
    items.get()
    for thread in threads:
        thread.join()


def exhaust(scenario, criterion):
    result = raddle.explore(scenario, criteria=criterion, scheduler="exhaustive", until="exhausted", source=[__file__])
    assert result.criteria[criterion]["total_kind"] == "exact"
    return result.record


@pytest.mark.parametrize(("scenario", "names"), [(semaphore, {"permits"}), (full_queue, {"items.put"})])
def test_each_of_two_threads_can_be_blocked_by_the_other(scenario, names):
    # There is one permit, or room for one item, and the two threads can arrive in any order. So a thread can be blocked
    # at each of the two lines.
    record = exhaust(scenario, "sync")
    found = {
        (record.sites[site].line, situation)
        for site, situation in record.tally.covered["sync"]
        if situation == "blocked"
    }
    lines = {record.sites[site].line for site, _ in record.tally.covered["sync"] if record.sites[site].name in names}
    assert len(lines) == 2
    assert {line for line, _ in found} >= lines


def barrier():
    meeting = threading.Barrier(2)

    def one():
        meeting.wait()

    def other():
        meeting.wait()

    both(one, other)


def test_either_thread_can_be_the_last_to_arrive_at_a_barrier():
    # The last thread to arrive synchronizes with the waiting thread, and either thread can be last.
    record = exhaust(barrier, "hbpair")
    synchronized = {
        (record.sites[given].line, record.sites[taken].line)
        for given, taken, *by in record.tally.covered["hbpair"]
        if "meeting.wait" in (record.sites[given].name, record.sites[taken].name) and by[0]
    }
    assert len(synchronized) == 2
    assert synchronized == {(b, a) for a, b in synchronized}


def pool():
    """Run two tasks. In the first execution, one worker runs both, so no two threads share a variable."""
    from concurrent.futures import ThreadPoolExecutor

    lock, counts = threading.Lock(), [0]

    def add(number):
        with lock:
            counts[0] += number

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(add, (1, 2)))


def test_a_search_does_not_stop_while_there_is_nothing_to_cover():
    result = raddle.explore(pool, criteria="all", until="covered", executions=50, source=[__file__])
    assert result.executions == 50
