"""References that a program stored before raddle patched anything: clock functions and weak proxies."""

from __future__ import annotations

import threading
import time
import weakref

import pytest

import raddle


def run(*works):
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Timer:
    of_the_class = time.monotonic
    in_a_table = {"now": time.monotonic}

    def __init__(self, clock=time.monotonic, *, wait=time.sleep):
        self.clock = clock
        self.wait = wait
        self.began = clock()

    def passed(self):
        return self.clock() - self.began


def by_default():
    timer = Timer()
    run(lambda: timer.wait(50))
    assert 50 <= timer.passed() < 51


def of_the_class():
    began = Timer.of_the_class()
    run(lambda: time.sleep(50))
    assert 50 <= Timer.of_the_class() - began < 51


def through_an_instance():
    timer = Timer()
    began = timer.of_the_class()
    run(lambda: time.sleep(50), lambda: timer.of_the_class())
    assert 50 <= timer.of_the_class() - began < 51


def in_a_table():
    began = Timer.in_a_table["now"]()
    run(lambda: time.sleep(50))
    assert 50 <= Timer.in_a_table["now"]() - began < 51


def the_same():
    assert Timer.of_the_class is time.monotonic
    assert Timer.in_a_table["now"] is time.monotonic
    assert Timer().clock is time.monotonic


@pytest.mark.parametrize("scenario", [by_default, of_the_class, through_an_instance, in_a_table, the_same])
def test_a_stored_clock_function_returns_the_time_of_the_execution(scenario):
    """The function returns virtual time even in later executions, which skip cold sites."""
    result = raddle.explore(scenario, source=[__file__], scheduler="random", executions=100)
    assert result.findings == ()


def test_a_stored_clock_function_is_restored_after_the_search():
    raddle.explore(by_default, source=[__file__], scheduler="random", executions=2)
    assert Timer.__init__.__defaults__ == (time.monotonic,)
    assert Timer.__init__.__kwdefaults__ == {"wait": time.sleep}
    began = time.monotonic()
    assert 0 <= Timer().clock() - began < 3600  # the real clock


class Box:
    def __init__(self):
        self.n = 0

    def add(self):
        self.n = self.n + 1


class Table(dict):
    """A dict subclass, because only a subclass supports weak references."""


def through_a_proxy():
    box = Box()
    proxy = weakref.proxy(box)

    def add():
        proxy.n = proxy.n + 1

    run(box.add, add)
    assert box.n == 2


def item_through_a_proxy():
    table = Table(n=0)
    proxy = weakref.proxy(table)

    def add(shared):
        shared["n"] = shared["n"] + 1

    run(lambda: add(table), lambda: add(proxy))
    assert table["n"] == 2


@pytest.mark.parametrize("scenario", [through_a_proxy, item_through_a_proxy])
@pytest.mark.parametrize("scheduler", ["portfolio", "reachability"])
def test_accesses_through_a_proxy_conflict_with_accesses_to_the_object(scenario, scheduler):
    result = raddle.explore(scenario, source=[__file__], seed=1, executions=100, scheduler=scheduler)
    assert result.outcome == "assertion"


class Items(list):
    """A list subclass, because only a subclass supports weak references."""


def test_a_loop_over_a_proxy_yields_the_items_of_the_list():
    def scenario():
        items = Items([1, 2])
        proxy, seen = weakref.proxy(items), []
        run(lambda: seen.extend(item for item in proxy), lambda: len(items))
        assert seen == [1, 2]

    assert raddle.explore(scenario, source=[__file__], executions=20).findings == ()


DEAD = weakref.proxy(Box())


def test_a_dead_proxy_raises_the_usual_error():
    def scenario():
        def work():
            with pytest.raises(ReferenceError):
                DEAD.n  # noqa: B018

        run(work, work)

    assert raddle.explore(scenario, source=[__file__], executions=20).findings == ()
