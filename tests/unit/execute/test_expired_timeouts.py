"""If a scenario depends on time, the result states what the search assumed about timeouts."""

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


@pytest.mark.parametrize(("scenario", "expected"), [(slept, True), (waited, True), (neither, False)])
def test_a_note_says_that_early_timeouts_were_not_explored(scenario, expected):
    result = raddle.explore(scenario, scheduler="reachability", until="exhausted", source=[__file__])
    assert result.outcome == "passed"
    assert (TIME_PASSED in result.notes) is expected


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_waits_of_the_same_length_can_expire_in_any_order(scheduler):
    """Either wait can expire first.

    If a wait at the barrier expires, the barrier is broken.
    """
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
def test_a_wait_can_expire_or_be_notified_at_the_same_moment(scheduler):
    seen = set()

    def scenario():
        condition, results = threading.Condition(), []

        def wait():
            with condition:
                results.append(condition.wait(1))

        def notify():
            threading.Event().wait(1)
            with condition:
                condition.notify()

        in_two_threads(wait, notify)
        seen.update(results)

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert seen == {True, False}


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_a_join_with_an_expired_timeout_orders_nothing(scheduler):
    """Both waits expire at the same time, so the joined thread may still be running."""
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
def test_a_daemon_whose_wait_has_expired_may_or_may_not_continue(scheduler):
    """The execution may end before the daemon takes its next step."""
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
