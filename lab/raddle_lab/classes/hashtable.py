"""A hash table."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from raddle_lab.classes.collection_view import CollectionView
from raddle_lab.classes.stable_hash import stable_hash


class Hashtable:
    """A hash table. Threads may share it. Keys and values must not be None."""

    def __init__(self, initial_capacity: int = 11, load_factor: float = 0.75) -> None:
        """Create an empty table, which grows when the given fraction of its capacity is used."""
        if initial_capacity < 0 or load_factor <= 0:
            raise ValueError(f"capacity {initial_capacity} or load factor {load_factor} is too small")
        self._lock = threading.RLock()
        self._table: list[_Entry | None] = [None] * max(1, initial_capacity)
        self._count = 0
        self._load_factor = load_factor
        self._threshold = int(len(self._table) * load_factor)
        self._modifications = 0
        self._key_set: CollectionView | None = None
        self._entry_set: CollectionView | None = None
        self._values: CollectionView | None = None

    def size(self) -> int:
        with self._lock:
            return self._count

    def is_empty(self) -> bool:
        with self._lock:
            return self._count == 0

    def keys(self) -> list[object]:
        with self._lock:
            return [entry.key for entry in self._entries()]

    def elements(self) -> list[object]:
        """Return the values."""
        with self._lock:
            return [entry.value for entry in self._entries()]

    def items(self) -> list[tuple[object, object]]:
        with self._lock:
            return [(entry.key, entry.value) for entry in self._entries()]

    def contains(self, value: object) -> bool:
        """Return whether some key has the value."""
        with self._lock:
            return any(entry.value == value for entry in self._entries())

    def contains_value(self, value: object) -> bool:
        return self.contains(value)

    def contains_key(self, key: object) -> bool:
        with self._lock:
            return self._find(key) is not None

    def get(self, key: object) -> object | None:
        """Return the value of the key, or None if the table does not contain it."""
        with self._lock:
            entry = self._find(key)
            return None if entry is None else entry.value

    def put(self, key: object, value: object) -> object | None:
        """Set the value of the key. Return its former value, or None."""
        with self._lock:
            if key is None or value is None:
                raise ValueError("keys and values must not be None")
            entry = self._find(key)
            if entry is not None:
                former, entry.value = entry.value, value
                return former
            self._modifications += 1
            if self._count >= self._threshold:
                self.rehash()
            table, code = self._table, stable_hash(key)
            table[code % len(table)] = _Entry(code, key, value, table[code % len(table)])
            self._count += 1
            return None

    def put_all(self, other: Hashtable | dict[object, object]) -> None:
        """Add all entries of the other table."""
        with self._lock:
            for key, value in list(other.items()):
                self.put(key, value)

    def remove(self, key: object) -> object | None:
        """Remove the key. Return its former value, or None."""
        with self._lock:
            table, code = self._table, stable_hash(key)
            previous, entry = None, table[code % len(table)]
            while entry is not None and not entry.has(code, key):
                previous, entry = entry, entry.next
            if entry is None:
                return None
            self._modifications += 1
            if previous is None:
                table[code % len(table)] = entry.next
            else:
                previous.next = entry.next
            self._count -= 1
            return entry.value

    def clear(self) -> None:
        with self._lock:
            self._modifications += 1
            for index in range(len(self._table)):
                self._table[index] = None
            self._count = 0

    def rehash(self) -> None:
        """Move the entries into a table that is about twice as large."""
        old = self._table
        capacity = 2 * len(old) + 1
        self._modifications += 1
        self._threshold = int(capacity * self._load_factor)
        self._table = new = [None] * capacity
        for first in old:
            entry = first
            while entry is not None:
                moved, entry = entry, entry.next
                moved.next = new[moved.code % capacity]
                new[moved.code % capacity] = moved

    def clone(self) -> Hashtable:
        """Return a table with the same entries."""
        with self._lock:
            other = type(self)(len(self._table), self._load_factor)
            other.put_all(self)
            return other

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
        """Return whether the other is a table or dictionary with equal entries."""
        if other is self:
            return True
        if not isinstance(other, (Hashtable, dict)):
            return False
        with self._lock:
            theirs = other.items()
            return len(theirs) == self._count and all(v is not None and self.get(k) == v for k, v in theirs)

    def content_hash(self) -> int:
        """Return a hash that is equal for tables with equal entries."""
        with self._lock:
            if self._count == 0 or self._load_factor < 0:
                return 0
            self._load_factor = -self._load_factor  # negative during the computation, in case the table contains itself
            total = 0
            for entry in self._entries():
                total += entry.code ^ _content_hash(entry.value)
            self._load_factor = -self._load_factor
            return total

    def to_string(self) -> str:
        with self._lock:
            number = self.size()
            entries = _EntryIterator(self)
            texts = []
            for _ in range(number):
                entry = entries.next_entry()
                texts.append(f"{self._text(entry.key)}={self._text(entry.value)}")
            return f"{{{', '.join(texts)}}}"

    def _text(self, value: object) -> str:
        return "(this table)" if value is self else str(value)

    def _entries(self) -> Iterable[_Entry]:
        for first in self._table:
            entry = first
            while entry is not None:
                yield entry
                entry = entry.next

    def _find(self, key: object) -> _Entry | None:
        table, code = self._table, stable_hash(key)
        entry = table[code % len(table)]
        while entry is not None and not entry.has(code, key):
            entry = entry.next
        return entry


class _Entry:
    __slots__ = ("code", "key", "next", "value")

    def __init__(self, code: int, key: object, value: object, following: _Entry | None) -> None:
        self.code = code
        self.key = key
        self.value = value
        self.next = following

    def has(self, code: int, key: object) -> bool:
        return self.code == code and self.key == key


class _EntryIterator:
    """Walks through the table that a hash table has now. Refuses to continue once an entry was added or removed."""

    def __init__(self, owner: Hashtable) -> None:
        self._owner = owner
        self._table = owner._table
        self._expected = owner._modifications
        self._index = len(self._table)
        self._entry: _Entry | None = None

    def next_entry(self) -> _Entry:
        if self._owner._modifications != self._expected:
            raise RuntimeError("the table changed during iteration")
        while self._entry is None and self._index > 0:
            self._index -= 1
            self._entry = self._table[self._index]
        if self._entry is None:
            raise LookupError("the iteration is at its end")
        entry, self._entry = self._entry, self._entry.next
        return entry


def _content_hash(value: object) -> int:
    return value.content_hash() if isinstance(value, Hashtable) else stable_hash(value)
