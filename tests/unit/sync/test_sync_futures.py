"""`concurrent.futures` on the twins: pools, futures, `wait` and `as_completed`."""

from __future__ import annotations

import concurrent.futures as cf
import threading
import time

import pytest
from controlled import controlled, controlled_with_seeds, outcome_of, result_of


def _double(number):
    time.sleep(number)
    return 2 * number


def _fail(number):
    time.sleep(number)
    raise ValueError(number)


def test_results_arrive_and_submit_after_shutdown_is_refused():
    def scenario():
        with cf.ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(_double, number) for number in (3, 1, 2)]
            assert [future.result() for future in futures] == [6, 2, 4]
            assert all(future.done() and not future.running() for future in futures)
        return result_of(lambda: pool.submit(_double, 1))

    assert set(controlled_with_seeds(scenario)) == {("RuntimeError", "cannot schedule new futures after shutdown")}


def test_map_keeps_the_order_and_times_out_in_virtual_time():
    def scenario():
        start = time.monotonic()
        with cf.ThreadPoolExecutor(3) as pool:
            assert list(pool.map(_double, (30, 10, 20))) == [60, 20, 40]
            assert 30 <= time.monotonic() - start < 31
            with pytest.raises(cf.TimeoutError):
                list(pool.map(_double, (3600,), timeout=60))
            assert 90 <= time.monotonic() - start < 91
        assert 3630 <= time.monotonic() - start < 3631

    controlled_with_seeds(scenario, seeds=range(5))


def test_exceptions_are_raised_by_result_and_map():
    def scenario():
        with cf.ThreadPoolExecutor(1) as pool:
            future = pool.submit(_fail, 5)
            return (
                result_of(future.result),
                result_of(lambda: str(future.exception())),
                result_of(lambda: list(pool.map(_fail, [1]))),
            )

    expected = (("ValueError", "5"), ("returned", "'5'"), ("ValueError", "1"))
    assert all(results == expected for results in controlled_with_seeds(scenario, seeds=range(5)))


def test_result_times_out():
    def scenario():
        with cf.ThreadPoolExecutor(1) as pool:
            future = pool.submit(_double, 3600)
            with pytest.raises(cf.TimeoutError):
                future.result(timeout=60)
            assert future.running()
            assert future.cancel() is False
            return future.result(timeout=3600)

    assert controlled(scenario) == 7200


def test_worker_names_are_the_same_in_each_execution():
    def scenario():
        with cf.ThreadPoolExecutor(1) as one, cf.ThreadPoolExecutor(1, thread_name_prefix="mine") as other:
            return [pool.submit(lambda: threading.current_thread().name).result() for pool in (one, other)]

    assert controlled_with_seeds(scenario, seeds=range(3)) == [["ThreadPoolExecutor-0_0", "mine_0"]] * 3


def test_initializer_runs_once_in_each_worker():
    def scenario():
        ready = []
        with cf.ThreadPoolExecutor(2, initializer=ready.append, initargs=("ready",)) as pool:
            list(pool.map(_double, (1, 1, 1, 1)))
        return ready

    assert all(ready == ["ready"] * 2 for ready in controlled_with_seeds(scenario, seeds=range(5)))


def test_shutdown_can_cancel_pending_futures():
    def scenario():
        pool = cf.ThreadPoolExecutor(1)
        futures = [pool.submit(_double, 10) for _ in range(3)]
        time.sleep(1)
        pool.shutdown(wait=True, cancel_futures=True)
        assert futures[0].result() == 20
        return [future.cancelled() for future in futures], result_of(futures[2].result)[0]

    expected = ([False, True, True], "CancelledError")
    assert all(found == expected for found in controlled_with_seeds(scenario, seeds=range(5)))


def test_a_submitted_task_finishes_after_shutdown_without_waiting():
    def scenario():
        pool = cf.ThreadPoolExecutor(1)
        future = pool.submit(_double, 10)
        pool.shutdown(wait=False)
        return future.result()

    assert set(controlled_with_seeds(scenario, seeds=range(5))) == {20}


def test_a_pool_that_is_never_shut_down_is_no_deadlock():
    kept = []

    def scenario():
        kept.append(cf.ThreadPoolExecutor(2))
        return kept[-1].submit(_double, 1).result()

    assert set(controlled_with_seeds(scenario, seeds=range(5))) == {2}


def test_waiting_for_a_future_without_a_worker_is_a_deadlock():
    assert outcome_of(lambda: cf.Future().result()).kind == "deadlock"


@pytest.mark.parametrize(
    ("until", "done"),
    [(cf.FIRST_COMPLETED, {"short"}), (cf.FIRST_EXCEPTION, {"short", "bad"}), (cf.ALL_COMPLETED, None)],
)
def test_wait_returns_when_its_condition_holds(until, done):
    def scenario():
        with cf.ThreadPoolExecutor(3) as pool:
            tasks = {"short": (_double, 1), "bad": (_fail, 2), "long": (_double, 3)}
            futures = {pool.submit(*task): name for name, task in tasks.items()}
            found = cf.wait(futures, return_when=until)
            return {futures[future] for future in found.done}, {futures[future] for future in found.not_done}

    all_names = {"short", "bad", "long"}
    expected = (done or all_names, all_names - (done or all_names))
    assert all(found == expected for found in controlled_with_seeds(scenario))


def test_wait_times_out():
    def scenario():
        with cf.ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(_double, seconds) for seconds in (10, 3600)]
            found = cf.wait(futures, timeout=60)
            return len(found.done), len(found.not_done)

    assert controlled(scenario) == (1, 1)


def test_as_completed_yields_in_order_of_completion_and_times_out():
    def scenario():
        with cf.ThreadPoolExecutor(3) as pool:
            futures = [pool.submit(_double, seconds) for seconds in (30, 10, 3600)]
            completed = cf.as_completed(futures, timeout=60)
            assert [next(completed).result(), next(completed).result()] == [20, 60]
            return result_of(lambda: next(completed))

    expected = ("TimeoutError", "1 (of 3) futures unfinished")
    assert all(results == expected for results in controlled_with_seeds(scenario, seeds=range(5)))


def test_callbacks_run_in_the_worker_or_immediately():
    def scenario():
        results = []
        with cf.ThreadPoolExecutor(1, thread_name_prefix="worker") as pool:
            future = pool.submit(_double, 1)
            future.add_done_callback(lambda f: results.append((f.result(), threading.current_thread().name)))
            future.result()
        future.add_done_callback(lambda f: results.append((f.result(), threading.current_thread().name)))
        return results

    assert controlled(scenario) == [(2, "worker_0"), (2, "MainThread")]


def test_tasks_are_interleaved_in_more_than_two_ways():
    def scenario():
        order = []

        def work(name):
            order.append(name)
            time.sleep(0)
            order.append(name.upper())

        with cf.ThreadPoolExecutor(2) as pool:
            list(pool.map(work, "ab"))
        return "".join(order)

    assert len(set(controlled_with_seeds(scenario))) > 2


def test_real_threads_can_read_a_future_from_an_ended_execution():
    escaped = []

    def scenario():
        with cf.ThreadPoolExecutor(1) as pool:
            escaped.append(pool.submit(_double, 4))

    controlled(scenario)
    results = []
    thread = threading.Thread(target=lambda: results.append(escaped[0].result(timeout=60)))
    thread.start()
    thread.join()
    assert results == [8]


def test_a_pool_created_earlier_works_after_an_execution():
    with cf.ThreadPoolExecutor(1) as pool:
        controlled(lambda: None)
        assert pool.submit(_double, 0).result(60) == 0
