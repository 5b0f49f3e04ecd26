"""Runs the doctests of the lab and of the tools that write the lab's page."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

import raddle_lab

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.mark.parametrize("name", [info.name for info in pkgutil.iter_modules(raddle_lab.__path__)])
def test_doctests_of_a_lab_module_pass(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"raddle_lab.{name}")).failed == 0


@pytest.mark.parametrize("name", ["lab_page", "lab_tables"])
def test_doctests_of_a_tool_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(TOOLS), *sys.path])
    assert doctest.testmod(importlib.import_module(name)).failed == 0
