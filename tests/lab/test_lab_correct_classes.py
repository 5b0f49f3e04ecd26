"""The correct classes work as documented, and no interleaving of two threads makes them fail."""

from __future__ import annotations

import queue
from collections.abc import Callable
from importlib import import_module

import pytest
from raddle_lab.classes.correct.bank import Account, AccountClosedError, Bank, InsufficientFundsError
from raddle_lab.classes.correct.bounded_buffer import BoundedBuffer, BufferClosedError
from raddle_lab.classes.correct.cached_hash_range import CachedHashRange
from raddle_lab.classes.correct.config_holder import ConfigHolder
from raddle_lab.classes.correct.connection_pool import Connection, ConnectionPool, PoolClosedError, PoolStats
from raddle_lab.classes.correct.count_down_latch import CountDownLatch
from raddle_lab.classes.correct.delay_queue import DelayQueue, QueueClosedError
from raddle_lab.classes.correct.event_bus import EventBus
from raddle_lab.classes.correct.guarded_record import GuardedRecord
from raddle_lab.classes.correct.interner import Interner
from raddle_lab.classes.correct.lazy_value import LazyValue
from raddle_lab.classes.correct.listener_list import ListenerList
from raddle_lab.classes.correct.locked_counter import LockedCounter
from raddle_lab.classes.correct.lru_cache import LruCache
from raddle_lab.classes.correct.once_map import OnceMap
from raddle_lab.classes.correct.promise import InvalidStateError, Promise, PromiseCancelledError
from raddle_lab.classes.correct.striped_map import StripedMap
from raddle_lab.classes.correct.token_bucket import ManualClock, TokenBucket
from raddle_lab.correct_classes import CORRECT_CLASSES
from raddle_lab.subjects import together

import raddle

pytestmark = pytest.mark.slow


# The classes in one thread


def test_a_counter_counts_up_and_down() -> None:
    counter = LockedCounter(5)
    assert (counter.increment(), counter.add(10), counter.decrement(), counter.value()) == (6, 16, 15, 15)
    assert counter.snapshot() == (15, 3)
    assert counter.reset() == 15
    assert counter.snapshot() == (5, 4)


def test_a_cache_forgets_the_least_recently_used_value() -> None:
    cache = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)  # "b" was not used since "a" was read
    assert cache.items() == [("a", 1), ("c", 3)]
    assert cache.get("b", "no") == "no"
    assert (cache.hits(), cache.misses(), len(cache), "a" in cache, "b" in cache) == (1, 1, 2, True, False)
    cache.resize(1)
    assert cache.items() == [("c", 3)]
    assert (cache.pop("c"), cache.pop("c", 0)) == (3, 0)
    cache.put("d", 4)
    cache.clear()
    assert len(cache) == 0
    with pytest.raises(ValueError, match="at least 1, not 0"):
        cache.resize(0)


def test_a_guarded_record_can_be_locked_repeatedly_by_one_thread() -> None:
    record = GuardedRecord(1, 2)
    record.acquire_write()
    record.update(3, 4)
    record.acquire_read()
    record.release_write()
    assert record.read() == (3, 4)
    with pytest.raises(RuntimeError, match="it must release it before it can write"):
        record.update(5, 6)
    record.release_read()
    record.update(5, 6)
    assert record.read() == (5, 6)
    with pytest.raises(RuntimeError, match="does not hold the read lock"):
        record.release_read()
    with pytest.raises(RuntimeError, match="does not hold the write lock"):
        record.release_write()


def test_a_buffer_returns_items_in_order_and_can_be_closed() -> None:
    buffer = BoundedBuffer(2)
    buffer.put("a")
    assert buffer.try_put("b")
    assert not buffer.try_put("c")
    assert buffer.size() == 2
    assert (buffer.take(), buffer.try_take(), buffer.try_take()) == ("a", "b", None)
    buffer.put("d")
    buffer.close()
    with pytest.raises(BufferClosedError):
        buffer.put("e")
    assert buffer.take() == "d"
    with pytest.raises(BufferClosedError):
        buffer.take()
    assert buffer.try_take() is None


