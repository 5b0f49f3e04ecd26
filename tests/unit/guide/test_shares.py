"""Shares: every execution, finding and covered requirement is attributed to one scheduler."""

from __future__ import annotations

import os
import signal
import textwrap

import pytest
import worker_scenarios

import raddle
from raddle.cli.screen import search_lines
from raddle.cli.target import load_scenario
from raddle.result import KEPT_SCHEDULES, WITHOUT_PREEMPTION
from raddle.store import read


def assert_shares_add_up(result):
    for kind, number in (("executions", result.executions), ("found", len(result.findings))):
        assert sum(share[kind] for share in result.shares.values()) == number
    assert sum(share["covered"] for share in result.shares.values()) == sum(result.tally.counts().values())


def fails_always():
    """The assertion fails under every schedule."""
    counter = worker_scenarios.Counter()
    worker_scenarios.run_all(counter.increment, counter.increment)
    assert counter.value == 3


@pytest.mark.parametrize("workers", [None, 1])
@pytest.mark.parametrize("until", ["budget", "first-finding"])
def test_a_failure_without_preemption_has_its_own_share(workers, until):
    result = raddle.explore(
        fails_always,
        source=[__file__, worker_scenarios.__file__],
        executions=40,
        until=until,
        workers=workers,
        criteria="map",
    )
    assert_shares_add_up(result)
    own = result.shares[WITHOUT_PREEMPTION]
    assert (own["executions"], own["found"]) == (1, 1)
    assert own["covered"] > 0
    assert search_lines(result)[1].startswith("  without preemption: 1 execution, ")
    assert search_lines(result)[1].endswith(", 1 finding")


def test_shares_without_executions_are_omitted():
    result = raddle.explore(
        worker_scenarios.lost_update, source=[worker_scenarios.__file__], executions=20, until="budget"
    )
    assert not {WITHOUT_PREEMPTION, KEPT_SCHEDULES} & result.shares.keys()


@pytest.mark.parametrize("workers", [None, 1])
def test_schedules_from_the_corpus_have_their_own_share(tmp_path, workers):
    program = tmp_path / f"shares_{workers}.py"
    program.write_text(
        textwrap.dedent("""
        import threading

        class Counter:
            value = 0
            def add(self):
                value = self.value
                self.value = value + 1

        def scenario():
            counter = Counter()
            threads = [threading.Thread(target=counter.add) for _ in range(2)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            assert counter.value == 2
        """)
    )
    options = {"source": [str(program)], "data_file": tmp_path / "data", "until": "budget", "workers": workers}
    scenario = load_scenario(f"{program}::scenario")
    raddle.explore(scenario, executions=60, **options)
    kept = len(read(tmp_path / "data").corpus)
    assert kept
    second = raddle.explore(scenario, executions=60, **options)
    assert_shares_add_up(second)
    # Schedules kept by the earlier run are replayed first and cover everything that it covered.
    assert second.shares[KEPT_SCHEDULES]["executions"] == kept
    assert second.shares[KEPT_SCHEDULES]["covered"] > 0
    assert any(line.startswith("  kept schedules: ") for line in search_lines(second))


def test_only_the_reported_finding_is_attributed():
    # A round of units can find several failures. Only one is reported, and the shares count only that one.
    result = raddle.explore(
        worker_scenarios.rarely_fails, source=[worker_scenarios.__file__], workers=2, until="first-finding"
    )
    assert_shares_add_up(result)


def test_abandoned_targets_are_listed_up_to_a_limit():
    from raddle.guide import targets

    # The target is never covered, so it is given up after TRIES attempts.
    key = ("worker_scenarios.py:Counter", "increment", "nothing")
    search_targets = targets.CoverageTargets(["method-pairs"], seed=1)
    search_targets.remember({}, targets.TargetsMemory(tries={("method-pairs", key): targets.TRIES}))
    sentence = "not covered yet: thread A starts `Counter.increment` while thread B is in `Counter.nothing`"
    assert search_targets.given_up_lines({}) == [sentence]
    many = {("method-pairs", (*key[:2], str(number))): targets.TRIES for number in range(60)}
    search_targets.remember({}, targets.TargetsMemory(tries=many))
    assert len(search_targets.given_up_lines({})) == targets.MAX_LISTED == 50
    assert search_targets.reached().given_up == 61


@pytest.mark.parametrize("workers", [None, 1])
def test_a_result_lists_abandoned_targets(workers, monkeypatch):
    from raddle.guide import targets

    initialize = targets.CoverageTargets.__init__

    def initialize_with_a_target(self, *arguments, **options):
        initialize(self, *arguments, **options)
        # There is no such method, so this target cannot be covered. Pretend that it has been tried TRIES times.
        self._tries["method-pairs", ("worker_scenarios.py:Counter", "increment", "nothing")] = targets.TRIES

    monkeypatch.setattr(targets.CoverageTargets, "__init__", initialize_with_a_target)
    result = raddle.explore(
        worker_scenarios.lost_update,
        source=[worker_scenarios.__file__],
        criteria="method-pairs",
        until="budget",
        executions=9,
        workers=workers,
    )
    aims = result.as_json()["aims"]
    sentence = "not covered yet: thread A starts `Counter.increment` while thread B is in `Counter.nothing`"
    assert sentence in aims["given_up_requirements"]
    assert len(aims["given_up_requirements"]) == aims["given_up"]
    assert f"    given up: {sentence}" in search_lines(result)


def test_an_interrupted_execution_belongs_to_no_share():
    def interrupted():
        if len(started) == 8:
            os.kill(os.getpid(), signal.SIGINT)
        started.append(1)
        worker_scenarios.handed_over()  # a correct scenario, so no extra executions are needed for findings

    started: list[int] = []
    result = raddle.explore(
        interrupted, source=[worker_scenarios.__file__], until="budget", executions=40, shrink=False
    )
    assert result.stopped_because == "interrupted"
    assert_shares_add_up(result)
