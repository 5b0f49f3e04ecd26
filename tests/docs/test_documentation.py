"""Examples in docstrings work, and every error message is documented. `test_pages.py` checks the pages."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import sys
from pathlib import Path

import pytest

import processes
import raddle

ROOT = Path(__file__).resolve().parents[2]


def test_every_error_slug_has_a_paragraph_in_the_messages_page():
    documented = set(re.findall(r"^### ([a-z0-9-]+)$", (ROOT / "docs/messages.md").read_text(), re.MULTILINE))
    raised = set()
    for file in (ROOT / "src").rglob("*.py"):
        raised |= set(re.findall(r'\w+Error\(\s*"([a-z]+-[a-z-]+)",', file.read_text(encoding="utf-8")))
    raised.discard("bad-schedule")  # used only in the example in errors.py
    assert raised
    assert raised <= documented


def modules():
    for info in pkgutil.walk_packages(raddle.__path__, "raddle."):
        if info.name not in ("raddle.__main__", "raddle.cli.appender"):
            yield info.name


@pytest.mark.parametrize("name", sorted(modules()))
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert failed == 0


@pytest.mark.parametrize("name", ["explore", "check", "replay", "measure", "Schedule", "Result", "RaddleError"])
def test_public_names_have_examples(name):
    assert ">>>" in getattr(raddle, name).__doc__


def test_importing_the_probe_imports_nothing_else():
    done = processes.run(
        [sys.executable, "-c", "import raddle.probe, sys; print([m for m in sys.modules if m.startswith('raddle')])"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == "['raddle', 'raddle.probe']"
