"""The outcomes of single executions with noise."""

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
    pytest.mark.skipif(sys.platform == "win32", reason="this system cannot fork"),
]


def outcomes(case: Case, *, executions: int) -> list[str]:
    return [sample.outcome.kind for sample in noisy(case, criteria=["sync"], executions=executions, seed=1)]


def test_an_execution_whose_child_died_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def dies_once() -> None:
        if not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(philosophers, "scenario", dies_once)
    assert outcomes(CASES["philosophers"], executions=3) == ["passed"] * 3
    assert [record.message for record in caplog.records] == [
        "an execution was lost and will be repeated: the child was killed by SIGKILL"
    ]


def test_an_execution_whose_child_always_dies_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(philosophers, "scenario", lambda: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(ChildDiedError, match="killed by SIGKILL"):
        outcomes(CASES["philosophers"], executions=1)


def test_outcomes_are_distinguished(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails_an_assertion() -> None:
        raise AssertionError

    def deadlocks() -> None:
        lock = threading.Lock()
        with lock, lock:
            pass

    def raises_in_a_thread() -> None:
        # The main thread would wait forever, but the exception in the other thread ends the execution.
        threading.Thread(target=lambda: {}["nothing"], daemon=True).start()
        threading.Event().wait()

    found = []
    for scenario in (lambda: None, fails_an_assertion, deadlocks, raises_in_a_thread):
        monkeypatch.setattr(philosophers, "scenario", scenario)
        found += outcomes(CASES["philosophers"], executions=1)
    assert found == ["passed", "assertion", "deadlock", "exception"]