def test_a_pool_lends_idle_connections_first() -> None:
    pool = ConnectionPool(2)
    first, second = pool.acquire(), pool.acquire()
    assert (first, second) == (Connection(1), Connection(2))
    with pytest.raises(TimeoutError):
        pool.acquire(0)
    pool.release(first)
    assert pool.stats() == PoolStats(size=2, idle=1, lent=1)
    with pytest.raises(ValueError, match="has not lent"):
        pool.release(first)
    with pool.connection() as connection:
        assert connection == first
    pool.resize(1)  # the idle connection is closed, because another one is lent
    assert pool.stats() == PoolStats(size=1, idle=0, lent=1)
    pool.close()
    pool.release(second)
    assert pool.stats() == PoolStats(size=1, idle=0, lent=0)
    with pytest.raises(PoolClosedError):
        pool.acquire()


def test_a_token_bucket_refills_at_its_rate() -> None:
    clock = ManualClock()
    bucket = TokenBucket(clock, 2.0, 4.0)
    assert bucket.try_acquire(3)
    assert not bucket.try_acquire(2)
    clock.advance(0.5)  # one token
    assert bucket.available() == 2.0
    assert bucket.acquire(4) == 1.0  # two tokens are missing, at two tokens per second
    bucket.set_rate(1.0)
    assert bucket.available() == 0.0
    clock.advance(100)
    assert bucket.available() == 4.0
    with pytest.raises(ValueError, match="between 0 and"):
        bucket.try_acquire(5)
    with pytest.raises(ValueError, match="must be positive"):
        bucket.set_rate(0)


def test_a_lazy_value_is_computed_once_until_it_is_reset() -> None:
    calls: list[int] = []
    value = LazyValue(lambda: calls.append(1) or len(calls))
    assert not value.is_set()
    assert (value.get(), value.get(), value.is_set()) == (1, 1, True)
    value.reset()
    assert (value.is_set(), value.get()) == (False, 2)


def test_a_range_remembers_its_hash() -> None:
    numbers = CachedHashRange(1, 5)
    assert (numbers.minimum(), numbers.maximum(), numbers.to_string()) == (1, 5, "1..5")
    assert [numbers.contains(value) for value in (0, 1, 5, 6)] == [False, True, True, False]
    assert hash(numbers) == hash(numbers) == 31 + 5
    assert numbers == CachedHashRange(1, 5)
    assert numbers != CachedHashRange(1, 6)


def test_listeners_may_remove_themselves() -> None:
    heard: list[object] = []
    listeners = ListenerList()

    def once(event: object) -> None:
        heard.append(("once", event))
        listeners.remove(once)

    assert listeners.add(once)
    assert not listeners.add(once)
    listeners.add(heard.append)
    assert (listeners.fire("a"), listeners.fire("b"), len(listeners)) == (2, 1, 1)
    assert heard == [("once", "a"), "a", "b"]
    assert not listeners.remove(once)
    listeners.clear()
    assert listeners.fire("c") == 0


def test_an_event_bus_delivers_by_topic() -> None:
    heard: list[object] = []
    bus = EventBus()

    def once(event: object) -> None:
        heard.append(event)
        bus.unsubscribe("news", once)

    bus.subscribe("news", once)
    bus.subscribe("mail", heard.append)
    assert bus.topics() == ["mail", "news"]
    assert (bus.publish("news", 1), bus.publish("news", 2), bus.publish("mail", 3)) == (1, 0, 1)
    assert heard == [1, 3]
    assert bus.topics() == ["mail"]
    assert not bus.unsubscribe("news", once)


def test_a_striped_map_behaves_like_a_dictionary() -> None:
    mapping = StripedMap(2)
    assert mapping.put("b", 2) is None
    assert mapping.put("b", 3) == 2
    assert (mapping.put_if_absent("b", 4), mapping.put_if_absent("a", 1)) == (3, 1)
    assert mapping.compute("a", lambda value: value + 10) == 11
    assert mapping.compute("c", lambda value: value) is None
    assert mapping.items() == [("a", 11), ("b", 3), ("c", None)]
    assert (mapping.remove("c"), mapping.remove("c"), mapping.get("b"), mapping.get("d", 0)) == (None, None, 3, 0)
    assert mapping.size() == 2


