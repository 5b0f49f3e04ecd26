"""Where time matters, the result says what was taken for granted."""

from __future__ import annotations

import threading
import time

import pytest

import raddle
from raddle.exploring.search import TIME_PASSED


def in_two_threads(first, second):
    threads = [threading.Thread(target=body) for body in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def slept() -> None:
    ready: list[int] = []

    def use() -> None:
        time.sleep(0.5)
        assert ready

    in_two_threads(lambda: ready.append(1), use)


def waited() -> None:
    event = threading.Event()
    in_two_threads(event.set, lambda: event.wait(1))


def neither() -> None:
    event = threading.Event()
    in_two_threads(event.set, event.wait)


@pytest.mark.parametrize(("scenario", "said"), [(slept, True), (waited, True), (neither, False)])
def test_a_search_says_what_it_did_not_try(scenario, said):
    result = raddle.explore(scenario, scheduler="reachability", until="exhausted", source=[__file__])
    assert result.outcome == "passed"
    assert (TIME_PASSED in result.notes) is said


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_waits_of_the_same_length_can_be_over_in_any_order(scheduler):
    """Though one of them has asked the clock, and the other has not. Who comes to the barrier too late breaks it."""
    seen = set()

    def scenario():
        event, barrier, broken = threading.Event(), threading.Barrier(2), []

        def meet():
            try:
                barrier.wait(1)
            except threading.BrokenBarrierError:
                broken.append(1)

        def late():
            event.wait(1)
            meet()

        in_two_threads(late, meet)
        seen.add(len(broken))

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert seen == {0, 2}


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_who_is_told_when_its_time_is_over_could_have_gone_before(scheduler):
    seen = set()

    def scenario():
        condition, told = threading.Condition(), []

        def wait():
            with condition:
                told.append(condition.wait(1))

        def tell():
            threading.Event().wait(1)
            with condition:
                condition.notify()

        in_two_threads(wait, tell)
        seen.update(told)

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert seen == {True, False}


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_a_join_that_need_not_have_waited_orders_nothing(scheduler):
    """Both waits are over at once, so the thread that is joined may still be on its way."""
    seen = set()

    def scenario():
        done = []

        def work():
            threading.Event().wait(1)
            done.append("worked")

        worker = threading.Thread(target=work)

        def impatient():
            worker.join(1)
            done.append("joined")

        other = threading.Thread(target=impatient)
        worker.start()
        other.start()
        worker.join()
        other.join()
        seen.add(tuple(done))

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert seen == {("worked", "joined"), ("joined", "worked")}


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_a_daemon_whose_time_is_over_may_still_go_on(scheduler):
    """Or the execution ends before it does."""
    seen = set()

    def scenario():
        done = []

        def work():
            threading.Event().wait(1)
            done.append(1)

        threading.Thread(target=work, daemon=True).start()
        threading.Event().wait(1)
        seen.add(len(done))

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert seen == {0, 1}
