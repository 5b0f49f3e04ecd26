"""`seconds` limits the search and each execution, but not the replaying and shrinking of failures."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

import raddle
from raddle.errors import NothingTestedError
from raddle.exploring.corpus_writer import CorpusWriter
from raddle.exploring.findings import Findings


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


class Flag:
    def __init__(self):
        self.up = False
        self.rounds = 0

    def spin(self):
        while not self.up:
            self.rounds += 1


def spins():
    """Run two threads that loop forever and reach scheduling points in each iteration."""
    flag = Flag()
    threads = [threading.Thread(target=flag.spin) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def spins_after_a_lost_update():
    """Spin only if both threads read the counter before either writes it.

    This does not happen in the first execution.
    """
    counter = Counter()
    threads = [threading.Thread(target=counter.add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if counter.n < 2:
        spins()


ENDLESS = {"step_limit": 10**9, "scheduler": "random", "until": "budget", "source": [__file__]}


def test_the_time_limit_ends_an_execution_that_spins_through_scheduling_points():
    result = raddle.explore(spins_after_a_lost_update, seconds=0.5, **ENDLESS)
    assert result.stopped_because == "seconds"
    assert not result.findings
    assert any("an execution was still running" in note for note in result.notes)


def test_the_time_limit_ends_a_spinning_rehearsal(monkeypatch):
    monkeypatch.setattr("raddle.exploring.rehearsal.REHEARSAL_SECONDS", 0.3)
    result = raddle.explore(spins, seconds=0.3, **ENDLESS)
    assert (result.stopped_because, result.executions, result.findings) == ("seconds", 0, ())
    with pytest.raises(NothingTestedError, match="nothing was tested: an execution was still running"):
        raddle.check(spins, seconds=0.3, **ENDLESS)


def test_replays_of_failures_and_corpus_entries_have_no_deadline(monkeypatch, tmp_path):
    """A replay must reach the same end as the original execution, so the time limit must not cut it short."""
    deadlines = {}

    def spied(owner, name):
        real = getattr(owner, name)

        def spy(self, *args, **kwargs):
            deadlines[name] = self._session._installation.watchdog.deadline
            return real(self, *args, **kwargs)

        monkeypatch.setattr(owner, name, spy)

    spied(Findings, "add_failed")
    spied(CorpusWriter, "corpus")
    spied(CorpusWriter, "keep")
    began = monotonic()
    options = {"seconds": 30, "executions": 50, "until": "budget", "data_file": tmp_path / "d.raddle"}
    result = raddle.explore(scenario, source=[__file__], seed=1, **options)
    assert result.findings
    assert deadlines["add_failed"] == deadlines["corpus"] == float("inf")
    assert began < deadlines["keep"] <= monotonic() + 30  # the search itself has a deadline
