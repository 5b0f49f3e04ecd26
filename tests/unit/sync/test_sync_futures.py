"""`concurrent.futures` on the twins: pools, futures, `wait` and `as_completed`."""

from __future__ import annotations

import concurrent.futures as cf
import threading
import time

import pytest
from controlled import controlled, controlled_often, outcome_of, said


def _double(number):
    time.sleep(number)
    return 2 * number


def _fail(number):
    time.sleep(number)
    raise ValueError(number)


def test_submit_and_result():
    def scenario():
        with cf.ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(_double, number) for number in (3, 1, 2)]
            assert [future.result() for future in futures] == [6, 2, 4]
            assert all(future.done() and not future.running() for future in futures)
        return said(lambda: pool.submit(_double, 1))

    assert set(controlled_often(scenario)) == {("RuntimeError", "cannot schedule new futures after shutdown")}


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

    controlled_often(scenario, seeds=range(5))


def test_exceptions_reach_whoever_asks():
    def scenario():
        with cf.ThreadPoolExecutor(1) as pool:
            future = pool.submit(_fail, 5)
            return said(future.result), said(lambda: str(future.exception())), said(lambda: list(pool.map(_fail, [1])))

    expected = (("ValueError", "5"), ("returned", "'5'"), ("ValueError", "1"))
    assert all(heard == expected for heard in controlled_often(scenario, seeds=range(5)))


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


def test_names_of_workers_are_the_same_in_each_execution():
    def scenario():
        with cf.ThreadPoolExecutor(1) as one, cf.ThreadPoolExecutor(1, thread_name_prefix="mine") as other:
            return [pool.submit(lambda: threading.current_thread().name).result() for pool in (one, other)]

    assert controlled_often(scenario, seeds=range(3)) == [["ThreadPoolExecutor-0_0", "mine_0"]] * 3


def test_initializer_runs_once_in_each_worker():
    def scenario():
        ready = []
        with cf.ThreadPoolExecutor(2, initializer=ready.append, initargs=("ready",)) as pool:
            list(pool.map(_double, (1, 1, 1, 1)))
        return ready

    assert all(ready == ["ready"] * 2 for ready in controlled_often(scenario, seeds=range(5)))


def test_shutdown_can_cancel_what_has_not_begun():
    def scenario():
        pool = cf.ThreadPoolExecutor(1)
        futures = [pool.submit(_double, 10) for _ in range(3)]
        time.sleep(1)
        pool.shutdown(wait=True, cancel_futures=True)
        assert futures[0].result() == 20
        return [future.cancelled() for future in futures], said(futures[2].result)[0]

    expected = ([False, True, True], "CancelledError")
    assert all(found == expected for found in controlled_often(scenario, seeds=range(5)))


def test_shutdown_without_waiting():
    def scenario():
        pool = cf.ThreadPoolExecutor(1)
        future = pool.submit(_double, 10)
        pool.shutdown(wait=False)
        return future.result()

    assert set(controlled_often(scenario, seeds=range(5))) == {20}


def test_a_pool_left_open_is_no_deadlock():
    kept = []

    def scenario():
        kept.append(cf.ThreadPoolExecutor(2))
        return kept[-1].submit(_double, 1).result()

    assert set(controlled_often(scenario, seeds=range(5))) == {2}


def test_a_future_nobody_fulfils_is_a_deadlock():
    assert outcome_of(lambda: cf.Future().result()).kind == "deadlock"


@pytest.mark.parametrize(
    ("until", "done"),
    [(cf.FIRST_COMPLETED, {"short"}), (cf.FIRST_EXCEPTION, {"short", "bad"}), (cf.ALL_COMPLETED, None)],
)
def test_wait(until, done):
    def scenario():
        with cf.ThreadPoolExecutor(3) as pool:
            tasks = {"short": (_double, 1), "bad": (_fail, 2), "long": (_double, 3)}
            futures = {pool.submit(*task): name for name, task in tasks.items()}
            found = cf.wait(futures, return_when=until)
            return {futures[future] for future in found.done}, {futures[future] for future in found.not_done}

    everybody = {"short", "bad", "long"}
    expected = (done or everybody, everybody - (done or everybody))
    assert all(found == expected for found in controlled_often(scenario))


def test_wait_times_out():
    def scenario():
        with cf.ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(_double, seconds) for seconds in (10, 3600)]
            found = cf.wait(futures, timeout=60)
            return len(found.done), len(found.not_done)

    assert controlled(scenario) == (1, 1)


def test_as_completed_gives_the_first_first_and_times_out():
    def scenario():
        with cf.ThreadPoolExecutor(3) as pool:
            futures = [pool.submit(_double, seconds) for seconds in (30, 10, 3600)]
            completed = cf.as_completed(futures, timeout=60)
            assert [next(completed).result(), next(completed).result()] == [20, 60]
            return said(lambda: next(completed))

    expected = ("TimeoutError", "1 (of 3) futures unfinished")
    assert all(heard == expected for heard in controlled_often(scenario, seeds=range(5)))


def test_callbacks_run_in_the_worker_or_at_once():
    def scenario():
        heard = []
        with cf.ThreadPoolExecutor(1, thread_name_prefix="worker") as pool:
            future = pool.submit(_double, 1)
            future.add_done_callback(lambda f: heard.append((f.result(), threading.current_thread().name)))
            future.result()
        future.add_done_callback(lambda f: heard.append((f.result(), threading.current_thread().name)))
        return heard

    assert controlled(scenario) == [(2, "worker_0"), (2, "MainThread")]


def test_tasks_overlap_in_more_than_one_way():
    def scenario():
        order = []

        def work(name):
            order.append(name)
            time.sleep(0)
            order.append(name.upper())

        with cf.ThreadPoolExecutor(2) as pool:
            list(pool.map(work, "ab"))
        return "".join(order)

    assert len(set(controlled_often(scenario))) > 2


def test_a_future_that_escaped_can_be_asked_by_real_threads():
    escaped = []

    def scenario():
        with cf.ThreadPoolExecutor(1) as pool:
            escaped.append(pool.submit(_double, 4))

    controlled(scenario)
    heard = []
    thread = threading.Thread(target=lambda: heard.append(escaped[0].result(timeout=60)))
    thread.start()
    thread.join()
    assert heard == [8]


def test_a_pool_made_earlier_is_not_used_up_and_works_afterwards():
    with cf.ThreadPoolExecutor(1) as pool:
        controlled(lambda: None)
        assert pool.submit(_double, 0).result(60) == 0
