"""Installing the twins patches all names, and removing the twins restores them."""

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


def _patchable_names():
    return [dict(vars(owner)) for owner in (*CLASSES, *MODULES)]


def test_removing_the_patches_restores_everything():
    before = _patchable_names()
    patches = Patches().install()
    assert _patchable_names() != before
    patches.remove()
    assert _patchable_names() == before


def test_patches_are_removed_after_a_failed_execution():
    before = _patchable_names()
    assert outcome_of(lambda: 1 // 0).kind == "exception"
    assert _patchable_names() == before


def test_names_imported_by_other_modules_are_patched(monkeypatch):
    module = type(sys)("importer")
    module.make, module.wait, module.current = threading.Lock, time.sleep, threading.current_thread
    monkeypatch.setitem(sys.modules, "importer", module)
    before = dict(vars(module))
    patches = Patches().install()
    try:
        assert module.make is threading.Lock
        assert module.wait is time.sleep
        assert module.current is threading.current_thread
        assert vars(module) != before
    finally:
        patches.remove()
    assert vars(module) == before


def test_installed_twins_behave_like_the_originals_outside_an_execution():
    real = type(threading.Lock()), type(threading.RLock()), type(queue.SimpleQueue()), type(threading.local())
    patches = Patches().install()
    try:
        made = type(threading.Lock()), type(threading.RLock()), type(queue.SimpleQueue()), type(threading.local())
        assert made == real
        assert threading.current_thread() is threading.main_thread()
        assert abs(time.time() - 1_700_000_000) > 1000
        results = []
        thread = threading.Thread(target=lambda: results.append(threading.get_ident()))
        thread.start()
        thread.join()
        assert results == [thread.ident]
    finally:
        patches.remove()


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_forking_is_reported_as_uncontrolled():
    import os

    outcome = outcome_of(lambda: os.fork())
    assert outcome.kind == "uncontrolled"
    assert "the scenario forks" in outcome.message


def test_imports_inside_a_scenario_use_real_locks(monkeypatch):
    def scenario():
        def load():
            import colorsys  # noqa: F401 -- the test is about two threads importing it

        threads = [threading.Thread(target=load) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert outcome_of(scenario).kind == "passed"
