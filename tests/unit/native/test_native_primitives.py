"""The steps of each primitive: a release is recorded before it happens, and an acquire after it has happened."""

from __future__ import annotations

from pathlib import Path

import pytest
from native_recording import Recorded, record

THREADS = """
import threading
def run(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""


def steps_of(recorded: Recorded, *types: str) -> list[str]:
    """Return "thread kind" for each step on resources of these types, in order."""
    without_resource = ("begin", "task", "start", "join", "end", "enter", "leave", "block", "read", "write")
    return [
        f"{thread} {kind}"
        for thread, kind, target, _ in recorded.steps
        if kind not in without_resource and recorded.entities.resources[target].type in types
    ]


def test_thread_starts_and_joins_are_recorded_in_order(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import threading
        class Worker(threading.Thread):
            def run(self): helper = threading.Thread(target=rest); helper.start(); helper.join()
        def rest(): pass
        def main():
            worker = Worker()
            worker.start()
            worker.join()
            worker.join(1)
        """,
    )
    # The worker is thread 1, and its helper is thread 2. The worker is joined twice, both times after it has ended.
    assert recorded.named_steps("begin", "start", "end", "join") == [
        (0, "begin", "main"),
        (0, "start", "1"),
        (1, "begin", "Worker"),
        (1, "start", "2"),
        (2, "begin", "rest"),
        (2, "end", "2"),
        (1, "join", "2"),
        (1, "end", "1"),
        (0, "join", "1"),
        (0, "join", "1"),
        (0, "end", "0"),
    ]
    assert recorded.lines("start") == [8, 4]
    assert recorded.lines("join") == [4, 9, 10]


def test_a_join_that_times_out_is_not_recorded(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import threading
        def main():
            go = threading.Event()
            thread = threading.Thread(target=go.wait)
            thread.start()
            thread.join(0.001)
            go.set()
            thread.join()
        """,
    )
    assert recorded.lines("join") == [9]


def test_start_new_thread_is_recorded_as_a_start(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import _thread, threading
        def work(done): done.set()
        def main():
            done, others = threading.Event(), _thread._count()
            _thread.start_new_thread(work, (done,))
            done.wait()
            while _thread._count() > others: pass
        """,
    )
    assert recorded.named_steps("start", "begin", "end")[1:-1] == [
        (0, "start", "1"),
        (1, "begin", "work"),
        (1, "end", "1"),
    ]
    assert recorded.named_steps("set", "wait-set") == [(1, "set", "Event"), (0, "wait-set", "Event")]


def test_lock_operations_are_recorded(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import threading
        lock = threading.Lock()
        def main():
            with lock:
                assert lock.locked()
                assert not lock.acquire(False)
                assert not lock.acquire(timeout=0.001)
            lock.acquire()
            lock.release()
            assert lock.acquire(blocking=True, timeout=600)
            lock.release()
        """,
    )
    # Two acquires fail: the first does not wait, and the second blocks until it times out.
    assert steps_of(recorded, "Lock") == [
        "0 acquire", "0 failed", "0 blocked", "0 failed", "0 release",
        "0 acquire", "0 release", "0 acquire", "0 release",
    ]  # fmt: skip
    assert recorded.lines("acquire") == [5, 9, 11]
    assert recorded.lines("release") == [5, 10, 12]
    assert recorded.lines("blocked") == [8]
    assert recorded.lines("failed") == [7, 8]
    assert [str(lock) for lock in recorded.entities.resources] == [
        f"the Lock made at {recorded.table[recorded.steps[-2][3]].file}:3"
    ]


def test_lock_errors_are_not_recorded(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import copy, threading
        def refused(call):
            try: call()
            except (RuntimeError, ValueError, TypeError) as error: return type(error).__name__
        def main():
            lock, rlock = threading.Lock(), threading.RLock()
            return [
                refused(lock.release), refused(lambda: lock.acquire(False, 3)), refused(lambda: lock.acquire(True, -3)),
                refused(rlock.release), refused(lambda: lock.acquire(True, "x")), refused(lambda: copy.copy(lock)),
                refused(lambda: threading.Lock(1)),
            ]
        """,
    )
    assert recorded.value == [
        "RuntimeError", "ValueError", "ValueError", "RuntimeError", "TypeError", "TypeError", "TypeError",
    ]  # fmt: skip
    assert steps_of(recorded, "Lock", "RLock") == []


