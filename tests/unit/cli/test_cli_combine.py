"""The command `raddle combine`: its output and exit codes."""

from __future__ import annotations

import json

import pytest

from raddle.cli.combine import combine
from raddle.errors import UsageError
from raddle.record import Record
from raddle.site import INDEX_BITS, Site
from raddle.store import add, read
from raddle.tally import Tally


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder; return its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_(*arguments):
        code = combine.main(list(arguments), standalone_mode=False)
        return code, *capsys.readouterr()

    return run_


def store(file, *, digest=4711):
    tally = Tally()
    number = digest << INDEX_BITS
    tally.add(1, "sync", [(number, "visited")])
    site = Site("log.py", 3, 0, "call", "lock", "f", switchable=True)
    add(file, Record(origin="run app.py", mode="native", tally=tally, sites={number: site}, paths={}))


def test_data_files_are_combined_once(run):
    store("a")
    store("b")
    code, out, err = run("a", "b")
    assert (code, out) == (0, "")
    assert err == "2 files added to .raddle, which now has 2 runs with 2 executions\n"
    assert read(".raddle").tally.executions == 2
    code, _, err = run("a")
    assert code == 0
    assert err.startswith("a: all its runs are already in .raddle\n0 files added")


def test_json_describes_a_combination_into_another_file(run):
    store("a")
    code, out, err = run("a", "--data-file", "both", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"data_file": "both", "added": ["a"], "skipped": [], "runs": 1, "executions": 1}


def test_files_with_different_sources_are_rejected(run, tmp_path):
    store("a")
    store("b", digest=4712)
    with pytest.raises(UsageError, match=r"log\.py is not the same in a and b") as caught:
        run("a", "b")
    assert caught.value.slug == "different-source"
    assert not (tmp_path / ".raddle").exists()


def test_a_file_that_is_no_data_file_is_rejected(run, tmp_path):
    (tmp_path / "a").write_text("hello\n")
    with pytest.raises(UsageError) as caught:
        run("a")
    assert caught.value.slug == "not-a-data-file"


def test_missing_and_empty_files_are_rejected(run, tmp_path):
    (tmp_path / "empty").touch()
    for name, why in (("nowhere", "there is no such file"), ("empty", "it contains no data")):
        with pytest.raises(UsageError) as caught:
            run(name)
        assert caught.value.slug == "no-data"
        assert f"{name} cannot be combined: {why}; nothing was changed" in str(caught.value)
    assert not (tmp_path / ".raddle").exists()
