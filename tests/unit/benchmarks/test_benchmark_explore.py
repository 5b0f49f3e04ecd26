"""What is asked of which search, what becomes of one that fails, and how it is told."""

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
        ("rmw1", 4, 2),  # a lost update or none
        ("lock2", 6, 6),  # C(4, 2)
        ("put2", 6, 6),
        ("queue3", 1, 1),  # with room for one, everything is in turn
    ],
)
def test_a_complete_search_sees_every_order_once(name: str, orders: int, different: int) -> None:
    seen = raddle_space(SPACES[name], 100)
    assert (seen.executions, seen.done, len(seen.outcomes)) == (orders, True, different)
    assert seen.outcomes <= set(SPACES[name].possible)


@pytest.mark.parametrize("name", ["late-tail-5", "needle-50", "alternation-2"])
def test_one_thread_after_the_other_falls_into_no_trap(name: str) -> None:
    state = TRAPS[name].state()
    state.first()
    state.second()
    assert state.outcome() != TRAPS[name].wrong


def test_a_trap_is_found() -> None:
    first = raddle_trapped(TRAPS["late-tail-5"], 50, 1)
    assert first is not None
    assert first <= 20


def test_a_schedule_that_ends_so() -> None:
    schedule = schedule_to(SPACES["lock2"], 2211)  # the second thread has both of its sections first
    assert schedule is not None
    outcomes.clear()
    assert raddle.replay(SPACES["lock2"].model, schedule, source=SOURCE) is None
    assert outcomes == [2211]


@pytest.mark.parametrize("search", ["pct", "random+sync", "directed"])
def test_as_many_executions_as_asked_for(search: str) -> None:
    assert raddle_with(search)(SCENARIOS["rmw1"], 7, 1) == 7


def test_whatever_a_tool_raises_is_its_answer(capsys: pytest.CaptureFixture[str]) -> None:
    explore_cell.main("speed", "no-such-search", "rmw1", "0.1")
    assert "there is no scheduler" in capsys.readouterr().out


def answering(monkeypatch: pytest.MonkeyPatch, answer: subprocess.CompletedProcess[str] | Exception) -> None:
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
def test_a_failure_has_a_reason(monkeypatch: pytest.MonkeyPatch, answer: Any, reason: str) -> None:
    answering(monkeypatch, answer)
    assert explore.ask("speed", "random", "rmw1", 0.1) == {"failed": reason}


def test_the_best_rate_and_the_shortest_wait_count(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([(5.0, 0.3), (7.0, 0.2), (6.0, 0.4)])

    def ask(*_question: object) -> dict[str, float]:
        rate, wait = next(answers)
        return {"executions_per_second": rate, "seconds_until_done": wait}

    monkeypatch.setattr(explore, "ask", ask)
    monkeypatch.setattr(explore, "one_cpu_at_a_time", range)
    speeds = Comparison(["rmw1"], {"raddle": "raddle"})
    waits = explore.rates(speeds, explore.parse(["--rounds", "3"]), question="complete")
    assert speeds.best("rmw1", "raddle") == 7.0
    assert waits == {("rmw1", "raddle"): 0.2}


def test_what_a_peer_overlooked_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []

    def ask(*question: object) -> dict[str, str]:
        asked.append(question)
        return {"schedule": "T0; T2."}

    monkeypatch.setattr(explore, "ask", ask)
    ours = {"outcomes": [1, 2, 3], "done": True}
    spaces = {"lock2": {"raddle": ours, "peer": {"outcomes": [1, 3], "done": True}, "slow": {"outcomes": [1]}}}
    (proof,) = explore.proofs(spaces)
    assert proof == {"scenario": "lock2", "tool": "peer", "outcome": 2, "schedule": "T0; T2."}
    assert asked == [("schedule", "lock2", 2)]  # nothing of the one that does not say that it is done


def test_the_tables() -> None:
    speeds = Comparison(["rmw1"], {"raddle": "raddle", "peer": "peer"})
    speeds.add("rmw1", "raddle", rate=3000.0)
    speeds.add("rmw1", "peer", rate=100.0)
    seen = {"rmw1": {"raddle": {"executions": 4, "outcomes": [1, 2], "done": True}, "peer": {"failed": "deadlock"}}}
    proof = {"scenario": "rmw1", "tool": "peer", "outcome": 2, "schedule": "T0; T2."}
    text = explore_tables.spaces(seen, [proof], speeds, {("rmw1", "raddle"): 0.5})
    assert "4 (2)" in text
    assert "30.0" in text  # the ratio
    assert "peer finished rmw1 but missed 1 outcome: 2 is reached by\n    T0; T2." in text


@pytest.mark.parametrize(
    ("firsts", "told"),
    [
        ([1, 2, 9], "2, 9"),
        ([1, 3, None], "3, >100 (2/3)"),
        ([7], "7"),
        ([None], ">100 (0/1)"),
    ],
)
def test_traps_are_told_by_the_median_and_the_worst(firsts: list[int | None], told: str) -> None:
    assert told in explore_tables.traps({"needle": {"raddle": {"firsts": firsts}}}, executions=100, seeds=3)
