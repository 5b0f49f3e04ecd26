"""The exploration benchmark: searches, failed measurements, and result tables."""

import subprocess
from typing import Any

import explore
import explore_cell
import explore_tables
import pytest
from comparison import Comparison
from scenarios import SCENARIOS, outcomes
from searches import SOURCE, raddle_space, raddle_trapped, raddle_with, schedule_to
from traps import SPACES, TRAPS

import raddle


@pytest.mark.parametrize(
    ("name", "orders", "different"),
    [
        ("rmw1", 4, 2),  # two outcomes: one update is lost, or none
        ("lock2", 6, 6),  # C(4, 2) orders of the critical sections
        ("put2", 6, 6),
        ("queue3", 1, 1),  # with a capacity of one, threads must alternate
    ],
)
def test_an_exhaustive_search_runs_every_order_once(name: str, orders: int, different: int) -> None:
    result = raddle_space(SPACES[name], 100)
    assert (result.executions, result.done, len(result.outcomes)) == (orders, True, different)
    assert result.outcomes <= set(SPACES[name].possible)


@pytest.mark.parametrize("name", ["late-tail-5", "needle-50", "alternation-2"])
def test_sequential_execution_does_not_trigger_a_trap(name: str) -> None:
    state = TRAPS[name].state()
    state.first()
    state.second()
    assert state.outcome() != TRAPS[name].wrong


def test_the_default_search_finds_a_trap() -> None:
    first = raddle_trapped(TRAPS["late-tail-5"], 50, 1)
    assert first is not None
    assert first <= 20


def test_a_schedule_leads_to_the_given_outcome() -> None:
    schedule = schedule_to(SPACES["lock2"], 2211)  # the second thread runs both of its critical sections first
    assert schedule is not None
    outcomes.clear()
    assert raddle.replay(SPACES["lock2"].model, schedule, source=SOURCE) is None
    assert outcomes == [2211]


@pytest.mark.parametrize("search", ["pct", "random+sync", "directed"])
def test_a_search_runs_the_requested_number_of_executions(search: str) -> None:
    assert raddle_with(search)(SCENARIOS["rmw1"], 7, 1) == 7


def test_an_exception_of_a_tool_is_reported_as_its_answer(capsys: pytest.CaptureFixture[str]) -> None:
    explore_cell.main("speed", "no-such-search", "rmw1", "0.1")
    assert "there is no scheduler" in capsys.readouterr().out


def patch_subprocess(monkeypatch: pytest.MonkeyPatch, answer: subprocess.CompletedProcess[str] | Exception) -> None:
    def run(*_command: Any, **_options: Any) -> subprocess.CompletedProcess[str]:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(explore.subprocess, "run", run)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (subprocess.CompletedProcess([], 1, stdout="", stderr="Traceback\nit ended"), "ended with code 1: it ended"),
        (subprocess.TimeoutExpired([], 18.0), "no answer within 240 s"),
    ],
)
def test_a_failed_measurement_has_a_reason(monkeypatch: pytest.MonkeyPatch, answer: Any, reason: str) -> None:
    patch_subprocess(monkeypatch, answer)
    assert explore.measure_cell("speed", "random", "rmw1", 0.1) == {"failed": reason}


def test_the_best_rate_and_the_shortest_time_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([(5.0, 0.3), (7.0, 0.2), (6.0, 0.4)])

    def measure_cell(*_question: object) -> dict[str, float]:
        rate, wait = next(answers)
        return {"executions_per_second": rate, "seconds_until_done": wait}

    monkeypatch.setattr(explore, "measure_cell", measure_cell)
    monkeypatch.setattr(explore, "one_cpu_at_a_time", range)
    speeds = Comparison(["rmw1"], {"raddle": "raddle"})
    waits = explore.rates(speeds, explore.parse(["--rounds", "3"]), question="complete")
    assert speeds.best("rmw1", "raddle") == 7.0
    assert waits == {("rmw1", "raddle"): 0.2}


def test_an_outcome_that_a_peer_missed_is_proven_by_a_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[tuple[object, ...]] = []

    def measure_cell(*question: object) -> dict[str, str]:
        questions.append(question)
        return {"schedule": "T0; T2."}

    monkeypatch.setattr(explore, "measure_cell", measure_cell)
    ours = {"outcomes": [1, 2, 3], "done": True}
    spaces = {"lock2": {"raddle": ours, "peer": {"outcomes": [1, 3], "done": True}, "slow": {"outcomes": [1]}}}
    (proof,) = explore.missed_outcomes(spaces)
    assert proof == {"scenario": "lock2", "tool": "peer", "outcome": 2, "schedule": "T0; T2."}
    assert questions == [("schedule", "lock2", 2)]  # the slow tool did not report that it had finished


def test_the_table_shows_counts_ratios_and_missed_outcomes() -> None:
    speeds = Comparison(["rmw1"], {"raddle": "raddle", "peer": "peer"})
    speeds.add("rmw1", "raddle", rate=3000.0)
    speeds.add("rmw1", "peer", rate=100.0)
    result = {"rmw1": {"raddle": {"executions": 4, "outcomes": [1, 2], "done": True}, "peer": {"failed": "deadlock"}}}
    proof = {"scenario": "rmw1", "tool": "peer", "outcome": 2, "schedule": "T0; T2."}
    text = explore_tables.spaces(result, [proof], speeds, {("rmw1", "raddle"): 0.5})
    assert "4 (2)" in text
    assert "30.0" in text  # the ratio of 3000 to 100
    assert "peer finished rmw1 but missed 1 outcome: 2 is reached by\n    T0; T2." in text


@pytest.mark.parametrize(
    ("firsts", "expected"),
    [
        ([1, 2, 9], "2, 9"),
        ([1, 3, None], "3, >100 (2/3)"),
        ([7], "7"),
        ([None], ">100 (0/1)"),
    ],
)
def test_the_trap_table_shows_the_median_and_the_worst(firsts: list[int | None], expected: str) -> None:
    assert expected in explore_tables.traps({"needle": {"raddle": {"firsts": firsts}}}, executions=100, seeds=3)
