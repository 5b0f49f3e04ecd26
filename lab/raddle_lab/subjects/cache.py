"""A cache that evicts the least recently used entry."""

import threading

from raddle_lab.subjects import together


class Cache:
    def __init__(self, size):
        self.lock = threading.Lock()
        self.size = size
        self.values = {}
        self.order = []
        self.hits = 0
        self.misses = 0

    def get(self, key):
        with self.lock:
            if key not in self.values:
                self.misses += 1
                return None
            self.order.remove(key)
            self.order.append(key)
            self.hits += 1
            return self.values[key]

    def put(self, key, value):
        with self.lock:
            if key in self.values:
                self.order.remove(key)
            elif len(self.order) >= self.size:
                del self.values[self.order.pop(0)]
            self.order.append(key)
            self.values[key] = value

    def discard(self, key):
        with self.lock:
            if key in self.values:
                del self.values[key]
                self.order.remove(key)

    def keys(self):
        with self.lock:
            return sorted(self.values), sorted(self.order)


def scenario():
    cache = Cache(2)
    seen = []

    def reader():
        cache.get("a")
        cache.put("a", 1)
        cache.get("b")

    def writer():
        cache.put("b", 2)
        cache.put("c", 3)
        cache.get("b")

    def cleaner():
        cache.discard("b")
        seen.append(cache.keys())
        cache.discard("b")

    together(reader, writer, cleaner)
    seen.append(cache.keys())
    assert all(values == order for values, order in seen)
    assert cache.hits + cache.misses == 3
