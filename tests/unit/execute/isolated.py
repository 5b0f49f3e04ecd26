"""Scenarios that must not share a process: they leave state behind or end the process."""

import ctypes
import os
import signal
import threading

cache = {}
runs = []
calls = []


def run_all(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def note():
    calls.append(1)


def remember():
    if "a" not in cache:
        cache["a"] = []
    cache["a"].append(1)


def remembers():
    run_all(remember, remember)
    assert len(cache["a"]) == 2, cache


def runs_once():
    runs.append(1)
    run_all(lambda: None)
    assert len(runs) == 1, runs


def die(status):
    """End the process as a C library would. raddle controls `os._exit`, so this calls the C function."""
    ctypes.CDLL(None)._exit(status)


class Box:
    value = 0


def dies_or_fails():
    """End the process in some orders and fail the assertion in others.

    A thread ends the process if, between its write and its second read, the other thread runs completely. If both
    threads read before either writes, the assertion fails instead.
    """
    box = Box()

    def work():
        value = box.value
        box.value = value + 1
        if value == 0 and box.value == 2:
            die(9)

    run_all(work, work)
    assert box.value == 2


def dies_with_the_gil():
    """End the process in some interleavings, which are also possible with the GIL: CPython can switch at a call."""
    box = Box()

    def give():
        return box.value

    def work():
        value = give()
        box.value = value + 1
        if value == 0 and give() == 2:
            die(9)

    run_all(work, work)


def killed():
    run_all(lambda: os.kill(os.getpid(), signal.SIGKILL))


def exits_at_once():
    die(0)


def exits_by_chance():
    """Crash in every second execution, regardless of the schedule.

    The directory `odd` exists if the next execution must crash.
    """
    run_all(lambda: None)
    try:
        os.rmdir("odd")
    except FileNotFoundError:
        os.mkdir("odd")
    else:
        die(7)
