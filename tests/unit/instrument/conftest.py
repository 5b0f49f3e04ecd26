"""A folder to import modules from, forgotten after the test."""

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
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    known = set(sys.modules)
    yield tmp_path
    probe.detach()
    for name in set(sys.modules) - known:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def imported(folder: Path) -> Callable[..., ModuleType]:
    """Write a module into the folder and import it."""

    def write_and_import(source: str, name: str = "subject") -> ModuleType:
        (folder / f"{name}.py").write_text(dedent(source))
        importlib.invalidate_caches()
        return importlib.import_module(name)

    return write_and_import


@pytest.fixture
def log() -> Iterator[list[tuple[str, int]]]:
    """The probes that are passed, each with its site, from now to the end of the test."""
    passed: list[tuple[str, int]] = []

    def logging(name: str) -> Callable[..., object]:
        plain = probe.PLAIN[name]

        def logged(*arguments: object) -> object:
            passed.append((name, arguments[-1] if arguments else 0))  # type: ignore[arg-type] # a site
            return plain(*arguments)

        return logged

    probe.attach({name: logging(name) for name in probe.PLAIN})
    yield passed
    probe.detach()
