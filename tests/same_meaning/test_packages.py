"""The tests of a real package have the same outcomes with probes. Runs `packages.py` with its smallest package."""

from __future__ import annotations

import subprocess
from pathlib import Path

import packages
import pytest


def test_a_package_passes_its_tests_with_probes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (package,) = (package for package in packages.PACKAGES if package.name == "cachetools")
    try:
        packages.fetch(package, tmp_path)
    except subprocess.CalledProcessError:
        pytest.skip("the source distribution cannot be downloaded here")
    assert packages.compare(package, tmp_path) == []
    assert "hook        216 tests, 0 known and 0 new differences" in capsys.readouterr().out
