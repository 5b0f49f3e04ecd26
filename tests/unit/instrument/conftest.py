"""Fixtures that write modules into a temporary folder, import them and log probe calls."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from raddle import probe


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the import path. Modules imported from it are removed after the test."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    before = set(sys.modules)
    yield tmp_path
    probe.detach()
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def imported(folder: Path) -> Callable[..., ModuleType]:
    """A function that writes a module into the folder and imports it."""

    def write_and_import(source: str, name: str = "subject") -> ModuleType:
        (folder / f"{name}.py").write_text(dedent(source))
        importlib.invalidate_caches()
        return importlib.import_module(name)

    return write_and_import


@pytest.fixture
def log() -> Iterator[list[tuple[str, int]]]:
    """The probe calls made during the test, as (name, site) pairs."""
    calls: list[tuple[str, int]] = []

    def make_logging_probe(name: str) -> Callable[..., object]:
        plain = probe.PLAIN[name]

        def logged(*arguments: object) -> object:
            calls.append((name, arguments[-1] if arguments else 0))  # type: ignore[arg-type] # a site
            return plain(*arguments)

        return logged

    probe.attach({name: make_logging_probe(name) for name in probe.PLAIN})
    yield calls
    probe.detach()
