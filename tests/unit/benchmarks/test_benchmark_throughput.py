"""The throughput benchmark: how tools are chosen, and how failing tools are handled."""

import subprocess
from typing import Any

import pytest
import throughput
from comparison import Comparison


def test_a_package_name_selects_all_its_modes() -> None:
    assert throughput.chosen(["frontrun", "plain"]) == ["frontrun-random", "frontrun-dpor", "plain"]
    assert throughput.chosen(None)[0] == "raddle"


def patch_subprocess(
    monkeypatch: pytest.MonkeyPatch, answer: subprocess.CompletedProcess[str] | Exception
) -> list[str]:
    commands: list[str] = []

    def run(command: list[Any], **_options: object) -> subprocess.CompletedProcess[str]:
        commands.append(" ".join(map(str, command[2:])))
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(throughput.subprocess, "run", run)
    return commands


def measured() -> Comparison:
    comparison = Comparison(["rmw1"], {"plain": "plain"})
    throughput.measure(comparison, "rmw1", "plain", seconds=1.0)
    return comparison


def test_the_rate_is_read_from_the_subprocess(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = subprocess.CompletedProcess([], 0, stdout='{"executions_per_second": 5.0}', stderr="")
    commands = patch_subprocess(monkeypatch, answer)
    assert measured().best("rmw1", "plain") == 5.0
    assert commands == ["plain rmw1 1.0"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (subprocess.CompletedProcess([], 0, stdout='{"failed": "deadlock"}', stderr=""), "deadlock"),
        (
            subprocess.CompletedProcess([], -11, stdout="", stderr="Traceback\nit ended"),
            "ended with code -11: it ended",
        ),
        (subprocess.TimeoutExpired([], 18.0), "no answer within 18 s"),
    ],
    ids=["reported", "crashed", "hung"],
)
def test_a_failed_measurement_has_a_reason(monkeypatch: pytest.MonkeyPatch, answer: Any, reason: str) -> None:
    patch_subprocess(monkeypatch, answer)
    assert measured().failures == {("rmw1", "plain"): [reason]}


def test_a_tool_that_failed_twice_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = subprocess.CompletedProcess([], 0, stdout='{"failed": "deadlock"}', stderr="")
    commands = patch_subprocess(monkeypatch, answer)
    comparison = Comparison(["rmw1"], {"plain": "plain"})
    for _ in range(4):
        throughput.run_round(comparison, ["plain"], seconds=1.0)
    assert len(commands) == throughput.TRIES == 2
