"""The stream of each primitive: what gives is told before it happens, what takes after it has."""

from __future__ import annotations

from pathlib import Path

import pytest
from natively import Recorded, record

THREADS = """
import threading
def run(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""


def steps_of(told: Recorded, *types: str) -> list[str]:
    """Kinds of the steps about resources of these types, in order, each with its thread."""
    unlike = ("begin", "task", "start", "join", "end", "enter", "leave", "block", "read", "write")
    return [
        f"{thread} {kind}"
        for thread, kind, target, _ in told.steps
        if kind not in unlike and told.entities.resources[target].type in types
    ]


def test_threads(tmp_path: Path) -> None:
    told = record(
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
    # The worker is thread 1, its helper 2; both joins of the worker find it ended.
    assert told.told("begin", "start", "end", "join") == [
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
    assert told.lines("start") == [8, 4]
    assert told.lines("join") == [4, 9, 10]


def test_join_that_times_out_is_none(tmp_path: Path) -> None:
    told = record(
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
    assert told.lines("join") == [9]


def test_start_new_thread(tmp_path: Path) -> None:
    told = record(
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
    assert told.told("start", "begin", "end")[1:-1] == [(0, "start", "1"), (1, "begin", "work"), (1, "end", "1")]
    assert told.told("set", "wait-set") == [(1, "set", "Event"), (0, "wait-set", "Event")]


def test_lock(tmp_path: Path) -> None:
    told = record(
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
    # The two that fail: one does not wait, the other is blocked first.
    assert steps_of(told, "Lock") == [
        "0 acquire", "0 failed", "0 blocked", "0 failed", "0 release",
        "0 acquire", "0 release", "0 acquire", "0 release",
    ]  # fmt: skip
    assert told.lines("acquire") == [5, 9, 11]
    assert told.lines("release") == [5, 10, 12]
    assert told.lines("blocked") == [8]
    assert told.lines("failed") == [7, 8]
    assert [str(lock) for lock in told.entities.resources] == [
        f"the Lock made at {told.table[told.steps[-2][3]].file}:3"
    ]


def test_lock_errors_are_not_told(tmp_path: Path) -> None:
    told = record(
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
    assert told.value == [
        "RuntimeError", "ValueError", "ValueError", "RuntimeError", "TypeError", "TypeError", "TypeError",
    ]  # fmt: skip
    assert steps_of(told, "Lock", "RLock") == []


def test_blocked_lock(tmp_path: Path) -> None:
    told = record(
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
    # The second one's try fails; whether its real acquire has to wait is a matter of luck.
    kinds = [step for step in steps_of(told, "Lock") if "blocked" not in step]
    assert kinds == ["1 acquire", "2 failed", "1 release", "2 acquire", "2 release"]


def test_rlock_tells_outer_and_inner_acquires_apart(tmp_path: Path) -> None:
    told = record(
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
    assert steps_of(told, "RLock") == [
        "0 acquire", "0 reenter", "0 reenter", "0 release", "0 acquire", "0 release",
    ]  # fmt: skip
    assert told.lines("acquire") == [5, 9]
    assert told.lines("reenter") == [6, 7]


@pytest.mark.parametrize("lock", ["", "threading.Lock()", "threading.RLock()"])
def test_condition(tmp_path: Path, lock: str) -> None:
    told = record(
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
    assert [step for step in steps_of(told, name, "Condition") if "blocked" not in step] == [
        "1 acquire", "1 release", "1 wait", "2 acquire", "2 notify", "2 release", "1 woken", "1 acquire", "1 release",
    ]  # fmt: skip
    # What is at the condition's lock is at the `with`, what is at the wait is there.
    assert told.lines("wait") == told.lines("woken") == [11]
    assert told.lines("notify") == [16]


def test_condition_without_notification(tmp_path: Path) -> None:
    told = record(
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
    assert told.value == ("cannot wait on un-acquired lock", "cannot notify on un-acquired lock")
    waits = steps_of(told, "Condition", "RLock")
    assert waits[:5] == ["0 acquire", "0 release", "0 wait", "0 acquire", "0 release"]
    assert "0 woken" not in waits
    assert "0 notify" not in waits
    assert set(told.lines("wait")) == {9, 11}


def test_condition_of_a_condition_in_a_condition(tmp_path: Path) -> None:
    """A re-entrant lock that is held twice is released at once by waiting, and is held twice after."""
    told = record(
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
    assert steps_of(told, "RLock") == ["0 acquire", "0 reenter", "0 release", "0 acquire", "0 release"]


def test_event(tmp_path: Path) -> None:
    told = record(
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
    assert steps_of(told, "Event") == [
        "0 blocked", "0 failed", "0 set", "0 wait-set", "0 wait-set", "0 clear", "0 failed",
    ]  # fmt: skip
    assert told.lines("wait-set") == [8, 9]


@pytest.mark.parametrize("kind", ["Semaphore", "BoundedSemaphore"])
def test_semaphore(tmp_path: Path, kind: str) -> None:
    told = record(
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
    assert steps_of(told, kind) == ["0 down", "0 down", "0 failed", "0 blocked", "0 failed", "0 up", "0 up"]
    assert told.lines("down") == [5, 6]


def test_barrier(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        THREADS
        + """
