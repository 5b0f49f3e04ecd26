"""Classes that the tests of linearizability check. They are instrumented."""

from __future__ import annotations

import _thread
import threading
import time

from unwatched_objects import PlainRegistry


class Stack:
    """`pop` checks before it acts."""

    def __init__(self, *items):
        self.items = list(items)

    def push(self, item):
        self.items.append(item)

    def pop(self):
        if self.items:
            return self.items.pop()
        return None

    def size(self):
        return len(self.items)


class Counter:
    """`increment` reads and writes in two steps."""

    def __init__(self):
        self.value = 0

    def increment(self):
        self.value = value = self.value + 1
        return value

    def bump(self):
        self.value = self.value + 1


class LockedCounter(Counter):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def increment(self):
        with self.lock:
            return super().increment()


class Account:
    """`equals` takes the locks of both accounts."""

    def __init__(self):
        self.lock = threading.Lock()

    def equals(self, other):
        with self.lock, other.lock:
            return self is other


class Box:
    """`take` waits until something has been put."""

    def __init__(self):
        self.filled = threading.Condition()
        self.values = []

    def put(self, value):
        with self.filled:
            self.values.append(value)
            self.filled.notify()

    def take(self):
        with self.filled:
            while not self.values:
                self.filled.wait()
            return self.values.pop()

    def take_quietly(self):
        """Like `take`, but catch what `with` raises if the wait is aborted."""
        try:
            return self.take()
        except RuntimeError:
            return "the condition's lock was not held"


class Door:
    """`open` loses the notification if it checks before `close` and waits after it."""

    def __init__(self):
        self.closed = False
        self.event = threading.Event()

    def close(self):
        self.closed = True
        self.event.set()

    def wait_until_closed(self):
        if not self.closed:
            self.event.clear()
            self.event.wait()


class Registry(PlainRegistry):
    """`setdefault` checks in code without probes, and then acts under a lock."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def setdefault(self, key, value):
        if self.has(key):
            return self.get(key)
        with self.lock:
            self.put(key, value)
        return value


class GuardedRegistry(Registry):
    def setdefault(self, key, value):
        with self.lock:
            if not self.has(key):
                self.put(key, value)
            return self.get(key)


class Browser:
    """Starts its thread before it assigns what the thread reads."""

    def __init__(self):
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        self.handlers = []

    def run(self):
        for handler in self.handlers:
            handler()

    def count(self):
        return 0


class LowLevel(Browser):
    def __init__(self):
        _thread.start_new_thread(self.run, ())
        self.handlers = []


class Hopeless:
    """Starts a thread that fails in any case."""

    def __init__(self):
        threading.Thread(target=self.run).start()
        self.reads = 0

    def run(self):
        raise ValueError(self.count())

    def count(self):
        self.reads += 1
        return 0


class Poller:
    """Starts a thread that polls. Each poll can happen before, between and after the calls of a test."""

    def __init__(self):
        self.polls = 0
        self.stopped = False
        for _ in range(3):
            threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while not self.stopped:
            self.polls += 1
            time.sleep(1)

    def stop(self):
        self.stopped = True
