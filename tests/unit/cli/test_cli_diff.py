"""The command `raddle diff`: its output and exit codes."""

from __future__ import annotations

import json
import sys

import pytest

import processes
from raddle.cli.diff import diff
from raddle.errors import UsageError
from raddle.record import Record
from raddle.site import INDEX_BITS, Site
from raddle.static_model import Accesses, StaticModel
from raddle.store import add
from raddle.tally import Tally


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder; return its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_(*arguments):
        code = diff.main(list(arguments), standalone_mode=False)
        return code, *capsys.readouterr()

    return run_


def store(file, digest, *lines, executions=1, **covered):
    """Store coverage of a function that makes one call on each line in `lines`.

    `visited` lists the indices of the calls that a thread visited, and `blocked` those at which a thread blocked.
    """
    sites = {
        (digest << INDEX_BITS) + index: Site("log.py", line, 0, "call", f"step{index}", "f", switchable=True)
        for index, line in enumerate(lines)
    }
    tally = Tally(executions=executions)
    tally.add(
        1, "sync", [((digest << INDEX_BITS) + place, what) for what, places in covered.items() for place in places]
    )
    add(file, Record(origin="run app.py", mode="native", tally=tally, sites=sites, paths={}))


def test_gained_and_lost_requirements_are_listed(run):
    """Lines 3 and 4 became lines 5 and 6. `blocked` is now covered at the second call, no longer at the first."""
    store("a", 11, 3, 4, visited=[0, 1], blocked=[0], executions=9)
    store("b", 12, 5, 6, visited=[0, 1], blocked=[1])
    code, out, err = run("a", "b")
    assert (code, err) == (0, "")
    blocks = "a thread blocks at log.py:{}"
    assert out.splitlines() == [
        "before: 9 executions, after: 1 execution",
        "changed between the two measurements: log.py",
        "",
        "sync: 3 covered before, 3 after",
        "  lost: 1",
        f"    log.py:5: no longer covered: {blocks.format(5)}",
        "  gained: 1",
        f"    log.py:6: newly covered: {blocks.format(6)}",
        "",
        "The second file has fewer executions: more executions may cover the lost requirements again.",
    ]
    assert run("a", "b", "--fail-on-loss")[0] == 6
    assert run("a", "a", "--fail-on-loss")[0] == 0


def test_equal_data_files_have_no_difference(run):
    store("a", 11, 3, visited=[0])
    code, out, _ = run("a", "a", "--fail-on-loss")
    assert code == 0
    assert out.endswith("sync: 1 covered before, 1 after\n  no difference\n")


def test_json_lists_the_changes(run):
    store("a", 11, 3, 4, visited=[0])
    store("b", 12, 3, 4, visited=[1])
    code, out, _ = run("a", "b", "--json", "--fail-on-loss")
    assert code == 6
    found = json.loads(out)
    assert (found["before"], found["after"], found["lost"], found["changed_files"]) == ("a", "b", True, ["log.py"])
    sync = found["criteria"]["sync"]
    assert [sync[name] for name in ("before", "after", "gained", "lost", "gone", "impossible")] == [1, 1, 1, 1, 0, 0]
    assert [(change["what"], change["line"]) for change in sync["changes"]] == [("gained", 4), ("lost", 3)]


def test_the_number_of_listed_changes_can_be_limited(run):
    store("a", 11, 3, 4, 5)
    store("b", 11, 3, 4, 5, visited=[0, 1, 2])
    _, out, _ = run("a", "b", "--limit", "1")
    assert "gained: 3\n    log.py:3: " in out
    assert "... and 2 more; raise --limit to see them" in out


def test_a_missing_or_empty_data_file_is_reported(run, tmp_path):
    store("a", 11, 3, visited=[0])
    (tmp_path / "b").touch()
    for missing_file in ("b", "nowhere"):
        code, out, err = run("a", missing_file)
        assert (code, out) == (5, "")
        assert f"there is no data in {missing_file}" in err


def test_data_files_without_measured_criteria_are_reported(run):
    for file in ("a", "b"):
        add(file, Record(origin="run app.py", mode="native", tally=Tally(executions=1), sites={}, paths={}))
    code, _, err = run("a", "b")
    assert (code, err) == (5, "nothing to compare: no criterion was measured\n")


def test_the_criteria_can_be_selected(run):
    store("a", 11, 3, visited=[0])
    assert run("a", "a", "--criteria", "sync")[0] == 0
    with pytest.raises(UsageError, match="map was not measured"):
        run("a", "a", "--criteria", "map")


BEFORE = """\
import threading


class Account:
    def __init__(self):
        self.lock, self.balance = threading.Lock(), 0

    def deposit(self):
        with self.lock:
            self.balance = self.balance + 1

    def total(self):
        return self.balance


def scenario():
    account = Account()
    threads = [threading.Thread(target=each) for each in (account.deposit, account.deposit, account.total)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_lines_that_moved_make_no_difference(run, tmp_path):
    """The same seed gives the same executions of the moved source, so every criterion covers the same requirements."""
    moved = BEFORE.replace("    def ", "    # moved\n\n    def ").replace("def scenario", "LIMIT = 3\n\n\ndef scenario")
    explore = "-m raddle explore bank.py::scenario --criteria every --scheduler random --executions 60 --until budget"
    for file, source in (("a", BEFORE), ("b", moved)):
        (tmp_path / "bank.py").write_text(source)
        command = [sys.executable, *explore.split(), "--data-file", file]
        done = processes.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    code, out, _ = run("a", "b", "--json", "--fail-on-loss")
    assert code == 0
    found = json.loads(out)
    assert found["changed_files"] == ["bank.py"]
    kinds = ("gained", "lost", "gone", "impossible")
    assert {name: [row[kind] for kind in kinds] for name, row in found["criteria"].items() if not row["remark"]} == {
        name: [0, 0, 0, 0] for name in found["criteria"] if name not in ("all", "tpair", "svar")
    }
    assert sum(row["after"] for row in found["criteria"].values()) > 50


def test_known_totals_are_shown(run):
    """With one read and one write of one variable, each of the eight patterns on one variable gives one requirement."""
    read, write = 11 << INDEX_BITS, (11 << INDEX_BITS) + 1
    model = StaticModel({("log.py:Log", "n"): Accesses(frozenset({read}), frozenset({write}))})
    sites = {site: Site("log.py", 3, 0, "read", "n", "f", switchable=True) for site in (read, write)}
    for file, patterns in (("a", (1, 2)), ("b", (1,))):
        keys = {1: (1, "log.py:Log", "n", "", read, write), 2: (2, "log.py:Log", "n", "", write, read)}
        tally = Tally(executions=1)
        tally.add(1, "map", [keys[pattern] for pattern in patterns])
        add(file, Record(origin="run app.py", mode="native", tally=tally, sites=sites, paths={}, model=model))
    assert "map: 2 of 8 (static) covered before, 1 of 8 (static) after\n" in run("a", "b")[1]
    (row,) = json.loads(run("a", "b", "--json")[1])["criteria"].values()
    eight = {"total": 8, "total_kind": "static"}
    assert row["totals"] == {"before": eight, "after": eight}