barrier = threading.Barrier(3)
def main(): run(barrier.wait, lambda: barrier.wait(), lambda: barrier.wait(5))
""",
    )
    kinds = [step.split()[1] for step in steps_of(told, "Barrier")]
    assert kinds == ["up"] * 3 + ["down"] * 3


def test_broken_barrier(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        import threading
        barrier = threading.Barrier(2)
        def main():
            try: barrier.wait(0.001)
            except threading.BrokenBarrierError: return "broken"
        """,
    )
    assert told.value == "broken"
    assert steps_of(told, "Barrier") == ["0 up"]


@pytest.mark.parametrize("kind", ["Queue", "LifoQueue", "PriorityQueue"])
def test_queue(tmp_path: Path, kind: str) -> None:
    told = record(
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
    for step in steps_of(told, kind):
        given += step.endswith(" put")
        taken += step.endswith(" get")
        assert taken <= given
    assert (given, taken) == (21, 20)
    kinds = [step.split()[1] for step in steps_of(told, kind)]
    assert kinds.count("task-done") == 20
    assert kinds.index("join-queue") > max(index for index, kind in enumerate(kinds) if kind == "task-done")


def test_simple_queue(tmp_path: Path) -> None:
    told = record(
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
    assert told.value is True
    kinds = [step.split()[1] for step in steps_of(told, "SimpleQueue")]
    assert (kinds.count("put"), kinds.count("get")) == (21, 21)
    given = taken = 0
    for kind in kinds:
        given, taken = given + (kind == "put"), taken + (kind == "get")
        assert taken <= given


def test_pool(tmp_path: Path) -> None:
    told = record(
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
    assert told.value == (9, [0, 1, 4], 5, "TypeError")
    tasks = [what for _, _, what in told.told("task")]
    assert tasks == ["square"] * 4 + ["Job"] + ["square"]
    assert len({target for _, kind, target, _ in told.steps if kind == "task"}) == 6
    # One put and one get for each task; every result was asked for after it was set.
    assert sum(kind == "put" for _, kind, _, _ in told.steps) == 6
    assert sum(kind == "get" for _, kind, _, _ in told.steps) == 6
    given: set[int] = set()
    for _, kind, target, _ in told.steps:
        if kind == "set":
            given.add(target)
        elif kind == "wait-set":
            assert target in given
    assert len(given) == 6


def test_what_is_inside_others_is_not_told(tmp_path: Path) -> None:
    told = record(
        tmp_path,
        """
        import queue, threading
        from concurrent.futures import ThreadPoolExecutor
        def main():
            threading.Event(), threading.Semaphore(), threading.Barrier(1), queue.Queue().put(1)
            with ThreadPoolExecutor(1) as pool: pool.submit(len, ()).result()
        """,
    )
    assert {resource.type for resource in told.entities.resources} == {"Queue", "ThreadPoolExecutor", "Future"}


def test_pool_of_multiprocessing(tmp_path: Path) -> None:
    """What its threads hand to each other is in order by queues and events that it makes itself."""
    told = record(
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
    assert told.value == 4
    assert races(told) == []


def test_future_orders_what_its_task_did(tmp_path: Path) -> None:
    told = record(
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
    assert told.value == [2] * 5
    assert races(told) == []


def races(told: Recorded) -> list[object]:
    from raddle.checks.races import Races

    check = Races()
    check.begin(told.entities)
    check.feed(told.steps)
    return list(check.warnings())


def test_everything_is_as_it_was_afterwards(tmp_path: Path) -> None:
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
