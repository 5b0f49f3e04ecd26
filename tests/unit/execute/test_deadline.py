"""The time of a search ends the search, not what comes of it."""

from __future__ import annotations

import threading
from time import monotonic

import raddle
from raddle.execute.findings import Findings
from raddle.execute.keeper import Keeper


class Counter:
    def __init__(self):
        self.n = 0

    def add(self):
        self.n = self.n + 1


def scenario():
    counter = Counter()
    threads = [threading.Thread(target=counter.add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.n == 2


def test_nothing_that_is_run_again_is_hurried(monkeypatch, tmp_path):
    """What a failing execution is run again for, and what is kept, has to come to the same end as before."""
    deadlines = {}

    def spied(owner, name):
        real = getattr(owner, name)

        def spy(self, *args, **kwargs):
            deadlines[name] = self._session._watchdog.deadline
            return real(self, *args, **kwargs)

        monkeypatch.setattr(owner, name, spy)

    spied(Findings, "add_failed")
    spied(Keeper, "corpus")
    spied(Keeper, "keep")
    began = monotonic()
    options = {"seconds": 30, "executions": 50, "until": "budget", "data_file": tmp_path / "d.raddle"}
    result = raddle.explore(scenario, source=[__file__], seed=1, **options)
    assert result.findings
    assert deadlines["add_failed"] == deadlines["corpus"] == float("inf")
    assert began < deadlines["keep"] <= monotonic() + 30  # in the search itself there is one
