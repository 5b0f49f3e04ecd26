"""Who brought what: every execution and every finding is somebody's."""

from __future__ import annotations

import os
import signal
import textwrap

import pytest
import worked

import raddle
from raddle.cli.screen import search_lines
from raddle.cli.target import load_scenario
from raddle.result import KEPT_SCHEDULES, WITHOUT_PREEMPTION
from raddle.store import read


def adds_up(result):
    for what, number in (("executions", result.executions), ("found", len(result.findings))):
        assert sum(share[what] for share in result.shares.values()) == number
    assert sum(share["covered"] for share in result.shares.values()) == sum(result.tally.counts().values())


def fails_always():
    """The assertion fails with any schedule; the other failure needs a preemption."""
    counter = worked.Counter()
    worked.run_all(counter.increment, counter.increment)
    assert counter.value == 3


@pytest.mark.parametrize("workers", [None, 1])
@pytest.mark.parametrize("until", ["budget", "first-finding"])
def test_a_failure_without_any_preemption(workers, until):
    result = raddle.explore(
        fails_always, source=[__file__, worked.__file__], executions=40, until=until, workers=workers, criteria="map"
    )
    adds_up(result)
    own = result.shares[WITHOUT_PREEMPTION]
    assert (own["executions"], own["found"]) == (1, 1)
    assert own["covered"] > 0
    assert search_lines(result)[1].startswith("  without preemption: 1 execution, ")
    assert search_lines(result)[1].endswith(", 1 finding")


def test_without_such_executions_there_is_no_line_of_them():
    result = raddle.explore(worked.lost_update, source=[worked.__file__], executions=20, until="budget")
    assert not {WITHOUT_PREEMPTION, KEPT_SCHEDULES} & result.shares.keys()


@pytest.mark.parametrize("workers", [None, 1])
def test_kept_schedules(tmp_path, workers):
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
    again = raddle.explore(scenario, executions=60, **options)
    adds_up(again)
    # What earlier runs kept comes first, and covers all that they covered.
    assert again.shares[KEPT_SCHEDULES]["executions"] == kept
    assert again.shares[KEPT_SCHEDULES]["covered"] > 0
    assert any(line.startswith("  kept schedules: ") for line in search_lines(again))


def test_only_the_first_finding_is_somebodys_merit():
    # Of several that a round of units brings, one is kept: the others are nobody's merit, either.
    result = raddle.explore(worked.rarely_fails, source=[worked.__file__], workers=2, until="first-finding")
    adds_up(result)


def test_what_was_given_up_is_told():
    from raddle.guide import targets

    # An aim at something that never happens: it is tried as often as is sensible, then given up.
    key = ("worked.py:Counter", "increment", "nothing")
    told = targets.CoverageTargets(["method-pairs"], seed=1)
    told.remember({}, targets.TargetsMemory(tries={("method-pairs", key): targets.TRIES}))
    sentence = "not covered yet: thread A starts `Counter.increment` while thread B is in `Counter.nothing`"
    assert told.given_up_lines({}) == [sentence]
    many = {("method-pairs", (*key[:2], str(number))): targets.TRIES for number in range(60)}
    told.remember({}, targets.TargetsMemory(tries=many))
    assert len(told.given_up_lines({})) == targets.MAX_LISTED == 50
    assert told.reached().given_up == 61


@pytest.mark.parametrize("workers", [None, 1])
def test_a_result_tells_what_was_given_up(workers, monkeypatch):
    from raddle.guide import targets

    begin = targets.CoverageTargets.__init__

    def begin_with_an_aim(self, *arguments, **options):
        begin(self, *arguments, **options)
        # There is no such method, so the aim cannot be reached; and it was tried often enough.
        self._tries["method-pairs", ("worked.py:Counter", "increment", "nothing")] = targets.TRIES

    monkeypatch.setattr(targets.CoverageTargets, "__init__", begin_with_an_aim)
    result = raddle.explore(
        worked.lost_update, source=[worked.__file__], criteria="method-pairs", until="budget", executions=9,
        workers=workers,
    )  # fmt: skip
    told = result.as_json()["aims"]
    sentence = "not covered yet: thread A starts `Counter.increment` while thread B is in `Counter.nothing`"
    assert sentence in told["given_up_requirements"]
    assert len(told["given_up_requirements"]) == told["given_up"]
    assert f"    given up: {sentence}" in search_lines(result)


def test_an_execution_that_was_interrupted_is_nobodys():
    def interrupted():
        if len(begun) == 8:
            os.kill(os.getpid(), signal.SIGINT)
        begun.append(1)
        worked.handed_over()  # nothing is wrong there: so nothing is run besides

    begun: list[int] = []
    result = raddle.explore(interrupted, source=[worked.__file__], until="budget", executions=40, shrink=False)
    assert result.stopped_because == "interrupted"
    adds_up(result)
