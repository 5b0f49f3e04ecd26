"""A record whose readers do not exclude each other."""

from __future__ import annotations

import threading


class ReadWriteLock:
    """A lock that either any number of threads hold for reading, or one thread holds for writing.

    A thread that waits for the write lock goes before threads that begin to read. A thread may acquire again what it
    holds, and must then release it as often. The writing thread may also read. A thread that only reads cannot acquire
    the write lock. Releasing a lock that the calling thread does not hold raises RuntimeError.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition(threading.Lock())
        self._readers: dict[threading.Thread, int] = {}  # how often each thread holds the read lock
        self._writer: threading.Thread | None = None
        self._writer_depth = 0
        self._waiting_writers = 0

    def acquire_read(self) -> None:
        """Wait until no other thread writes or waits to write; then hold the read lock."""
        thread = threading.current_thread()
        with self._condition:
            if thread is not self._writer and thread not in self._readers:
                while self._writer is not None or self._waiting_writers:
                    self._condition.wait()
            self._readers[thread] = self._readers.get(thread, 0) + 1

    def release_read(self) -> None:
        """Release the read lock once.

        Raises:
            RuntimeError: If the calling thread does not hold the read lock.
        """
        thread = threading.current_thread()
        with self._condition:
            if thread not in self._readers:
                raise RuntimeError("this thread does not hold the read lock")
            self._readers[thread] -= 1
            if not self._readers[thread]:
                del self._readers[thread]
                self._condition.notify_all()

    def acquire_write(self) -> None:
        """Wait until no other thread holds the lock; then hold the write lock.

        Raises:
            RuntimeError: If the calling thread holds only the read lock, because it would wait for itself.
        """
        thread = threading.current_thread()
        with self._condition:
            if self._writer is thread:
                self._writer_depth += 1
                return
            if thread in self._readers:
                raise RuntimeError("this thread holds the read lock; it must release it before it can write")
            self._waiting_writers += 1
            while self._writer is not None or self._readers:
                self._condition.wait()
            self._waiting_writers -= 1
            self._writer, self._writer_depth = thread, 1

    def release_write(self) -> None:
        """Release the write lock once.

        Raises:
            RuntimeError: If the calling thread does not hold the write lock.
        """
        with self._condition:
            if self._writer is not threading.current_thread():
                raise RuntimeError("this thread does not hold the write lock")
            self._writer_depth -= 1
            if not self._writer_depth:
                self._writer = None
                self._condition.notify_all()


class GuardedRecord(ReadWriteLock):
    """Two numbers that are always read and changed together. Threads may share the record.

    A thread can hold the lock during several calls, to make them one step. Other threads then wait.
    """

    def __init__(self, first: int = 0, second: int = 0) -> None:
        super().__init__()
        self._first = first
        self._second = second

    def read(self) -> tuple[int, int]:
        """Return both numbers."""
        self.acquire_read()
        try:
            return self._first, self._second
        finally:
            self.release_read()

    def update(self, first: int, second: int) -> None:
        """Replace both numbers.

        Raises:
            RuntimeError: If the calling thread holds only the read lock.
        """
        self.acquire_write()
        try:
            self._first = first
            self._second = second
        finally:
            self.release_write()
