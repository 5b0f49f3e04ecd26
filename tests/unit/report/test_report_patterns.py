"""The numbers for the individual patterns of the criterion `map` add up to the criterion's own numbers."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import raddle
from raddle.report.coverage import rows
from raddle.report.patterns import pattern_rows
from raddle.store import read

SOURCE = """
import threading

class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.balance = self.times = 0
    def pay(self):
        with self.lock:
            self.balance += 2
        self.times += 1

def scenario():
    account = Account()
    threads = [threading.Thread(target=account.pay) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""


@pytest.mark.parametrize(("until", "kind"), [("budget", "pruned"), ("exhausted", "exact")])
def test_the_patterns_add_up_to_the_criterion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: str, kind: str
) -> None:
    (tmp_path / "patterns_bank.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    scheduler, executions = ("pos", 20) if until == "budget" else ("reachability", None)
    try:
        raddle.explore(importlib.import_module("patterns_bank").scenario, scheduler=scheduler, criteria="map",
                       until=until, executions=executions, source=[str(tmp_path)],
                       data_file=tmp_path / ".raddle")  # fmt: skip
    finally:
        sys.modules.pop("patterns_bank")
    contents = read(tmp_path / ".raddle")
    [row] = rows(contents)
    assert row.total.kind == kind
    patterns = pattern_rows(contents, row)
    assert sum(pattern.row.covered for pattern in patterns) == row.covered
    assert sum(pattern.row.total.number or 0 for pattern in patterns) == row.total.number
    assert sum(pattern.row.static_total.number or 0 for pattern in patterns) == row.static_total.number
    assert kind in {pattern.row.total.kind for pattern in patterns}
