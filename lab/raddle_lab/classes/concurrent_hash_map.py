"""A map that several threads can change at the same time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack

from raddle_lab.classes.collection_view import CollectionView
from raddle_lab.classes.nesting import check_depth
from raddle_lab.classes.stable_hash import stable_hash

LOAD_FACTOR = 0.75


class ConcurrentHashMap:
    """A map in segments, each with a lock of its own. Threads may share it.

    Keys and values must not be None. Views and lists of keys, values and entries may miss changes that other threads
    make at the same time, but reading them never fails.
    """

    def __init__(self, initial_capacity: int = 8, concurrency_level: int = 4) -> None:
        """Create an empty map with one segment for each thread that is expected to change it."""
        if initial_capacity < 0 or concurrency_level <= 0:
            raise ValueError(f"capacity {initial_capacity} or concurrency level {concurrency_level} is too small")
        capacity = max(1, initial_capacity // concurrency_level)
        self._segments = tuple(_Segment(capacity) for _ in range(concurrency_level))
        self._key_set: CollectionView | None = None
        self._entry_set: CollectionView | None = None
        self._values: CollectionView | None = None

    def size(self) -> int:
        total = self._undisturbed_size()
        if total is not None:
            return total
        with ExitStack() as locks:
            for segment in self._segments:
                locks.enter_context(segment.lock)
            return sum(segment.count for segment in self._segments)

    def is_empty(self) -> bool:
        return self.size() == 0

    def get(self, key: object) -> object | None:
        """Return the value of the key, or None if the map does not contain it."""
        code = stable_hash(key)
        return self._segment(code).get(key, code)

    def contains_key(self, key: object) -> bool:
        return self.get(key) is not None

    def contains_value(self, value: object) -> bool:
        return any(other == value for _, other in self._iterate())

    def contains(self, value: object) -> bool:
        """Return whether some key has the value."""
        return self.contains_value(value)

    def put(self, key: object, value: object) -> object | None:
        """Set the value of the key. Return its former value, or None."""
        _refuse_none(key, value)
        code = stable_hash(key)
        return self._segment(code).put(key, code, value, replace=True)

    def put_if_absent(self, key: object, value: object) -> object | None:
        """Add the key if the map does not contain it. Return the value that it already has, or None."""
        _refuse_none(key, value)
        code = stable_hash(key)
        return self._segment(code).put(key, code, value, replace=False)

    def put_all(self, other: ConcurrentHashMap | dict[object, object]) -> None:
        """Add all entries of the other map."""
        entries = other._iterate() if isinstance(other, ConcurrentHashMap) else other.items()
        for key, value in entries:
            self.put(key, value)

    def remove(self, key: object) -> object | None:
        """Remove the key. Return its former value, or None."""
        code = stable_hash(key)
        return self._segment(code).remove(key, code)

    def remove_entry(self, key: object, value: object) -> bool:
        """Remove the key if it has this value. Return whether it had it."""
        code = stable_hash(key)
        segment = self._segment(code)
        with segment.lock:
            if segment.get(key, code) != value:
                return False
            return segment.remove(key, code) is not None

    def replace(self, key: object, value: object) -> object | None:
        """Set the value of the key if the map contains it. Return its former value, or None."""
        _refuse_none(key, value)
        code = stable_hash(key)
        segment = self._segment(code)
        with segment.lock:
            return segment.put(key, code, value, replace=True) if segment.get(key, code) is not None else None

    def replace_value(self, key: object, old: object, new: object) -> bool:
        """Set the value of the key to `new` if it is `old`. Return whether it was."""
        _refuse_none(key, old, new)
        code = stable_hash(key)
        segment = self._segment(code)
        with segment.lock:
            if segment.get(key, code) != old:
                return False
            segment.put(key, code, new, replace=True)
            return True

    def clear(self) -> None:
        for segment in self._segments:
            segment.clear()

    def keys(self) -> list[object]:
        return [key for key, _ in self._iterate()]

    def elements(self) -> list[object]:
        """Return the values."""
        return [value for _, value in self._iterate()]

    def items(self) -> list[tuple[object, object]]:
        return list(self._iterate())

    def key_set(self) -> CollectionView:
        if self._key_set is None:
            self._key_set = CollectionView(self.keys)
        return self._key_set

    def entry_set(self) -> CollectionView:
        if self._entry_set is None:
            self._entry_set = CollectionView(self.items)
        return self._entry_set

    def values(self) -> CollectionView:
        if self._values is None:
            self._values = CollectionView(self.elements)
        return self._values

    def equals(self, other: object) -> bool:
        """Return whether the other is a map or dictionary with equal entries."""
        if other is self:
            return True
        if not isinstance(other, (ConcurrentHashMap, dict)):
            return False
        theirs = list(other._iterate() if isinstance(other, ConcurrentHashMap) else other.items())
        return len(theirs) == self.size() and all(v is not None and self.get(k) == v for k, v in theirs)

    def content_hash(self) -> int:
        """Return a hash that is equal for maps with equal entries.

        Raise RecursionError if maps contain each other in more than 50 levels, or if the map contains itself.
        """
        return self._hash(1)

    def to_string(self) -> str:
        texts = [f"{self._text(key)}: {self._text(value)}" for key, value in self._iterate()]
        return f"{{{', '.join(texts)}}}"

    def _hash(self, depth: int) -> int:
        check_depth(depth)
        total = 0
        for key, value in self._iterate():
            total += _content_hash(key, depth) ^ _content_hash(value, depth)
        return total

    def _text(self, value: object) -> str:
        return "(this map)" if value is self else str(value)

    def _segment(self, code: int) -> _Segment:
        return self._segments[code % len(self._segments)]

    def _iterate(self) -> Iterator[tuple[object, object]]:
        for segment in self._segments:
            if segment.count != 0:
                for first in segment.table:
                    entry = first
                    while entry is not None:
                        yield entry.key, entry.value
                        entry = entry.next

    def _undisturbed_size(self) -> int | None:
        """Return the number of entries, or None if other threads change the map all the time."""
        for _ in range(2):
            before = [segment.modifications for segment in self._segments]
            total = sum(segment.count for segment in self._segments)
            if before == [segment.modifications for segment in self._segments]:
                return total
        return None


class _Entry:
    __slots__ = ("code", "key", "next", "value")

    def __init__(self, key: object, code: int, value: object, following: _Entry | None) -> None:
        self.key = key
        self.code = code
        self.value = value
        self.next = following

    def has(self, key: object, code: int) -> bool:
        return self.code == code and self.key == key


class _Segment:
    """A hash table with a lock. Only threads that hold the lock change it; others may read it."""

    def __init__(self, capacity: int) -> None:
        self.lock = threading.RLock()
        self.table: list[_Entry | None] = [None] * capacity
        self.count = 0
        self.modifications = 0
        self.threshold = int(capacity * LOAD_FACTOR)

    def get(self, key: object, code: int) -> object | None:
        entry = self._find(key, code) if self.count else None
        return None if entry is None else entry.value

    def put(self, key: object, code: int, value: object, *, replace: bool) -> object | None:
        with self.lock:
            count = self.count + 1
            if count > self.threshold:
                self._rehash()
            table = self.table
            first = table[code % len(table)]
            entry = first
            while entry is not None:
                if entry.has(key, code):
                    former = entry.value
                    if replace:
                        entry.value = value
                    return former
                entry = entry.next
            self.modifications += 1
            table[code % len(table)] = _Entry(key, code, value, first)
            self.count = count
            return None

    def remove(self, key: object, code: int) -> object | None:
        with self.lock:
            removed = self._find(key, code)
            if removed is None:
                return None
            # The entries before the removed one are copied, because other threads may be reading the chain.
            index = code % len(self.table)
            entry, chain = self.table[index], removed.next
            while entry is not removed:
                chain = _Entry(entry.key, entry.code, entry.value, chain)
                entry = entry.next
            self.modifications += 1
            self.table[index] = chain
            self.count -= 1
            return removed.value

    def clear(self) -> None:
        if self.count != 0:
            with self.lock:
                for index in range(len(self.table)):
                    self.table[index] = None
                self.modifications += 1
                self.count = 0

    def _find(self, key: object, code: int) -> _Entry | None:
        table = self.table
        entry = table[code % len(table)]
        while entry is not None and not entry.has(key, code):
            entry = entry.next
        return entry

    def _rehash(self) -> None:
        """Copy the entries into a larger table, because other threads may be reading the present one."""
        table: list[_Entry | None] = [None] * (2 * len(self.table))
        for first in self.table:
            entry = first
            while entry is not None:
                index = entry.code % len(table)
                table[index] = _Entry(entry.key, entry.code, entry.value, table[index])
                entry = entry.next
        self.threshold = int(len(table) * LOAD_FACTOR)
        self.table = table


def _refuse_none(*values: object) -> None:
    if any(value is None for value in values):
        raise ValueError("keys and values must not be None")


def _content_hash(value: object, depth: int) -> int:
    return value._hash(depth + 1) if isinstance(value, ConcurrentHashMap) else stable_hash(value)