def test_a_failed_try_acquire_is_recorded(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        THREADS
        + """
lock, taken, seen = threading.Lock(), threading.Event(), threading.Event()
def first():
    with lock:
        taken.set()
        seen.wait()
def second():
    taken.wait()
    got = lock.acquire(False)
    seen.set()
    lock.acquire()
    lock.release()
def main(): run(first, second)
""",
    )
    # Thread 2's non-blocking acquire fails. Whether its blocking acquire has to wait depends on timing.
    kinds = [step for step in steps_of(recorded, "Lock") if "blocked" not in step]
    assert kinds == ["1 acquire", "2 failed", "1 release", "2 acquire", "2 release"]


def test_an_rlock_distinguishes_outer_and_inner_acquires(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import threading
        lock = threading.RLock()
        def main():
            with lock:
                lock.acquire()
                with lock: pass
                lock.release()
            with lock: pass
        """,
    )
    assert steps_of(recorded, "RLock") == [
        "0 acquire", "0 reenter", "0 reenter", "0 release", "0 acquire", "0 release",
    ]  # fmt: skip
    assert recorded.lines("acquire") == [5, 9]
    assert recorded.lines("reenter") == [6, 7]


@pytest.mark.parametrize("lock", ["", "threading.Lock()", "threading.RLock()"])
def test_a_condition_records_wait_notify_and_wakeup(tmp_path: Path, lock: str) -> None:
    recorded = record(
        tmp_path,
        THREADS
        + f"""
condition, items = threading.Condition({lock}), []
def consume():
    with condition:
        while not items: condition.wait()
        items.pop()
def produce():
    with condition:
        items.append(1)
        condition.notify()
def main():
    consumer = threading.Thread(target=consume)
    consumer.start()
    while not condition._waiters: pass
    producer = threading.Thread(target=produce)
    producer.start()
    producer.join()
    consumer.join()
""",
    )
    name = "Lock" if lock.endswith(".Lock()") else "RLock"
    assert [step for step in steps_of(recorded, name, "Condition") if "blocked" not in step] == [
        "1 acquire", "1 release", "1 wait", "2 acquire", "2 notify", "2 release", "1 woken", "1 acquire", "1 release",
    ]  # fmt: skip
    # The wait and the notify have their own lines, not those of the `with` statements.
    assert recorded.lines("wait") == recorded.lines("woken") == [11]
    assert recorded.lines("notify") == [16]


def test_a_condition_wait_that_times_out_is_not_woken(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import threading
        condition = threading.Condition()
        def refused(call):
            try: call()
            except RuntimeError as error: return str(error)
        def main():
            with condition:
                assert not condition.wait(0.001)
                assert condition.wait_for(lambda: True)
                assert not condition.wait_for(lambda: False, 0.001)
            return refused(condition.wait), refused(condition.notify)
        """,
    )
    assert recorded.value == ("cannot wait on un-acquired lock", "cannot notify on un-acquired lock")
    waits = steps_of(recorded, "Condition", "RLock")
    assert waits[:5] == ["0 acquire", "0 release", "0 wait", "0 acquire", "0 release"]
    assert "0 woken" not in waits
    assert "0 notify" not in waits
    assert set(recorded.lines("wait")) == {9, 11}


