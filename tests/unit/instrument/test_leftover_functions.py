"""Functions that outlive the session in which they were created."""

from __future__ import annotations

import threading

import raddle

KEPT = []


class Box:
    def __init__(self):
        self.n = 0


def scenario():
    box = Box()
    # On 3.11 the lambda has no probe, but the comprehension inside it does. So the lambda's code differs from the
    # source.
    KEPT.append(lambda: [box.__setattr__("n", box.n + step) for step in (1, 2)])
    threads = [threading.Thread(target=KEPT[-1]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_functions_left_by_an_earlier_session_do_not_count_as_changes():
    KEPT.clear()
    for _ in range(2):
        result = raddle.explore(scenario, scheduler="exhaustive", until="exhausted", source=[__file__])
        assert (result.stopped_because, result.not_instrumented) == ("exhausted", ())
