"""CPython's own tests of `threading` pass under `raddle run`. These tests check details of the primitives' behavior."""

from __future__ import annotations

from pathlib import Path

import pytest
from program_runs import watched

pytest.importorskip("test.lock_tests", reason="this Python has no `test` package")

CASES = ("LockTests", "CRLockTests", "BoundedSemaphoreTests")


@pytest.mark.slow
def test_cpythons_tests_of_threading_pass(tmp_path: Path) -> None:
    names = [f"test.test_threading.{case}" for case in CASES]
    options = ["--criteria", "none", "--source", "threading", "--source", "test.lock_tests"]
    ended = watched(tmp_path, "-m", "unittest", "-q", *names, options=options)
    assert ended.code == 0, ended.err
    assert ended.err.rstrip().splitlines()[-1].startswith("OK")
    assert ended.summary["notes"] == []
    assert ended.summary["threads"] > 20
