"""Small programs that start threads, timers and pools."""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from counted import Box, side_by_side


def started_by_child() -> None:
    box = Box()

    def grandchild() -> None:
        box.n = 3

    def child() -> None:
        thread = threading.Thread(target=grandchild)
        thread.start()
        box.n = 2
        thread.join()
        box.n = 4

    side_by_side(child, grandchild)


def joined_by_two() -> None:
    box = Box()

    def work() -> None:
        box.n = 1

    def follow() -> None:
        worker.join()
        box.n = 2

    worker = threading.Thread(target=work)
    worker.start()
    side_by_side(follow, follow)


def watched_thread() -> None:
    box = Box()

    def work() -> None:
        box.n = 1

    def observe() -> None:
        if not worker.is_alive():
            box.n = 2

    worker = threading.Thread(target=work)
    worker.start()
    side_by_side(observe)
    worker.join()


def left_behind() -> None:
    box, lock = Box(), threading.Lock()

    def linger() -> None:
        with lock:
            box.n = 1
        with lock:
            box.n = 2

    threading.Thread(target=linger, daemon=True).start()
    with lock:
        box.m = box.n


def sleepers() -> None:
    box = Box()

    def work(seconds: float) -> None:
        time.sleep(seconds)
        box.n += 1

    side_by_side(lambda: work(1), lambda: work(2), lambda: work(1))


def joined_in_time() -> None:
    box = Box()

    def work() -> None:
        time.sleep(1)
        box.n = 1

    worker = threading.Thread(target=work)
    worker.start()
    worker.join(1)
    box.m = box.n
    worker.join()


def timers() -> None:
    box = Box()

    def work(value: int) -> None:
        box.n = value

    clocks = [threading.Timer(1, work, [value]) for value in range(2)]
    for clock in clocks:
        clock.start()
    clocks[0].cancel()
    for clock in clocks:
        clock.join()


def daemon_in_waiting() -> None:
    pipe: queue.Queue[int] = queue.Queue()

    def serve() -> None:
        while True:
            pipe.get()
            pipe.task_done()

    threading.Thread(target=serve, daemon=True).start()
    pipe.put(1)
    pipe.join()


def one_in_the_pool() -> None:
    box = Box()

    def work(value: int) -> None:
        box.n = value

    with ThreadPoolExecutor(1) as pool:
        pool.submit(work, 1)
        box.n = 2


def result_of_the_pool() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(int, "7").result() == 7
