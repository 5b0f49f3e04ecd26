"""Marked tests inside `raddle run -m pytest`: the coverage of their executions is added to the coverage of the run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raddle.record import Record
from raddle.report.stored_findings import stored_findings
from raddle.site import INDEX_BITS, Site
from raddle.store import Contents, add, read
from raddle.tally import Tally

pytest_plugins = "pytester"

TWO_INCREMENTS = """
@pytest.mark.raddle(executions=20{more})
def test_two_increments({arguments}):
    counter = Counter()
    together(counter.increment, counter.increment)
    assert counter.value in (1, 2)
"""


class MeasuredPytest:
    """Runs pytest under `raddle run` in a separate process."""

    def __init__(self, pytester: pytest.Pytester, load: tuple[str, ...], run_module: Callable[..., Any]) -> None:
        self._pytester = pytester
        self._load = load
        self._run_module = run_module

    def __call__(self, test: str, *args: str, options: tuple[str, ...] = ()) -> tuple[Contents, dict[str, Any]]:
        head = "import threading\nimport pytest\nfrom counter import Counter, together\n"
        self._pytester.makepyfile(test_it=head + test)
        tests = ["-m", "pytest", *self._load, "-p", "no:randomly", *args]
        self.completed = self._run_module("raddle", "run", "--json-file", "summary.json", *options, *tests)
        folder = Path(self._pytester.path)
        return read(folder / ".raddle"), json.loads((folder / "summary.json").read_text())


@pytest.fixture
def measured(run, pytester, load, run_module) -> MeasuredPytest:  # the fixture `run` creates the module `counter`
    return MeasuredPytest(pytester, load, run_module)


def test_the_coverage_of_a_marked_test_is_stored(measured):
    contents, summary = measured(TWO_INCREMENTS.format(more="", arguments=""))
    measured.completed.assert_outcomes(passed=1)
    # The process itself starts no thread. Only in the exploration do two threads run `increment` concurrently.
    assert [(run.origin, run.mode, run.executions) for run in contents.runs] == [
        ("pytest test_it.py::test_two_increments", "controlled", 20),
        ("run -m pytest", "native", 1),
    ]
    pairs = {
        tuple(name for name in key if isinstance(name, str))[-2:] for key in contents.tally.covered["method-pairs"]
    }
    assert pairs == {("increment", "increment")}
    assert (summary["processes"], summary["explorations"], summary["explored_executions"]) == (1, 1, 20)
    assert summary["criteria"]["method-pairs"]["covered"] == 1
    assert contents.corpus == ()  # this run must not influence later searches


def test_a_marked_test_measures_the_criteria_of_the_run(measured):
    contents, _ = measured(TWO_INCREMENTS.format(more="", arguments=""), options=("--criteria", "sync"))
    assert [run.criteria for run in contents.runs] == [{"sync"}, {"sync"}]


def test_criteria_in_the_marker_override_those_of_the_run(measured):
    contents, _ = measured(TWO_INCREMENTS.format(more=", criteria='hbpair'", arguments=""))
    assert contents.runs[0].criteria == {"hbpair"}


def test_a_data_file_in_the_marker_overrides_that_of_the_run(measured, pytester):
    contents, _ = measured(TWO_INCREMENTS.format(more=", data_file='own'", arguments=""))
    assert [run.mode for run in contents.runs] == ["native"]
    assert [run.mode for run in read(pytester.path / "own").runs] == ["controlled"]


def test_the_coverage_is_stored_only_once_in_the_projects_data_file(measured, pytester):
    pytester.makepyprojecttoml('[tool.raddle]\ndata_file = ".raddle"\ncriteria = "sync"\n')
    contents, _ = measured(TWO_INCREMENTS.format(more="", arguments=""))
    assert [(run.mode, run.criteria) for run in contents.runs] == [("controlled", {"sync"}), ("native", {"sync"})]


def test_isolated_executions_do_not_count_as_processes_of_the_program(measured):
    contents, summary = measured(TWO_INCREMENTS.format(more=", isolate='fork'", arguments=""))
    measured.completed.assert_outcomes(passed=1)
    assert [run.mode for run in contents.runs] == ["controlled", "native"]
    assert summary["processes"] == 1


def test_a_finding_is_replayed_by_pytest(measured):
    test = TWO_INCREMENTS.format(more="", arguments="number").replace("in (1, 2)", "== number")
    contents, _ = measured(test.replace("@", "@pytest.mark.parametrize('number', [2])\n@", 1))
    (finding,) = contents.findings
    assert finding["origin"] == "pytest test_it.py::test_two_increments[2]"
    (stored,) = stored_findings(contents)
    command = "pytest 'test_it.py::test_two_increments[2]' --raddle-replay 'T0; T1 until counter.py:"
    assert stored.replay.startswith(command)
    assert f"replay: {command}" in stored.story


def test_a_skip_is_not_a_finding(measured):
    contents, _ = measured("@pytest.mark.raddle\ndef test_skipped():\n    pytest.skip('not today')\n")
    measured.completed.assert_outcomes(skipped=1)
    assert contents.findings == ()


def test_a_run_without_criteria_stores_nothing(measured, pytester):
    before, _ = measured(TWO_INCREMENTS.format(more="", arguments=""))
    after, _ = measured(TWO_INCREMENTS.format(more="", arguments=""), options=("--criteria", "none"))
    assert len(after.runs) == len(before.runs)


def test_the_coverage_of_xdist_workers_is_stored(measured):
    pytest.importorskip("xdist")
    contents, summary = measured(TWO_INCREMENTS.format(more="", arguments=""), "-p", "xdist", "-n", "1")
    measured.completed.assert_outcomes(passed=1)
    assert [run.executions for run in contents.runs if run.mode == "controlled"] == [20]
    assert summary["explorations"] == 1


def test_a_module_with_dataclasses_can_be_explored(measured):
    head = "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int = 0\n"
    measured(head + TWO_INCREMENTS.format(more="", arguments=""))
    measured.completed.assert_outcomes(passed=1)


def test_a_test_can_create_a_dataclass_while_explored(measured):
    test = """
