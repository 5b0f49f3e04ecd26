"""Two accesses that look alike on one line: what is said of the covered one is not said of the other."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import raddle
from raddle.criteria import make_criteria
from raddle.report.coverage import rows
from raddle.report.missing import missing
from raddle.store import read

SOURCE = """
import threading

class Account:
    def __init__(self): self.balance = 0
    def pay(self): self.balance = 2

def scenario():
    account = Account()
    thread = threading.Thread(target=account.pay)
    thread.start()
    assert account.balance >= 0, f"there is {account.balance}"
    thread.join()
"""


def test_a_message_that_is_never_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "told_apart_bank.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    scenario = importlib.import_module("told_apart_bank").scenario
    try:
        raddle.explore(scenario, scheduler="random", criteria="map", until="budget", executions=50,
                       source=[str(tmp_path)], data_file=tmp_path / ".raddle")  # fmt: skip
    finally:
        sys.modules.pop("told_apart_bank")
    contents = read(tmp_path / ".raddle")
    [criterion] = make_criteria("map")
    [row] = rows(contents, names=["map"])
    covered = {criterion.explain(key, contents.sites) for key in contents.tally.covered["map"]}
    left = {gap.sentence.removeprefix("not covered yet: ") for gap in missing(contents, row).gaps}
    # The write meets the read of the condition in both orders, and never that of the message, on the same line.
    assert any(said.endswith("told_apart_bank.py:12:12 (pattern 2)") for said in covered)
    assert any("told_apart_bank.py:12:" in said for said in left)
    assert covered.isdisjoint(left)
