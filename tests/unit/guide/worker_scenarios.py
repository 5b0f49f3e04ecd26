"""Scenarios for tests of worker processes. Some of them kill the process in which they run."""

import ctypes
import os
import signal
import threading


def die(status):
    """Exit by calling a C function, as an extension module could, because raddle replaces `os._exit`."""
    ctypes.CDLL(None)._exit(status)


class Counter:
    def __init__(self) -> None:
        self.value = 0

    def increment(self) -> None:
        self.value += 1


def run_all(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def lost_update():
    counter = Counter()
    run_all(counter.increment, counter.increment)
    assert counter.value == 2


def crossed_locks():
    first, second = threading.Lock(), threading.Lock()

    def work(outer, inner):
        with outer, inner:
            pass

    run_all(lambda: work(first, second), lambda: work(second, first))


def handed_over():
    """A correct scenario: a thread writes a value and then sets the event that announces the value."""
    counter, ready = Counter(), threading.Event()

    def put():
        counter.value = 7
        ready.set()

    def take():
        ready.wait()
        assert counter.value == 7

    run_all(put, take)


def _order():
    """Return the order in which two threads append letters; each thread appends its letter three times."""
    order = []

    def work(letter):
        for _ in range(3):
            order.append(letter)  # noqa: PERF401 -- threads must be able to switch between two appends

    run_all(lambda: work("a"), lambda: work("b"))
    return "".join(order)


def rarely_fails():
    assert _order() != "ababab"


def rarely_exits():
    """Kill the process in the interleaving in which `rarely_fails` fails."""
    if _order() == "ababab":
        die(3)


def rarely_killed():
    if _order() == "ababab":
        os.kill(os.getpid(), signal.SIGKILL)


def always_exits():
    die(4)


runs = 0


def reset():
    global runs
    runs = 0


def leaves_state_behind():
    global runs
    run_all(lambda: None)
    runs += 1
    assert runs == 1