from dataclasses import dataclass

@pytest.mark.raddle(executions=20)
def test_compared():
    @dataclass
    class Point:
        x: int = 0

    point = Point()
    together(lambda: setattr(point, "x", 1), lambda: point == Point(1))
"""
    measured(test)
    measured.completed.assert_outcomes(passed=1)


def test_a_module_imported_during_an_exploration_is_watched_afterwards(measured):
    measured._pytester.makepyfile(
        late="class Late:\n    def __init__(self): self.n = 0\n    def add(self): self.n += 1\n"
    )
    test = """
def use():
    import late
    one = late.Late()
    together(one.add, one.add)

@pytest.mark.raddle(executions=5)
def test_explored():
    use()

def test_unmarked():
    use()
"""
    contents, _ = measured(test)
    measured.completed.assert_outcomes(passed=2)
    assert {run.mode for run in contents.runs} == {"controlled", "native"}


def test_a_usage_error_fails_only_its_own_test(measured):
    measured("import raddle\ndef test_wrong(): raddle.explore(print, scheduler='nonsense')\ndef test_right(): pass\n")
    measured.completed.assert_outcomes(passed=1, failed=1)
    measured.completed.stdout.fnmatch_lines(["*UsageError: there is no scheduler 'nonsense'*"])


def test_coverage_that_cannot_be_stored_is_reported_but_fails_no_test(measured, monkeypatch):
    settings = {"criteria": ["sync"], "data_file": "nowhere/data"}
    monkeypatch.setenv("RADDLE_RUN", json.dumps(settings))
    head = "import threading\nimport pytest\nfrom counter import Counter, together\n"
    measured._pytester.makepyfile(test_it=head + TWO_INCREMENTS.format(more="", arguments=""))
    completed = measured._pytester.runpytest_subprocess(*measured._load)
    completed.assert_outcomes(passed=1)
    completed.stdout.fnmatch_lines(["raddle: test_it.py::test_two_increments: coverage was not stored: *nowhere*"])


def test_an_unrelated_value_of_raddle_run_is_ignored(measured, monkeypatch):
    monkeypatch.setenv("RADDLE_RUN", "[1, 2")
    measured._pytester.makepyfile(test_it="import pytest\n@pytest.mark.raddle\ndef test_it():\n    pass\n")
    measured._pytester.runpytest_subprocess(*measured._load).assert_outcomes(passed=1)


def test_notes_on_changed_files_are_kept_until_the_next_run(tmp_path):
    def record(digest: int) -> Record:
        number = digest << INDEX_BITS
        tally = Tally()
        tally.add(1, "sync", [(number, "visited")])
        site = Site("log.py", 3, 0, "read", "self.th", "Log.add", switchable=True)
        return Record(
            origin="pytest", mode="controlled", tally=tally, sites={number: site}, paths={"log.py": "/log.py"}
        )

    file = tmp_path / "data"
    add(file, record(1))
    (note,) = add(file, record(2), starts_run=False)  # log.py has changed since the first record
    assert add(file, record(2), starts_run=False) == ()  # another test of the same run
    assert read(file).notes == (note,)
    add(file, record(2))  # a new run
    assert read(file).notes == ()
