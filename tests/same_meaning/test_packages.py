"""The own tests of real packages give the same results instrumented: `packages.py` with its smallest package."""

from __future__ import annotations

import subprocess
from pathlib import Path

import packages
import pytest


def test_a_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (package,) = (package for package in packages.PACKAGES if package.name == "cachetools")
    try:
        packages.fetch(package, tmp_path)
    except subprocess.CalledProcessError:
        pytest.skip("the source distribution can't be had here")
    assert packages.compare(package, tmp_path) == []
    assert "hook        216 tests, 0 known and 0 new differences" in capsys.readouterr().out
