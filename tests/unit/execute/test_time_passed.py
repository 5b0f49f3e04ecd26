"""Where time matters, the result says what was taken for granted."""

from __future__ import annotations

import threading
import time

import pytest

import raddle
from raddle.execute.exploration import TIME_PASSED


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