def test_a_wait_releases_a_condition_that_is_held_twice(tmp_path: Path) -> None:
    """A wait releases a reentrant lock completely and restores its depth of two afterwards."""
    recorded = record(
        tmp_path,
        """
        import threading
        condition = threading.Condition()
        def main():
            with condition:
                with condition:
                    condition.wait(0.001)
                assert condition._is_owned()
            assert not condition._is_owned()
        """,
    )
    assert steps_of(recorded, "RLock") == ["0 acquire", "0 reenter", "0 release", "0 acquire", "0 release"]


def test_event_operations_are_recorded(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import threading
        event = threading.Event()
        def main():
            assert not event.is_set()
            assert not event.wait(0.001)
            event.set()
            assert event.is_set()
            event.wait()
            event.clear()
            assert not event.wait(0)
        """,
    )
    assert steps_of(recorded, "Event") == [
        "0 blocked", "0 failed", "0 set", "0 wait-set", "0 wait-set", "0 clear", "0 failed",
    ]  # fmt: skip
    assert recorded.lines("wait-set") == [8, 9]


@pytest.mark.parametrize("kind", ["Semaphore", "BoundedSemaphore"])
def test_semaphore_operations_are_recorded(tmp_path: Path, kind: str) -> None:
    recorded = record(
        tmp_path,
        f"""
        import threading
        permits = threading.{kind}(2)
        def main():
            with permits:
                assert permits.acquire()
                assert not permits.acquire(False)
                assert not permits.acquire(timeout=0.001)
                permits.release()
        """,
    )
    assert steps_of(recorded, kind) == ["0 down", "0 down", "0 failed", "0 blocked", "0 failed", "0 up", "0 up"]
    assert recorded.lines("down") == [5, 6]


def test_a_barrier_records_every_arrival_before_any_departure(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        THREADS
        + """
barrier = threading.Barrier(3)
def main(): run(barrier.wait, lambda: barrier.wait(), lambda: barrier.wait(5))
""",
    )
    kinds = [step.split()[1] for step in steps_of(recorded, "Barrier")]
    assert kinds == ["up"] * 3 + ["down"] * 3


def test_a_broken_barrier_records_only_the_arrival(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import threading
        barrier = threading.Barrier(2)
        def main():
            try: barrier.wait(0.001)
            except threading.BrokenBarrierError: return "broken"
        """,
    )
    assert recorded.value == "broken"
    assert steps_of(recorded, "Barrier") == ["0 up"]


@pytest.mark.parametrize("kind", ["Queue", "LifoQueue", "PriorityQueue"])
def test_a_queue_records_each_put_before_its_get(tmp_path: Path, kind: str) -> None:
    recorded = record(
        tmp_path,
        THREADS
        + f"""
import queue
items = queue.{kind}(maxsize=1)
def produce():
    for item in range(20): items.put(item)
    items.join()
def consume():
    for _ in range(20):
        items.get()
        items.task_done()
def main():
    run(produce, consume)
    try: items.get_nowait()
    except queue.Empty: pass
    items.put_nowait(1)
    try: items.put_nowait(2)
    except queue.Full: pass
""",
    )
    given = taken = 0
    for step in steps_of(recorded, kind):
        given += step.endswith(" put")
        taken += step.endswith(" get")
        assert taken <= given
    assert (given, taken) == (21, 20)
    kinds = [step.split()[1] for step in steps_of(recorded, kind)]
    assert kinds.count("task-done") == 20
    assert kinds.index("join-queue") > max(index for index, kind in enumerate(kinds) if kind == "task-done")


def test_a_simple_queue_records_each_put_before_its_get(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        THREADS
        + """
import queue
items = queue.SimpleQueue()
def produce():
    for item in range(20): items.put(item)
    items.put_nowait(None)
def consume():
    while items.get() is not None: pass
def main():
    assert isinstance(items, queue.SimpleQueue)
    run(produce, consume)
    try: items.get_nowait()
    except queue.Empty: return items.empty()
""",
    )
    assert recorded.value is True
    kinds = [step.split()[1] for step in steps_of(recorded, "SimpleQueue")]
    assert (kinds.count("put"), kinds.count("get")) == (21, 21)
    given = taken = 0
    for kind in kinds:
        given, taken = given + (kind == "put"), taken + (kind == "get")
        assert taken <= given