def test_a_bank_moves_money_between_open_accounts() -> None:
    bank = Bank()
    first, second = bank.open(10), Account(bank)
    assert bank.deposit(second, 5) == 5
    assert bank.withdraw(first, 3) == 7
    bank.transfer(first, second, 7)
    bank.transfer(second, second, 12)
    assert (first.balance, second.balance, bank.total()) == (0, 12, 12)
    with pytest.raises(InsufficientFundsError):
        bank.transfer(second, second, 13)
    assert bank.close(second) == 12
    assert bank.total() == 0
    with pytest.raises(AccountClosedError):
        bank.deposit(second, 1)
    with pytest.raises(ValueError, match="another bank"):
        Bank().deposit(first, 1)
    with pytest.raises(ValueError, match="must be positive"):
        bank.deposit(first, 0)


def test_a_latch_opens_at_zero() -> None:
    latch = CountDownLatch(2)
    assert (latch.count_down(), latch.count(), latch.wait(0)) == (1, 1, False)
    assert (latch.count_down(), latch.count_down(), latch.wait()) == (0, 0, True)
    latch.reset(1)
    assert (latch.count(), latch.wait(0)) == (1, False)


def test_a_promise_keeps_its_first_result() -> None:
    promise = Promise()
    seen: list[object] = []
    promise.add_done_callback(lambda done: seen.append(done.result()))
    with pytest.raises(TimeoutError):
        promise.result(0)
    promise.set_result("a")
    promise.add_done_callback(lambda done: seen.append(done.done()))
    assert (promise.result(), promise.done(), promise.cancel()) == ("a", True, False)
    assert seen == ["a", True]
    with pytest.raises(InvalidStateError):
        promise.set_result("b")
    failed, cancelled = Promise(), Promise()
    failed.set_exception(KeyError("k"))
    with pytest.raises(KeyError):
        failed.result()
    assert cancelled.cancel()
    with pytest.raises(PromiseCancelledError):
        cancelled.result()


