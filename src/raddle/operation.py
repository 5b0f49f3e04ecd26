"""Operations: the one list of what a thread can be about to do."""

from __future__ import annotations

ACCESSES = frozenset({"read", "write", "delete"})

# What gives something back, by the kind of resource. Nobody can tell when exactly it happens, unless
# somebody looks without blocking (a try-acquire, `is_set`, `is_alive`): Lipton's left-movers. So these
# are scheduling points only for kinds of resource that were seen looked at.
GIVING: dict[str, str] = {
    "release": "lock",
    "up": "semaphore",
    "set": "event",
    "before-wait": "event",  # gives nothing back, but nobody can tell either, unless somebody clears the event
    "start": "thread",
    "end": "thread",
}

# What a thread that waits is said to wait for.
WAITING: dict[str, str] = {
    "acquire": "waits to acquire",
    "wait": "waits for a notification of",
    "wait-set": "waits for the setting of",
    "down": "waits for a permit of",
    "put": "waits for room in",
    "get": "waits for an item from",
    "join": "waits for the end of",
    "join-queue": "waits until all tasks are done of",
    "sleep": "sleeps",
}

# What can be looked at without asking a queue: its items, and how many tasks are not done.
ITEMS, UNFINISHED = "[]", "unfinished_tasks"