def test_pool_tasks_and_results_are_recorded(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        from concurrent.futures import ThreadPoolExecutor
        results = []
        class Job:
            def __call__(self, n): results.append(n); return n
        def square(n): return n * n
        def main():
            with ThreadPoolExecutor(2) as pool:
                future = pool.submit(square, 3)
                mapped = list(pool.map(square, range(3)))
                job = pool.submit(Job(), 5).result()
                failed = pool.submit(square, None).exception()
            return future.result(), mapped, job, type(failed).__name__
        """,
    )
    assert recorded.value == (9, [0, 1, 4], 5, "TypeError")
    tasks = [name for _, _, name in recorded.named_steps("task")]
    assert tasks == ["square"] * 4 + ["Job"] + ["square"]
    assert len({target for _, kind, target, _ in recorded.steps if kind == "task"}) == 6
    # Each task has one put and one get, and each result is set before it is read.
    assert sum(kind == "put" for _, kind, _, _ in recorded.steps) == 6
    assert sum(kind == "get" for _, kind, _, _ in recorded.steps) == 6
    given: set[int] = set()
    for _, kind, target, _ in recorded.steps:
        if kind == "set":
            given.add(target)
        elif kind == "wait-set":
            assert target in given
    assert len(given) == 6


def test_locks_inside_other_primitives_are_not_recorded(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import queue, threading
        from concurrent.futures import ThreadPoolExecutor
        def main():
            threading.Event(), threading.Semaphore(), threading.Barrier(1), queue.Queue().put(1)
            with ThreadPoolExecutor(1) as pool: pool.submit(len, ()).result()
        """,
    )
    assert {resource.type for resource in recorded.entities.resources} == {"Queue", "ThreadPoolExecutor", "Future"}


def test_a_multiprocessing_thread_pool_has_no_races(tmp_path: Path) -> None:
    """The pool's own queues and events order the accesses to objects that the pool's threads pass to each other."""
    recorded = record(
        tmp_path,
        """
        from multiprocessing.pool import ThreadPool
        class Result: pass
        def work(result):
            result.value = 1
            return result
        def main():
            with ThreadPool(2) as pool: results = pool.map(work, [Result() for _ in range(4)])
            return sum(result.value for result in results)
        """,
    )
    assert recorded.value == 4
    assert races(recorded) == []


def test_a_future_orders_its_task_before_its_result(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        from concurrent.futures import ThreadPoolExecutor, as_completed
        class Result: pass
        def work(result): result.value = 1; return result
        def main():
            results = [Result() for _ in range(5)]
            for result in results: result.value = 0
            with ThreadPoolExecutor(2) as pool:
                for future in as_completed([pool.submit(work, result) for result in results]):
                    future.result().value += 1
            return [result.value for result in results]
        """,
    )
    assert recorded.value == [2] * 5
    assert races(recorded) == []


def races(recorded: Recorded) -> list[object]:
    from raddle.checks.races import Races

    check = Races()
    check.begin(recorded.entities)
    check.feed(recorded.steps)
    return list(check.warnings())


def test_all_patches_are_removed_afterwards(tmp_path: Path) -> None:
    import _thread
    import queue
    import threading
    from concurrent.futures import Future

    before = [threading.Lock, threading.RLock, threading.Thread.start, threading.Condition.wait, queue.SimpleQueue,
              queue.Queue.put, Future.result, _thread.start_new_thread, threading.Event.__init__]  # fmt: skip
    record(tmp_path, "def main(): pass")
    after = [threading.Lock, threading.RLock, threading.Thread.start, threading.Condition.wait, queue.SimpleQueue,
             queue.Queue.put, Future.result, _thread.start_new_thread, threading.Event.__init__]  # fmt: skip
    assert before == after
