"""Thread-safe classes without a known bug. A test generator must report no failure of any of them."""

from __future__ import annotations

from dataclasses import dataclass

_PACKAGE = "raddle_lab.classes.correct"


@dataclass(frozen=True, slots=True)
class CorrectClass:
    """A class on which every report of a failure is a false alarm."""

    id: str  # "C3"
    target: str  # "raddle_lab.classes.correct.locked_counter:LockedCounter"
    probes: str  # the behavior that a careless oracle would report


CORRECT_CLASSES: tuple[CorrectClass, ...] = (
    CorrectClass(
        "C1", "queue:Queue", "Empty, Full and ValueError in some order of the calls; get waits in every order"
    ),
    CorrectClass(
        "C2", "queue:PriorityQueue", "TypeError for items that cannot be compared, in some order of the calls"
    ),
    CorrectClass("C2b", "queue:LifoQueue", "the same as Queue, in another order"),
    CorrectClass("C3", f"{_PACKAGE}.locked_counter:LockedCounter", "a read and a write under one lock"),
    CorrectClass("C4", f"{_PACKAGE}.lru_cache:LruCache", "get changes the state; iteration over a copy"),
    CorrectClass(
        "C5", f"{_PACKAGE}.guarded_record:GuardedRecord", "documented RuntimeError; writers go before new readers"
    ),
    CorrectClass("C6", f"{_PACKAGE}.bounded_buffer:BoundedBuffer", "waits, timeouts and closing while a thread waits"),
    CorrectClass(
        "C7", f"{_PACKAGE}.connection_pool:ConnectionPool", "documented PoolClosedError, TimeoutError and ValueError"
    ),
    CorrectClass("C8", f"{_PACKAGE}.token_bucket:TokenBucket", "each method reads the clock once, under the lock"),
    CorrectClass("C9", f"{_PACKAGE}.lazy_value:LazyValue", "a first read without the lock"),
    CorrectClass(
        "C10", f"{_PACKAGE}.cached_hash_range:CachedHashRange", "two threads compute and store the same value"
    ),
    CorrectClass(
        "C11", f"{_PACKAGE}.listener_list:ListenerList", "fire uses the old or the new list; listeners change the list"
    ),
    CorrectClass("C12", f"{_PACKAGE}.event_bus:EventBus", "callbacks run without a lock and unsubscribe themselves"),
    CorrectClass("C13", f"{_PACKAGE}.striped_map:StripedMap", "several locks, always acquired in the same order"),
    CorrectClass(
        "C14", f"{_PACKAGE}.bank:Bank", "two accounts as arguments, in either order; documented InsufficientFundsError"
    ),
    CorrectClass("C15", f"{_PACKAGE}.count_down_latch:CountDownLatch", "a wait that only another call ends"),
    CorrectClass("C16", f"{_PACKAGE}.promise:Promise", "InvalidStateError for the second of two results"),
    CorrectClass("C17", f"{_PACKAGE}.once_map:OnceMap", "factories that raise, and that get the value of another key"),
    CorrectClass("C18", f"{_PACKAGE}.config_holder:ConfigHolder", "readers without a lock"),
    CorrectClass("C19", f"{_PACKAGE}.interner:Interner", "no lock at all; results depend on the order of the calls"),
    CorrectClass(
        "C20", f"{_PACKAGE}.delay_queue:DelayQueue", "timeouts, useless wake-ups, canceling an item that is due"
    ),
)