def test_a_once_map_computes_each_value_once() -> None:
    values = OnceMap()
    assert values.get("a", lambda: values.get("b", lambda: 1) + 1) == 2
    assert values.get("b", lambda: 5) == 1
    with pytest.raises(ZeroDivisionError):
        values.get("c", lambda: 1 // 0)
    with pytest.raises(RuntimeError, match="needed to compute itself"):
        values.get("c", lambda: values.get("c", lambda: 1))
    assert (values.keys(), "c" in values) == (["a", "b"], False)
    assert (values.invalidate("b"), values.invalidate("b"), values.get("b", lambda: 5)) == (True, False, 5)


def test_a_config_holder_replaces_all_values_at_once() -> None:
    config = ConfigHolder({"a": 1})
    changes: list[dict[str, object]] = []
    config.subscribe(changes.append)
    before = config.snapshot()
    config.set("self", 2)
    config.update(a=3, b=4)
    assert (config.get("a"), config.get("c", 0), before) == (3, 0, {"a": 1})
    assert changes == [{"a": 1, "self": 2}, {"a": 3, "self": 2, "b": 4}]


def test_an_interner_returns_one_object_for_equal_names() -> None:
    names = Interner()
    first, second = "".join(["a", "b"]), "".join(["a", "b"])
    assert names.intern(first) is first
    assert names.intern(second) is first
    assert (names.size(), names.next_id(), names.next_id()) == (1, 1, 2)


def test_a_delay_queue_returns_items_when_they_are_due() -> None:
    delayed = DelayQueue()
    late, soon = delayed.schedule(5, "late"), delayed.schedule(2, "soon")
    also_soon = delayed.schedule(2, "also soon")
    assert (late, soon, also_soon) == (1, 2, 3)
    assert (delayed.pop_due(), delayed.next_due()) == (None, 2)
    delayed.advance(2)
    assert delayed.take() == "soon"
    assert (delayed.cancel(also_soon), delayed.cancel(also_soon), delayed.cancel(soon)) == (True, False, False)
    assert (delayed.pop_due(), delayed.next_due()) == (None, 3)
    with pytest.raises(TimeoutError):
        delayed.take(0)
    delayed.close()
    with pytest.raises(QueueClosedError):
        delayed.schedule(0, "never")
    with pytest.raises(QueueClosedError):
        delayed.take()
    delayed.advance(4)
    assert (delayed.take(), delayed.next_due()) == ("late", None)


# The classes in two threads. Each scenario lists the results of every order of the calls.


def in_threads(*calls: Callable[[], object]) -> list[object]:
    """Run each call in its own thread, and return what they returned, or the type of the exception that they raised."""
    results: list[object] = [None] * len(calls)

    def run(index: int) -> None:
        try:
            results[index] = calls[index]()
        except Exception as error:
            results[index] = type(error)

    together(*(lambda index=index: run(index) for index in range(len(calls))))
    return results


def queue_get_waits_for_put() -> None:
    items = queue.Queue()
    assert in_threads(items.get, lambda: items.put("a")) == ["a", None]
    assert items.qsize() == 0


def queue_reports_that_it_is_empty_or_full() -> None:
    items = queue.Queue(1)
    results = in_threads(items.get_nowait, lambda: (items.put_nowait("a"), items.put_nowait("b")))
    # The second item fits only if the first one was taken before.
    assert results in ([queue.Empty, queue.Full], ["a", queue.Full], ["a", (None, None)])


def queue_refuses_one_of_two_task_dones() -> None:
    items = queue.Queue()
    items.put("a")
    assert sorted(map(str, in_threads(items.task_done, items.task_done))) == ["<class 'ValueError'>", "None"]
    items.join()


def priority_queue_returns_the_smallest_item() -> None:
    items = queue.PriorityQueue()
    items.put(2)
    got, _ = in_threads(items.get, lambda: items.put(1))
    assert got in (1, 2)
    assert items.get() == 3 - got


def priority_queue_cannot_compare_a_text_with_a_number() -> None:
    items = queue.PriorityQueue()
    items.put(1)
    got, result = in_threads(items.get, lambda: items.put("a"))
    # The queue compares the new item only if the number is still there; it keeps the text in both cases.
    assert (got, result) in ((1, None), (1, TypeError))


def lifo_queue_returns_the_last_item() -> None:
    items = queue.LifoQueue()
    items.put(1)
    got, _ = in_threads(items.get, lambda: items.put(2))
    assert got in (1, 2)
    assert items.get() == 3 - got


def lifo_queue_keeps_a_full_queue_waiting() -> None:
    items = queue.LifoQueue(1)
    items.put("a")
    assert in_threads(items.get, lambda: items.put("b")) == ["a", None]
    assert items.get() == "b"


def counter_counts_every_change() -> None:
    counter = LockedCounter()
    assert sorted(in_threads(counter.increment, lambda: counter.add(2))) in ([1, 3], [2, 3])
    assert counter.snapshot() == (3, 2)


def counter_resets_to_the_start() -> None:
    counter = LockedCounter()
    counter.increment()
    before, after = in_threads(counter.reset, counter.increment)
    assert (before, after, counter.value()) in ((1, 1, 1), (2, 2, 0))


def counter_shows_value_and_changes_together() -> None:
    counter = LockedCounter()
    assert in_threads(counter.snapshot, counter.decrement)[0] in ((0, 0), (-1, 1))


def cache_keeps_what_was_read() -> None:
    cache = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    got, _ = in_threads(lambda: cache.get("a"), lambda: cache.put("c", 3))
    # Reading first keeps "a"; storing first drops it, and "a" is not found.
    assert (got, cache.items()) in ((1, [("a", 1), ("c", 3)]), (None, [("b", 2), ("c", 3)]))
    assert cache.hits() + cache.misses() == 1


def cache_can_be_listed_and_resized() -> None:
    cache = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    items, _ = in_threads(cache.items, lambda: cache.resize(1))
    assert items in ([("a", 1), ("b", 2)], [("b", 2)])


def cache_pops_a_value_once() -> None:
    cache = LruCache(2)
    cache.put("a", 1)
    assert sorted(in_threads(lambda: cache.pop("a", 0), lambda: cache.pop("a", 0))) == [0, 1]


def record_is_read_as_a_whole() -> None:
    record = GuardedRecord(1, 1)
    read, _ = in_threads(record.read, lambda: record.update(2, 2))
    assert read in ((1, 1), (2, 2))


def record_waits_for_the_reading_thread() -> None:
    record = GuardedRecord(1, 1)

    def read_twice() -> bool:
        record.acquire_read()
        first = record.read()
        second = record.read()
        record.release_read()
        return first == second

    assert in_threads(read_twice, lambda: record.update(2, 2)) == [True, None]


def record_cannot_be_released_by_another_thread() -> None:
    record = GuardedRecord(1, 1)
    assert in_threads(record.read, record.release_read) == [(1, 1), RuntimeError]


def buffer_wakes_the_waiting_thread() -> None:
    buffer = BoundedBuffer(1)
    assert in_threads(lambda: (buffer.take(), buffer.take()), lambda: (buffer.put("a"), buffer.put("b"))) == [
        ("a", "b"),
        (None, None),
    ]


def buffer_releases_a_waiting_thread_when_closed() -> None:
    buffer = BoundedBuffer(1)
    assert in_threads(buffer.take, buffer.close) == [BufferClosedError, None]


def buffer_gives_up_after_the_timeout() -> None:
    buffer = BoundedBuffer(1)
    taken, stored = in_threads(lambda: buffer.try_take(1), lambda: buffer.try_put("a", 1))
    assert stored
    assert (taken, buffer.size()) in (("a", 0), (None, 1))


def pool_lends_one_connection_after_the_other() -> None:
    pool = ConnectionPool(1)

    def use() -> int:
        with pool.connection() as connection:
            return connection.number

    assert in_threads(use, use) == [1, 1]
    assert pool.stats() == PoolStats(size=1, idle=1, lent=0)


def pool_refuses_when_closed() -> None:
    pool = ConnectionPool(1)
    lent, _ = in_threads(pool.acquire, pool.close)
    assert lent in (Connection(1), PoolClosedError)


def pool_grows_for_a_waiting_thread() -> None:
    pool = ConnectionPool(1)
    pool.acquire()
    assert in_threads(pool.acquire, lambda: pool.resize(2)) == [Connection(2), None]


def bucket_gives_each_token_once() -> None:
    bucket = TokenBucket(ManualClock(), 1.0, 1.0)
    assert sorted(in_threads(bucket.try_acquire, bucket.try_acquire)) == [False, True]


def bucket_refills_while_tokens_are_taken() -> None:
    clock = ManualClock()
    bucket = TokenBucket(clock, 1.0, 1.0)
    bucket.try_acquire()
    got, _ = in_threads(bucket.try_acquire, lambda: clock.advance(1))
    assert bucket.available() == (0.0 if got else 1.0)


def bucket_changes_its_rate_at_one_moment() -> None:
    clock = ManualClock()
    bucket = TokenBucket(clock, 1.0, 1.0)
    bucket.acquire()
    wait, _ = in_threads(bucket.acquire, lambda: bucket.set_rate(2.0))
    assert wait in (1.0, 0.5)


def lazy_value_is_computed_by_one_thread() -> None:
    calls: list[int] = []
    value = LazyValue(lambda: calls.append(1) or len(calls))
    assert in_threads(value.get, value.get) == [1, 1]


def lazy_value_can_be_reset_while_it_is_computed() -> None:
    calls: list[int] = []
    value = LazyValue(lambda: calls.append(1) or len(calls))
    assert in_threads(value.get, value.reset) == [1, None]
    assert value.get() in (1, 2)


def lazy_value_is_not_set_before_it_is_computed() -> None:
    value = LazyValue(lambda: "a")
    got, was_set = in_threads(value.get, lambda: (value.is_set(), value.is_set()))
    assert got == "a"
    assert was_set in ((False, False), (False, True), (True, True))


def range_has_one_hash() -> None:
    numbers = CachedHashRange(1, 5)
    assert in_threads(lambda: hash(numbers), lambda: hash(numbers)) == [36, 36]


def range_has_one_text() -> None:
    numbers = CachedHashRange(1, 5)
    assert in_threads(numbers.to_string, numbers.to_string) == ["1..5", "1..5"]


def listeners_change_while_an_event_is_passed_on() -> None:
    listeners = ListenerList()
    heard: list[object] = []
    listeners.add(heard.append)
    fired, added = in_threads(lambda: listeners.fire("a"), lambda: listeners.add(lambda event: heard.append(event)))
    assert added
    assert fired == len(heard)
    assert fired in (1, 2)


def listener_is_added_once() -> None:
    listeners = ListenerList()
    heard: list[object] = []
    listener = heard.append
    assert sorted(in_threads(lambda: listeners.add(listener), lambda: listeners.add(listener))) == [False, True]
    assert len(listeners) == 1


def listener_removes_itself_while_another_is_added() -> None:
    listeners = ListenerList()

    def once(event: object) -> None:
        listeners.remove(once)

    listeners.add(once)
    in_threads(lambda: listeners.fire("a"), lambda: listeners.add(lambda event: None))
    assert len(listeners) == 1


def event_reaches_a_callback_that_unsubscribes_itself() -> None:
    bus = EventBus()
    heard: list[object] = []

    def once(event: object) -> None:
        bus.unsubscribe("news", once)
        heard.append(event)

    bus.subscribe("news", once)
    reached = in_threads(lambda: bus.publish("news", 1), lambda: bus.publish("news", 2))
    assert sum(reached) == len(heard)
    assert len(heard) in (1, 2)
    assert bus.topics() == []


def event_reaches_all_callbacks_or_those_before() -> None:
    bus = EventBus()
    reached, _ = in_threads(lambda: bus.publish("news", 1), lambda: bus.subscribe("news", lambda event: None))
    assert reached in (0, 1)


def callback_is_unsubscribed_once() -> None:
    bus = EventBus()
    heard: list[object] = []
    callback = heard.append
    bus.subscribe("news", callback)
    unsubscribe = lambda: bus.unsubscribe("news", callback)  # noqa: E731
    assert sorted(in_threads(unsubscribe, unsubscribe)) == [False, True]


def map_stores_the_first_of_two_values() -> None:
    mapping = StripedMap(2)
    first, second = in_threads(lambda: mapping.put_if_absent("a", 1), lambda: mapping.put_if_absent("a", 2))
    assert first == second == mapping.get("a")


def map_computes_from_the_present_value() -> None:
    mapping = StripedMap(2)
    mapping.put("a", 0)
    increment = lambda: mapping.compute("a", lambda value: value + 1)  # noqa: E731
    assert sorted(in_threads(increment, increment)) == [1, 2]


def map_counts_keys_of_all_stripes() -> None:
    mapping = StripedMap(2)
    size, _ = in_threads(mapping.size, lambda: (mapping.put("a", 1), mapping.put("b", 2), mapping.remove("a")))
    assert size in (0, 1, 2)
    assert mapping.items() == [("b", 2)]


def bank_transfers_in_both_directions() -> None:
    bank = Bank()
    first, second = bank.open(5), bank.open(5)
    in_threads(lambda: bank.transfer(first, second, 1), lambda: bank.transfer(second, first, 2))
    assert (first.balance, second.balance) == (6, 4)


def bank_never_loses_money_on_the_way() -> None:
    bank = Bank()
    first, second = bank.open(5), bank.open(0)
    assert in_threads(bank.total, lambda: bank.transfer(first, second, 5))[0] == 5


def bank_refuses_one_of_two_withdrawals() -> None:
    bank = Bank()
    account = bank.open(5)
    taken, paid_out = in_threads(lambda: bank.withdraw(account, 3), lambda: bank.close(account))
    assert (taken, paid_out) in ((2, 2), (AccountClosedError, 5))
    assert bank.total() == 0


def latch_releases_the_waiting_thread() -> None:
    latch = CountDownLatch(2)
    assert in_threads(latch.wait, lambda: (latch.count_down(), latch.count_down())) == [True, (1, 0)]


def latch_counts_both_threads() -> None:
    latch = CountDownLatch(2)
    assert sorted(in_threads(latch.count_down, latch.count_down)) == [0, 1]


def latch_gives_up_if_it_is_reset_first() -> None:
    latch = CountDownLatch(1)
    waited, _ = in_threads(lambda: latch.wait(1), lambda: (latch.count_down(), latch.reset(1)))
    assert waited in (True, False)
    assert latch.count() == 1


def promise_accepts_one_of_two_results() -> None:
    promise = Promise()
    results = in_threads(lambda: promise.set_result("a"), lambda: promise.set_result("b"))
    assert results in ([None, InvalidStateError], [InvalidStateError, None])
    assert promise.result() == ("a" if results[0] is None else "b")


def promise_releases_the_waiting_thread() -> None:
    promise = Promise()
    assert in_threads(promise.result, promise.cancel) == [PromiseCancelledError, True]


def promise_runs_each_callback_once() -> None:
    promise = Promise()
    seen: list[object] = []
    in_threads(lambda: promise.set_result("a"), lambda: promise.add_done_callback(seen.append))
    assert seen == [promise]


def once_map_computes_in_one_thread() -> None:
    values = OnceMap()
    calls: list[str] = []
    get = lambda: values.get("a", lambda: calls.append("a") or len(calls))  # noqa: E731
    assert in_threads(get, get) == [1, 1]


def once_map_tries_again_after_an_exception() -> None:
    values = OnceMap()
    failed, got = in_threads(lambda: values.get("a", lambda: 1 // 0), lambda: values.get("a", lambda: 1))
    assert failed in (1, ZeroDivisionError)
    assert got == 1


def once_map_computes_what_another_value_needs() -> None:
    values = OnceMap()
    both = in_threads(
        lambda: values.get("a", lambda: values.get("b", lambda: 1) + 1), lambda: values.get("b", lambda: 2)
    )
    assert both in ([2, 1], [3, 2])


def config_shows_all_changes_or_none() -> None:
    config = ConfigHolder({"a": 0, "b": 0})
    seen, _ = in_threads(config.snapshot, lambda: config.update(a=1, b=1))
    assert seen in ({"a": 0, "b": 0}, {"a": 1, "b": 1})


def config_keeps_the_changes_of_both_threads() -> None:
    config = ConfigHolder()
    in_threads(lambda: config.set("a", 1), lambda: config.set("b", 2))
    assert config.snapshot() == {"a": 1, "b": 2}


def config_calls_a_subscriber_for_later_changes() -> None:
    config = ConfigHolder()
    seen: list[object] = []
    in_threads(lambda: config.subscribe(seen.append), lambda: config.set("a", 1))
    assert seen in ([], [{"a": 1}])


def interner_agrees_on_one_object() -> None:
    names = Interner()
    first, second = in_threads(lambda: names.intern("".join("ab")), lambda: names.intern("".join("ab")))
    assert first is second
    assert names.size() == 1


def interner_returns_no_number_twice() -> None:
    names = Interner()
    assert sorted(in_threads(names.next_id, names.next_id)) == [1, 2]


def delayed_item_wakes_the_waiting_thread() -> None:
    delayed = DelayQueue()
    got, _ = in_threads(delayed.take, lambda: (delayed.schedule(1, "a"), delayed.advance(1)))
    assert got == "a"


def delayed_item_is_taken_or_canceled() -> None:
    delayed = DelayQueue()
    handle = delayed.schedule(0, "a")
    got, cancelled = in_threads(delayed.pop_due, lambda: delayed.cancel(handle))
    assert (got, cancelled) in (("a", False), (None, True))


def delayed_item_is_missed_when_closed() -> None:
    delayed = DelayQueue()
    delayed.schedule(1, "a")
    got, _ = in_threads(lambda: delayed.take(10), lambda: (delayed.close(), delayed.advance(1)))
    assert got in ("a", QueueClosedError)


SCENARIOS: dict[str, tuple[Callable[[], None], ...]] = {
    "C1": (queue_get_waits_for_put, queue_reports_that_it_is_empty_or_full, queue_refuses_one_of_two_task_dones),
    "C2": (priority_queue_returns_the_smallest_item, priority_queue_cannot_compare_a_text_with_a_number),
    "C2b": (lifo_queue_returns_the_last_item, lifo_queue_keeps_a_full_queue_waiting),
    "C3": (counter_counts_every_change, counter_resets_to_the_start, counter_shows_value_and_changes_together),
    "C4": (cache_keeps_what_was_read, cache_can_be_listed_and_resized, cache_pops_a_value_once),
    "C5": (
        record_is_read_as_a_whole,
        record_waits_for_the_reading_thread,
        record_cannot_be_released_by_another_thread,
    ),
    "C6": (
        buffer_wakes_the_waiting_thread,
        buffer_releases_a_waiting_thread_when_closed,
        buffer_gives_up_after_the_timeout,
    ),
    "C7": (pool_lends_one_connection_after_the_other, pool_refuses_when_closed, pool_grows_for_a_waiting_thread),
    "C8": (
        bucket_gives_each_token_once,
        bucket_refills_while_tokens_are_taken,
        bucket_changes_its_rate_at_one_moment,
    ),
    "C9": (
        lazy_value_is_computed_by_one_thread,
        lazy_value_can_be_reset_while_it_is_computed,
        lazy_value_is_not_set_before_it_is_computed,
    ),
    "C10": (range_has_one_hash, range_has_one_text),
    "C11": (
        listeners_change_while_an_event_is_passed_on,
        listener_is_added_once,
        listener_removes_itself_while_another_is_added,
    ),
    "C12": (
        event_reaches_a_callback_that_unsubscribes_itself,
        event_reaches_all_callbacks_or_those_before,
        callback_is_unsubscribed_once,
    ),
    "C13": (
        map_stores_the_first_of_two_values,
        map_computes_from_the_present_value,
        map_counts_keys_of_all_stripes,
    ),
    "C14": (
        bank_transfers_in_both_directions,
        bank_never_loses_money_on_the_way,
        bank_refuses_one_of_two_withdrawals,
    ),
    "C15": (
        latch_releases_the_waiting_thread,
        latch_counts_both_threads,
        latch_gives_up_if_it_is_reset_first,
    ),
    "C16": (
        promise_accepts_one_of_two_results,
        promise_releases_the_waiting_thread,
        promise_runs_each_callback_once,
    ),
    "C17": (
        once_map_computes_in_one_thread,
        once_map_tries_again_after_an_exception,
        once_map_computes_what_another_value_needs,
    ),
    "C18": (
        config_shows_all_changes_or_none,
        config_keeps_the_changes_of_both_threads,
        config_calls_a_subscriber_for_later_changes,
    ),
    "C19": (interner_agrees_on_one_object, interner_returns_no_number_twice),
    "C20": (
        delayed_item_wakes_the_waiting_thread,
        delayed_item_is_taken_or_canceled,
        delayed_item_is_missed_when_closed,
    ),
}


def test_every_class_of_the_table_exists_and_has_scenarios() -> None:
    for row in CORRECT_CLASSES:
        module, name = row.target.split(":")
        assert isinstance(getattr(import_module(module), name), type)
    assert [row.id for row in CORRECT_CLASSES] == list(SCENARIOS)


@pytest.mark.parametrize(
    "scenario", [scenario for scenarios in SCENARIOS.values() for scenario in scenarios], ids=lambda one: one.__name__
)
def test_no_interleaving_with_one_preemption_fails(scenario: Callable[[], None]) -> None:
    result = raddle.explore(
        scenario,
        scheduler="exhaustive:preemptions=1",
        until="exhausted",
        source=["raddle_lab", __file__],
        shrink=False,
    )
    assert not result.findings
    assert result.stopped_because in ("exhausted", "exhausted-within-bound")
    assert result.executions > 1
