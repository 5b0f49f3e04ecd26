"""Threaded programs to be timed: `threaded.py NAME` runs one and prints how many seconds its work took, as JSON."""

import json
import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

THREADS = 4


class Node:
    """An entry of the cache, in a doubly linked list."""

    def __init__(self, key: int, value: int) -> None:
        self.key = key
        self.value = value
        self.before: Node = self
        self.after: Node = self


class LeastRecentlyUsed:
    """A cache that is guarded by a single lock. Its methods mostly read and write attributes."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.lock = threading.Lock()
        self.nodes: dict[int, Node] = {}
        self.root = Node(-1, 0)
        self.hits = self.misses = 0

    def get(self, key: int) -> int:
        with self.lock:
            node = self.nodes.get(key)
            if node is not None:
                self.hits += 1
                self._unlink(node)
                self._link(node)
                return node.value
            self.misses += 1
            if len(self.nodes) >= self.size:
                oldest = self.root.after
                self._unlink(oldest)
                del self.nodes[oldest.key]
            node = self.nodes[key] = Node(key, key * key)
            self._link(node)
            return node.value

    def _unlink(self, node: Node) -> None:
        node.before.after = node.after
        node.after.before = node.before

    def _link(self, node: Node) -> None:
        last = self.root.before
        node.before, node.after = last, self.root
        last.after = self.root.before = node


def in_threads(*work: Callable[[], None]) -> None:
    threads = [threading.Thread(target=one) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def lru() -> int:
    """Look up keys in one cache from several threads."""
    cache = LeastRecentlyUsed(64)

    def look_up() -> None:
        key = 1
        for _ in range(15_000):
            key = (key * 75 + 74) % 65_537
            cache.get(key % 100)

    in_threads(*[look_up] * THREADS)
    return cache.hits + cache.misses


def producers() -> int:
    """Run producers and consumers that share a bounded queue, and add up the items under a lock."""
    items: queue.Queue[int | None] = queue.Queue(maxsize=100)
    lock = threading.Lock()
    total = 0

    def produce() -> None:
        for item in range(10_000):
            items.put(item)
        items.put(None)

    def consume() -> None:
        nonlocal total
        while (item := items.get()) is not None:
            with lock:
                total += item

    in_threads(produce, produce, consume, consume)
    return total


def pool() -> int:
    """Run many small tasks in a thread pool, each with its own objects."""

    def work(number: int) -> int:
        words = [str(number + offset) for offset in range(30)]
        lengths: dict[int, int] = {}
        for word in words:
            lengths[len(word)] = lengths.get(len(word), 0) + 1
        return sum(lengths.values())

    with ThreadPoolExecutor(THREADS) as executor:
        return sum(executor.map(work, range(4_000)))


PROGRAMS = {"lru": (lru, 60_000), "producers": (producers, 99_990_000), "pool": (pool, 120_000)}

if __name__ == "__main__":
    program, expected = PROGRAMS[sys.argv[1]]
    started = perf_counter()
    result = program()
    seconds = perf_counter() - started
    assert result == expected, f"{sys.argv[1]} gave {result}, not {expected}"
    print(json.dumps(seconds))
