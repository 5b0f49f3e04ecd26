"""Functions that outlive the session they were made in."""

from __future__ import annotations

import threading

import raddle

KEPT = []


class Box:
    def __init__(self):
        self.n = 0


def scenario():
    box = Box()
    # On 3.11 it has no probe of its own, only the comprehension in it has: its code is not that of the source.
    KEPT.append(lambda: [box.__setattr__("n", box.n + one) for one in (1, 2)])
    threads = [threading.Thread(target=KEPT[-1]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_what_an_earlier_session_left_is_no_change_of_the_source():
    KEPT.clear()
    for _ in range(2):
        result = raddle.explore(scenario, scheduler="exhaustive", until="exhausted", source=[__file__])
        assert (result.stopped_because, result.not_instrumented) == ("exhausted", ())
