"""A limit on the rate of an activity."""

from __future__ import annotations

import threading
from typing import Protocol


class Clock(Protocol):
    """A source of the time in seconds."""

    def now(self) -> float: ...


class ManualClock:
    """A clock that moves only when it is advanced. Threads may share it."""

    def __init__(self, start: float = 0.0) -> None:
        self._lock = threading.Lock()
        self._now = start

    def now(self) -> float:
        with self._lock:
            return self._now

    def advance(self, seconds: float) -> None:
        """Move the clock forward."""
        if seconds < 0:
            raise ValueError(f"a clock does not go back: {seconds}")
        with self._lock:
            self._now += seconds


class TokenBucket:
    """Allows an activity at a limited rate. Threads may share it; each method is one indivisible step.

    The bucket is full at first. Tokens flow in at a constant rate up to the capacity, and each activity takes some.
    Each method reads the clock once.
    """

    def __init__(self, clock: Clock, rate: float = 1.0, capacity: float = 2.0) -> None:
        """Make a full bucket into which `rate` tokens flow per second."""
        if capacity <= 0:
            raise ValueError(f"the capacity must be positive, not {capacity}")
        self._lock = threading.Lock()
        self._clock = clock
        self._rate = _checked_rate(rate)
        self._capacity = capacity
        self._tokens = capacity
        self._updated = clock.now()

    def try_acquire(self, tokens: float = 1.0) -> bool:
        """Take tokens if there are enough; otherwise take none and return False."""
        with self._lock:
            self._refill(tokens)
            if self._tokens < tokens:
                return False
            self._tokens -= tokens
            return True

    def acquire(self, tokens: float = 1.0) -> float:
        """Take tokens in any case. Return the number of seconds that the caller must wait before its activity."""
        with self._lock:
            self._refill(tokens)
            self._tokens -= tokens
            return max(0.0, -self._tokens / self._rate)

    def set_rate(self, rate: float) -> None:
        """Change the number of tokens per second from now on."""
        _checked_rate(rate)
        with self._lock:
            self._refill()
            self._rate = rate

    def available(self) -> float:
        """Return the number of tokens; 0 if tokens were taken in advance."""
        with self._lock:
            self._refill()
            return max(0.0, self._tokens)

    def _refill(self, wanted: float = 0.0) -> None:
        if not 0 <= wanted <= self._capacity:
            raise ValueError(f"the number of tokens must be between 0 and {self._capacity}, not {wanted}")
        now = self._clock.now()
        self._tokens = min(self._capacity, self._tokens + (now - self._updated) * self._rate)
        self._updated = now


def _checked_rate(rate: float) -> float:
    if rate <= 0:
        raise ValueError(f"the rate must be positive, not {rate}")
    return rate
