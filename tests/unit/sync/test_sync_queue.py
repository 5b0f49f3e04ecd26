"""Behavior of the queue twins that CPython's own tests do not cover."""

from __future__ import annotations

import queue
import threading
import time

import pytest
from controlled import controlled, controlled_with_seeds, outcome_of, result_of

from raddle import env

KINDS = [queue.Queue, queue.LifoQueue, queue.PriorityQueue]


def _filled(kind, maxsize=1):
    made = kind(maxsize)
    for number in range(maxsize):
        made.put(number)
    return made


CALLS = {
    "get without blocking": lambda kind: kind().get(False),
    "get_nowait": lambda kind: kind().get_nowait(),
    "get with timeout 0": lambda kind: kind().get(timeout=0),
    "get with negative timeout": lambda kind: kind().get(timeout=-1),
    "get with negative timeout, without blocking": lambda kind: kind().get(False, -1),
    "put without blocking": lambda kind: _filled(kind).put(1, False),
    "put_nowait": lambda kind: _filled(kind).put_nowait(1),
    "put with timeout 0": lambda kind: _filled(kind).put(1, timeout=0),
    "put with negative timeout": lambda kind: _filled(kind).put(1, timeout=-1),
    "put with negative timeout, unbounded": lambda kind: kind().put(1, timeout=-1),
    "too many task_done": lambda kind: kind().task_done(),
    "sizes": lambda kind: [(q.qsize(), q.empty(), q.full()) for q in (kind(), kind(2), _filled(kind, 2), kind(-1))],
    "order": lambda kind: (lambda q: [q.put(n) for n in (2, 3, 1)] + [q.get() for _ in range(3)])(kind()),
    "join when empty": lambda kind: kind().join(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("kind", KINDS)
def test_calls_have_the_same_results_as_on_a_real_queue(kind, call):
    assert controlled(lambda: result_of(lambda: call(kind))) == result_of(lambda: call(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_timeouts_are_virtual(kind):
    def scenario():
        q, start = kind(1), time.monotonic()
        with pytest.raises(queue.Empty):
            q.get(timeout=3600)
        assert 3600 <= time.monotonic() - start < 3601
        q.put(1)
        with pytest.raises(queue.Full):
            q.put(2, timeout=3600)
        assert 7200 <= time.monotonic() - start < 7201
        threading.Timer(10, q.get).start()
        q.put(3, timeout=3600)
        return time.monotonic() - start

    assert 7210 <= controlled(scenario) < 7211


def test_maxsize_is_respected_and_all_items_arrive_in_order():
    def scenario():
        q, sizes = queue.Queue(2), []

        def produce():
            for number in range(5):
                q.put(number)
                sizes.append(q.qsize())

        thread = threading.Thread(target=produce)
        thread.start()
        got = [q.get() for _ in range(5)]
        thread.join()
        assert max(sizes) <= 2
        return got

    assert all(got == [0, 1, 2, 3, 4] for got in controlled_with_seeds(scenario))


def test_join_returns_when_the_last_task_is_done():
    def scenario():
        q, done = queue.Queue(), []

        def work():
            while True:
                item = q.get()
                time.sleep(1)
                done.append(item)
                q.task_done()

        for _ in range(2):
            threading.Thread(target=work, daemon=True).start()
        for number in range(4):
            q.put(number)
        q.join()
        assert q.unfinished_tasks == 0
        return sorted(done)

    assert all(done == [0, 1, 2, 3] for done in controlled_with_seeds(scenario))


def test_join_without_task_done_is_a_deadlock():
    def scenario():
        q = queue.Queue()
        q.put(1)
        q.get()
        q.join()

    outcome = outcome_of(scenario)
    assert outcome.kind == "deadlock"
    assert "waits for all tasks of Queue" in outcome.details[0]


def test_put_blocks_while_another_thread_holds_the_mutex():
    def scenario():
        q, order = queue.Queue(), []
        with q.mutex:
            thread = threading.Thread(target=lambda: (q.put(1), order.append("put")))
            thread.start()
            time.sleep(1)
            order.append("mutex released")
        thread.join()
        return order

    assert all(order == ["mutex released", "put"] for order in controlled_with_seeds(scenario))


def test_threads_waiting_on_the_queues_conditions_are_woken():
    def scenario():
        q, results = queue.Queue(1), []

        def watch(condition):
            with condition:
                results.append(condition.wait(60))

        for condition, step in ((q.not_empty, lambda: q.put(1)), (q.not_full, q.get), (q.all_tasks_done, q.task_done)):
            thread = threading.Thread(target=watch, args=(condition,))
            thread.start()
            time.sleep(1)
            step()
            thread.join()
        return results

    assert all(results == [True] * 3 for results in controlled_with_seeds(scenario, seeds=range(5)))


def test_a_subclass_that_overrides_qsize_behaves_like_the_real_queue():
    class WeightedQueue(queue.Queue):
        def _qsize(self):
            return sum(self.queue)

    def scenario():
        q = WeightedQueue(5)
        q.put(3)
        q.put(2)
        thread = threading.Thread(target=q.put, args=(1,))
        thread.start()
        time.sleep(1)
        assert list(q.queue) == [3, 2]
        assert q.get() == 3
        thread.join()
        return list(q.queue)

    assert all(left == [2, 1] for left in controlled_with_seeds(scenario, seeds=range(5)))


@pytest.mark.parametrize("kind", KINDS)
def test_queues_created_before_and_in_executions_work_in_both(kind):
    early, escaped = kind(), []

    def scenario():
        escaped.append(kind())
        thread = threading.Thread(target=lambda: escaped[-1].put(early.get()))
        thread.start()
        early.put("item")
        assert escaped[-1].get() == "item"
        thread.join()
        early.task_done()
        early.join()

    controlled_with_seeds(scenario)
    for q in (early, escaped[-1]):
        thread = threading.Thread(target=q.put, args=("after",))
        thread.start()
        assert q.get(timeout=60) == "after"
        thread.join()
    assert early.unfinished_tasks == 1


needs_shutdown = pytest.mark.skipif(not env.QUEUES_SHUT_DOWN, reason="queues can be shut down since 3.13")


@needs_shutdown
@pytest.mark.parametrize("immediate", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_calls_after_shutdown_have_the_same_results_as_on_a_real_queue(kind, immediate):
    def texts():
        q = _filled(kind, 2)
        q.shutdown(immediate)
        calls = (lambda: q.put(1), lambda: q.put(1, timeout=-1), q.get, q.get_nowait, lambda: q.get(timeout=1))
        return [result_of(call) for call in calls] + [q.is_shutdown, q.qsize(), q.unfinished_tasks]

    assert controlled(texts) == texts()


@needs_shutdown
@pytest.mark.parametrize("kind", KINDS)
def test_shutdown_wakes_all_waiting_threads(kind):
    def scenario():
        empty, full, results = kind(), _filled(kind), []
        waits = (empty.get, lambda: full.put(5), lambda: empty.get(timeout=60), full.join)
        threads = [threading.Thread(target=lambda wait=wait: results.append(result_of(wait)[0])) for wait in waits]
        for thread in threads:
            thread.start()
        time.sleep(1)
        empty.shutdown()
        full.shutdown(immediate=True)
        for thread in threads:
            thread.join()
        return sorted(results)

    assert all(results == ["ShutDown"] * 3 + ["returned"] for results in controlled_with_seeds(scenario))
