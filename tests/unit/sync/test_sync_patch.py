"""Putting the twins in place, and taking them out, leaves nothing behind."""

from __future__ import annotations

import _thread
import concurrent.futures
import queue
import sys
import threading
import time

import pytest
from controlled import outcome_of

from raddle.threads.patches import Patches

CLASSES = (
    threading.Thread, threading.Condition, threading.Event, threading.Semaphore, threading.BoundedSemaphore,
    threading.Barrier, queue.Queue, concurrent.futures.Future, concurrent.futures.ThreadPoolExecutor,
)  # fmt: skip
MODULES = (threading, queue, time, _thread, concurrent.futures.thread, concurrent.futures._base)


def _everything():
    return [dict(vars(owner)) for owner in (*CLASSES, *MODULES)]


def test_undone_to_the_letter():
    before = _everything()
    patches = Patches().install()
    assert _everything() != before
    patches.remove()
    assert _everything() == before


def test_undone_after_an_execution_that_failed():
    before = _everything()
    assert outcome_of(lambda: 1 // 0).kind == "exception"
    assert _everything() == before


def test_reaches_names_that_other_modules_caught(monkeypatch):
    module = type(sys)("catcher")
    module.make, module.wait, module.who = threading.Lock, time.sleep, threading.current_thread
    monkeypatch.setitem(sys.modules, "catcher", module)
    caught = dict(vars(module))
    patches = Patches().install()
    try:
        assert module.make is threading.Lock
        assert module.wait is time.sleep
        assert module.who is threading.current_thread
        assert vars(module) != caught
    finally:
        patches.remove()
    assert vars(module) == caught


def test_twins_in_place_are_the_real_thing_outside_an_execution():
    real = type(threading.Lock()), type(threading.RLock()), type(queue.SimpleQueue()), type(threading.local())
    patches = Patches().install()
    try:
        made = type(threading.Lock()), type(threading.RLock()), type(queue.SimpleQueue()), type(threading.local())
        assert made == real
        assert threading.current_thread() is threading.main_thread()
        assert abs(time.time() - 1_700_000_000) > 1000
        heard = []
        thread = threading.Thread(target=lambda: heard.append(threading.get_ident()))
        thread.start()
        thread.join()
        assert heard == [thread.ident]
    finally:
        patches.remove()


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_forking_is_out_of_control():
    import os

    outcome = outcome_of(lambda: os.fork())
    assert outcome.kind == "uncontrolled"
    assert "the scenario forks" in outcome.message


def test_imports_inside_a_scenario_use_real_locks(monkeypatch):
    def scenario():
        def load():
            import colorsys  # noqa: F401 -- what matters is that two threads import it

        threads = [threading.Thread(target=load) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert outcome_of(scenario).kind == "passed"
