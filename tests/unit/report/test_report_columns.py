"""Two similar accesses on one line are distinguished by their columns."""

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


def test_an_uncovered_access_on_the_same_line_is_reported_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "columns_bank.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    scenario = importlib.import_module("columns_bank").scenario
    try:
        raddle.explore(scenario, scheduler="random", criteria="map", until="budget", executions=50,
                       source=[str(tmp_path)], data_file=tmp_path / ".raddle")  # fmt: skip
    finally:
        sys.modules.pop("columns_bank")
    contents = read(tmp_path / ".raddle")
    [criterion] = make_criteria("map")
    [row] = rows(contents, names=["map"])
    covered = {criterion.explain(key, contents.sites) for key in contents.tally.covered["map"]}
    left = {gap.sentence.removeprefix("not covered yet: ") for gap in missing(contents, row).gaps}
    # The write and the read in the condition occur in both orders. The read in the message, on the same line, never
    # happens.
    assert any(sentence.endswith("columns_bank.py:12:12 (pattern 2)") for sentence in covered)
    assert any("columns_bank.py:12:" in sentence for sentence in left)
    assert covered.isdisjoint(left)
