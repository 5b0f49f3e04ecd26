"""Threads, and the functions that identify the running thread."""

from __future__ import annotations

import _thread
import sys
import threading
import time

import pytest
from controlled import controlled, controlled_with_seeds, outcome_of, result_of


def _run(*targets, **options):
    threads = [threading.Thread(target=target, **options) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return threads


def _started_twice():
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    thread.start()


def _daemon_set_after_start():
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    thread.daemon = True


def _uninitialized():
    class Uninitialized(threading.Thread):
        def __init__(self):
            pass

    return Uninitialized()


def _joined_by_itself():
    results = []
    _run(lambda: results.append(result_of(threading.current_thread().join)))
    return results


CALLS = {
    "started twice": _started_twice,
    "joined before start": lambda: threading.Thread().join(),
    "joined by itself": _joined_by_itself,
    "current thread joined": lambda: threading.current_thread().join(),
    "daemon set after start": _daemon_set_after_start,
    "daemon set before start": lambda: (lambda t: (setattr(t, "daemon", True), t.daemon))(threading.Thread()),
    "start, uninitialized": lambda: _uninitialized().start(),
    "join, uninitialized": lambda: _uninitialized().join(),
    "daemon, uninitialized": lambda: setattr(_uninitialized(), "daemon", True),
    "is_alive before start": lambda: threading.Thread().is_alive(),
    "idents before start": lambda: (threading.Thread().ident, threading.Thread().native_id),
    "not callable": lambda: _thread.start_new_thread(1, ()),
    "args not a tuple": lambda: _thread.start_new_thread(print, []),
    "kwargs not a dictionary": lambda: _thread.start_new_thread(print, (), 3),
    "kwargs None": lambda: _thread.start_new_thread(print, (), None),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_calls_have_the_same_results_as_on_a_real_thread(call):
    assert controlled(lambda: result_of(call)) == result_of(call)


def test_a_thread_receives_its_arguments_and_reports_its_state():
    def scenario():
        seen = []
        thread = threading.Thread(target=lambda *a, **k: seen.append((a, k)), args=(1,), kwargs={"b": 2}, name="mine")
        assert not thread.is_alive()
        assert "initial" in repr(thread)
        thread.start()
        assert thread.ident is not None
        thread.join()
        assert "stopped" in repr(thread)
        return seen, thread.name, thread.is_alive()

    expected = ([((1,), {"b": 2})], "mine", False)
    assert controlled(scenario) == scenario() == expected


def test_names_are_the_same_in_each_execution_and_real_numbering_continues_afterwards():
    def scenario():
        threads = _run(int, int)
        return [thread.name for thread in threads]

    before = threading.Thread().name
    assert controlled_with_seeds(scenario, seeds=range(3)) == [["Thread-1 (int)", "Thread-2 (int)"]] * 3
    assert int(threading.Thread().name.split("-")[1]) == int(before.split("-")[1]) + 1


def test_all_functions_agree_on_the_running_thread():
    def scenario():
        seen = []

        def check():
            current = threading.current_thread()
            seen.append(current.name)
            assert current.ident == threading.get_ident() == _thread.get_ident()
            assert current.native_id == threading.get_native_id() == _thread.get_native_id()
            assert current in threading.enumerate()
            assert current.is_alive()
            time.sleep(1)
            assert threading.get_ident() == current.ident

        check()
        assert threading.current_thread() is threading.main_thread()
        threads = [threading.Thread(target=check, name=name) for name in "ab"]
        assert threading.enumerate() == [threading.main_thread()]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        assert threading.enumerate() == [threading.main_thread(), *threads]
        assert threading.active_count() == 3
        assert len({thread.ident for thread in threading.enumerate()}) == 3
        for thread in threads:
            thread.join()
        assert threading.enumerate() == [threading.main_thread()]
        return sorted(seen)

    assert all(seen == ["MainThread", "a", "b"] for seen in controlled_with_seeds(scenario))


def test_the_main_thread_can_be_joined_by_another_thread():
    def scenario():
        order = []
        thread = threading.Thread(target=lambda: (threading.main_thread().join(), order.append("after")))
        thread.start()
        time.sleep(1)
        assert threading.main_thread().is_alive()
        order.append("main")
        return order

    assert controlled(scenario) == ["main", "after"]


def test_a_subclass_can_override_start_run_and_join():
    class Worker(threading.Thread):
        def __init__(self, log):
            super().__init__(name="worker")
            self.log = log

        def start(self):
            self.log.append("start")
            super().start()

        def run(self):
            self.log.append(f"run in {threading.current_thread().name}")

        def join(self, timeout=None):
            super().join(timeout)
            self.log.append("join")

    def scenario():
        worker = Worker([])
        worker.start()
        worker.join()
        return worker.log

    assert controlled(scenario) == scenario() == ["start", "run in worker", "join"]


def test_join_with_a_timeout_waits_in_virtual_time():
    def scenario():
        thread = threading.Thread(target=time.sleep, args=(7200,))
        thread.start()
        start = time.monotonic()
        assert thread.join(timeout=3600) is None
        assert thread.is_alive()
        assert 3600 <= time.monotonic() - start < 3601
        thread.join(0)
        thread.join(-1)
        assert thread.is_alive()
        thread.join()
        assert not thread.is_alive()
        return time.monotonic() - start

    assert 7200 <= controlled(scenario) < 7201


def test_a_thread_that_waits_forever_is_a_deadlock_unless_it_is_a_daemon():
    def scenario(daemon):
        threading.Thread(target=threading.Event().wait, daemon=daemon).start()

    assert controlled(lambda: scenario(True)) is None
    assert outcome_of(lambda: scenario(False)).kind == "deadlock"


def test_the_daemon_flag_is_inherited():
    def scenario():
        kinds = []
        thread = threading.Thread(target=lambda: kinds.append(threading.Thread().daemon), daemon=True)
        thread.start()
        thread.join()
        return kinds, threading.Thread().daemon

    assert controlled(scenario) == scenario() == ([True], False)


def test_an_exception_in_a_thread_fails_the_execution():
    outcome = outcome_of(lambda: _run(lambda: 1 // 0))
    assert (outcome.kind, outcome.thread) == ("exception", "T1")
    assert "ZeroDivisionError" in outcome.message


def test_exit_ends_only_its_thread():
    def scenario():
        done = []
        _run(sys.exit, lambda: _thread.exit(), lambda: done.append(1))
        _thread.start_new_thread(sys.exit, ())
        time.sleep(1)
        return done

    assert controlled(scenario) == [1]


def test_the_scenarios_excepthook_is_called_in_each_execution_and_then_removed():
    before, results = threading.excepthook, []

    def scenario():
        threading.excepthook = lambda args: results.append((args.exc_type, args.thread.name))
        _run(lambda: 1 // 0, name="culprit")

    for _ in range(2):
        assert outcome_of(scenario).kind == "exception"
    assert results == [(ZeroDivisionError, "culprit")] * 2
    assert threading.excepthook is before


def test_a_timer_fires_after_its_interval_unless_cancelled():
    def scenario():
        results, start = [], time.monotonic()
        first = threading.Timer(3600, lambda: results.append(round(time.monotonic() - start)))
        second = threading.Timer(1800, results.append, args=("never",))
        first.start()
        second.start()
        time.sleep(60)
        second.cancel()
        for timer in (first, second):
            timer.join()
        return results

    assert all(results == [3600] for results in controlled_with_seeds(scenario))


def test_low_level_threads_are_dummy_threads_with_consistent_idents():
    def scenario():
        done, lock = [], _thread.allocate_lock()
        lock.acquire()

        def work(*args, **kwargs):
            current = threading.current_thread()
            assert isinstance(current, threading._DummyThread)
            assert current is threading.current_thread()
            assert current.ident == _thread.get_ident()
            done.append((current.name, current.daemon, args, kwargs, _thread._count()))
            lock.release()

        ident = _thread.start_new_thread(work, (1,), {"b": 2})
        assert ident != _thread.get_ident()
        assert lock.acquire(timeout=60)
        time.sleep(1)
        assert _thread._count() == 0
        return done

    assert controlled_with_seeds(scenario, seeds=range(5)) == [[("Dummy-1", True, (1,), {"b": 2}, 1)]] * 5


def test_many_threads_and_deeply_nested_threads_all_run():
    def scenario():
        done = []
        threads = [threading.Thread(target=lambda: (time.sleep(1), done.append(1))) for _ in range(300)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        def descend(left):
            if left:
                _run(lambda: descend(left - 1))
            done.append(1)

        descend(100)
        return len(done)

    assert controlled(scenario) == 401


def test_threads_of_an_ended_execution_have_ended_even_if_they_never_ran():
    escaped = []

    def scenario():
        escaped.append(threading.Thread(target=threading.Event().wait, daemon=True))
        escaped[-1].start()
        escaped.append(threading.Thread(target=int))
        escaped[-1].start()
        raise ZeroDivisionError

    assert outcome_of(scenario).kind == "exception"
    for thread in escaped:
        assert not thread.is_alive()
        thread.join()
    assert controlled(lambda: [thread.is_alive() or thread.join() for thread in escaped]) == [None, None]


def test_a_concurrent_real_thread_sees_the_real_primitives():
    stop, seen = threading.Event(), []
    real = type(threading.Lock())

    def check():
        while not stop.is_set():
            lock = threading.Lock()
            with lock:
                seen.append((type(lock) is real, threading.current_thread() is thread, thread.is_alive()))
            assert time.time() > 1_700_000_000
            time.sleep(0)

    thread = threading.Thread(target=check)
    thread.start()
    try:
        for _ in range(3):
            count = len(seen)
            controlled_with_seeds(lambda: _run(lambda: time.sleep(3600), int))
            while len(seen) == count:
                pass
    finally:
        stop.set()
        thread.join()
    assert set(seen) == {(True, True, True)}


def test_waiting_for_a_real_thread_is_reported_as_uncontrolled():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="outsider")
    thread.start()
    try:
        outcome = outcome_of(lambda: thread.join())
    finally:
        stop.set()
        thread.join()
    assert outcome.kind == "uncontrolled"
    assert "outsider was started before the execution began" in outcome.message
