"""Executions that skip cold sites still attribute operations to the right sites and variables."""

from __future__ import annotations

import heapq
import threading

import raddle


class Meeting:
    def __init__(self):
        self.barrier = threading.Barrier(2)
        self.done = [0, 0]

    def work(self, index):
        self.done[index] = 1
        self.barrier.wait()
        assert self.done == [1, 1]


def scenario():
    meeting = Meeting()
    threads = [threading.Thread(target=meeting.work, args=(index,)) for index in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_call_at_a_cold_site_is_not_attributed_to_the_site_before_it():
    """A random search, which soon skips cold sites, must not cover more than an exhaustive search."""
    everything = raddle.explore(scenario, source=[__file__], scheduler="exhaustive", criteria="sync", until="exhausted")
    assert everything.exhausted
    some = raddle.explore(
        scenario, source=[__file__], scheduler="random", criteria="sync", executions=100, until="budget"
    )
    assert set(some.tally.covered["sync"]) <= set(everything.tally.covered["sync"])
    assert some.tally.covered["sync"]


class Tasks:
    def __init__(self):
        self.heap = []

    def push(self, task):
        heapq.heappush(self.heap, task)

    def pop(self):
        if self.heap:
            heapq.heappop(self.heap)


def test_the_owner_of_a_container_is_known_in_every_execution():
    """The list takes its name from the constructor's write. That write never conflicts, so its site could be cold."""

    def scenario():
        tasks = Tasks()
        tasks.push(1)
        threads = [threading.Thread(target=tasks.pop) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    everything = raddle.explore(
        scenario, source=[__file__], criteria="map", scheduler="reachability", until="exhausted"
    ).tally.covered["map"]
    some = raddle.explore(
        scenario, source=[__file__], criteria="map", scheduler="random", executions=200, until="budget"
    ).tally.covered["map"]
    assert some.keys() <= everything.keys()
    assert {key[2] for key in everything} == {"heap[]"}
