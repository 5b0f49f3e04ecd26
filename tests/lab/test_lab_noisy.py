"""Executions with noise, one by one."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("scipy")

from raddle_lab.cases import CASES, Case
from raddle_lab.noisy import noisy
from raddle_lab.programs import philosophers

from raddle.execute.fork import ChildDiedError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no fork"),
]


def ends(case: Case, *, executions: int) -> list[str]:
    return [sample.outcome.kind for sample in noisy(case, criteria=["sync"], executions=executions, seed=1)]


def test_a_lost_execution_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def dies_once() -> None:
        if not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(philosophers, "scenario", dies_once)
    assert ends(CASES["philosophers"], executions=3) == ["passed"] * 3
    assert [record.message for record in caplog.records] == [
        "an execution was lost and is repeated: the child was killed by SIGKILL"
    ]


def test_one_that_is_always_lost_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(philosophers, "scenario", lambda: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(ChildDiedError, match="killed by SIGKILL"):
        ends(CASES["philosophers"], executions=1)


def test_how_executions_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong() -> None:
        raise AssertionError

    def dead() -> None:
        lock = threading.Lock()
        with lock, lock:
            pass

    def died() -> None:
        # Its starter waits for ever for something else; the exception ends the execution.
        threading.Thread(target=lambda: {}["nothing"], daemon=True).start()
        threading.Event().wait()

    found = []
    for scenario in (lambda: None, wrong, dead, died):
        monkeypatch.setattr(philosophers, "scenario", scenario)
        found += ends(CASES["philosophers"], executions=1)
    assert found == ["passed", "assertion", "deadlock", "exception"]
