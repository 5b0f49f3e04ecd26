"""Benchmark cells: rates are computed only from executions that took place."""

import cell
import pytest
from contestants import RefusedError, plain
from scenarios import SCENARIOS, Scenario, finished

SCENARIO = SCENARIOS["lock1"]  # its outcome is always 2


def test_a_tool_that_stops_early_is_restarted_with_another_seed() -> None:
    requests = []

    def two_at_most(_scenario: Scenario, executions: int, seed: int) -> int:
        requests.append((executions, seed))
        finished(2)
        finished(2)
        return 2

    assert cell.run(two_at_most, SCENARIO, 5) == 6
    assert requests == [(5, 1), (3, 2), (1, 3)]


def test_executions_that_did_not_take_place_are_rejected() -> None:
    with pytest.raises(RefusedError, match="reported 5 executions, but 0 took place"):
        cell.run(lambda _scenario, executions, _seed: executions, SCENARIO, 5)


def test_impossible_outcomes_are_rejected() -> None:
    def wrong(_scenario: Scenario, _executions: int, _seed: int) -> int:
        finished(7)
        return 1

    with pytest.raises(RefusedError, match=r"ended with \[7\]"):
        cell.run(wrong, SCENARIO, 1)


def test_a_tool_that_explores_nothing_is_rejected() -> None:
    with pytest.raises(RefusedError, match="explored nothing"):
        cell.run(lambda _scenario, _executions, _seed: 0, SCENARIO, 1)


def test_only_a_long_enough_batch_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    now = 0.0

    def ten_a_second(_explore: object, _scenario: Scenario, executions: int) -> int:
        nonlocal now
        batches.append(executions)
        now += executions / 10
        return executions

    monkeypatch.setattr(cell, "run", ten_a_second)
    monkeypatch.setattr(cell, "perf_counter", lambda: now)
    assert cell.executions_per_second(plain, SCENARIO, 2.0) == pytest.approx(10)
    assert batches == [5, 5, 21]  # a warm-up, a batch that takes only 0.5 s, and one that takes over 2 s
