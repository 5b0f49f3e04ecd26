"""Explorations of a class count own and inherited variables as if the class declared both."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import raddle
from raddle.report.coverage import rows
from raddle.store import read
from raddle.store.contents import Contents

SCENARIO = """
    def forth(self):
        self.x = 1
        self.y = 1

    def back(self):
        self.y = 2
        self.x = 2

def scenario():
    heir = Heir()
    threads = [threading.Thread(target=target) for target in (heir.forth, heir.back)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
FLAT = """import threading

class Heir:
    def __init__(self):
        self.y = 0
        self.x = 0
"""
INHERITING = """import threading

class Base:
    def __init__(self):
        self.y = 0

class Heir(Base):
    def __init__(self):
        super().__init__()
        self.x = 0
"""


def explored(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str, **options: object) -> Contents:
    (folder / f"{name}.py").write_text(source + SCENARIO)
    monkeypatch.syspath_prepend(str(folder))
    try:
        raddle.explore(
            importlib.import_module(name).scenario, criteria="map", source=[str(folder)],
            data_file=folder / f"{name}.raddle", **options,  # type: ignore[arg-type]
        )  # fmt: skip
    finally:
        sys.modules.pop(name)
    return read(folder / f"{name}.raddle")


@pytest.mark.parametrize(
    "options",
    [{"scheduler": "reachability", "until": "exhausted"}, {"scheduler": "random", "until": "budget", "executions": 60}],
    ids=["exhausted", "budget"],
)
def test_a_field_moved_to_a_base_class_changes_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, object]
) -> None:
    # x and y are written at two sites each: 2² + 2³ = 12 requirements each, and 3·2²·2² = 48 for the pair, 72 in all.
    # Each thread runs once. Pattern 3 on x and on y, in both orders, gives 4. One thread writes x first and the other
    # one y, so the only pattern of two variables is 10: both first writes come before both last writes. That makes 5.
    flat = explored(tmp_path, monkeypatch, "flat_heir", FLAT, **options)
    heir = explored(tmp_path, monkeypatch, "inheriting_heir", INHERITING, **options)
    [flat_row], [heir_row] = rows(flat), rows(heir)
    assert heir.model.bases == {"inheriting_heir.py:Heir": {"inheriting_heir.py:Base"}}
    assert flat_row.static_total.number == heir_row.static_total.number == 72
    assert flat_row.total == heir_row.total
    assert flat_row.covered == heir_row.covered == 5
    [pair] = (key for key in heir.tally.covered["map"] if key[3])
    assert pair[:4] == (10, "inheriting_heir.py:Base", "y", "inheriting_heir.py:Heir.x")
