"""Marked tests inside `raddle run -m pytest`: what their executions cover counts for the run."""

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


class Measured:
    """Runs pytest under `raddle run` in a process of its own."""

    def __init__(self, pytester: pytest.Pytester, load: tuple[str, ...], run_module: Callable[..., Any]) -> None:
        self._pytester = pytester
        self._load = load
        self._run_module = run_module

    def __call__(self, test: str, *args: str, options: tuple[str, ...] = ()) -> tuple[Contents, dict[str, Any]]:
        head = "import threading\nimport pytest\nfrom counter import Counter, together\n"
        self._pytester.makepyfile(test_it=head + test)
        tests = ["-m", "pytest", *self._load, "-p", "no:randomly", *args]
        self.done = self._run_module("raddle", "run", "--json-file", "said.json", *options, *tests)
        folder = Path(self._pytester.path)
        return read(folder / ".raddle"), json.loads((folder / "said.json").read_text())


@pytest.fixture
def measured(run, pytester, load, run_module) -> Measured:  # `run` has made the module `counter`
    return Measured(pytester, load, run_module)


def test_what_it_covers_is_in_the_data_file(measured):
    contents, said = measured(TWO_INCREMENTS.format(more="", arguments=""))
    measured.done.assert_outcomes(passed=1)
    # The process itself starts no thread; only in the exploration are two threads in `increment` at once.
    assert [(run.origin, run.mode, run.executions) for run in contents.runs] == [
        ("pytest test_it.py::test_two_increments", "controlled", 20),
        ("run -m pytest", "native", 1),
    ]
    pairs = {
        tuple(name for name in key if isinstance(name, str))[-2:] for key in contents.tally.covered["method-pairs"]
    }
    assert pairs == {("increment", "increment")}
    assert (said["processes"], said["explorations"], said["explored_executions"]) == (1, 1, 20)
    assert said["criteria"]["method-pairs"]["covered"] == 1
    assert contents.corpus == ()  # a later run must not search in another way because of this one


def test_it_measures_what_the_run_was_asked_for(measured):
    contents, _ = measured(TWO_INCREMENTS.format(more="", arguments=""), options=("--criteria", "sync"))
    assert [run.criteria for run in contents.runs] == [{"sync"}, {"sync"}]


def test_a_marker_that_names_criteria_has_these(measured):
    contents, _ = measured(TWO_INCREMENTS.format(more=", criteria='hbpair'", arguments=""))
    assert contents.runs[0].criteria == {"hbpair"}


def test_a_marker_that_names_a_data_file_has_that(measured, pytester):
    contents, _ = measured(TWO_INCREMENTS.format(more=", data_file='own'", arguments=""))
    assert [run.mode for run in contents.runs] == ["native"]
    assert [run.mode for run in read(pytester.path / "own").runs] == ["controlled"]


def test_the_data_file_of_the_project_is_not_added_to_twice(measured, pytester):
    pytester.makepyprojecttoml('[tool.raddle]\ndata_file = ".raddle"\ncriteria = "sync"\n')
    contents, _ = measured(TWO_INCREMENTS.format(more="", arguments=""))
    assert [(run.mode, run.criteria) for run in contents.runs] == [("controlled", {"sync"}), ("native", {"sync"})]


def test_isolated_executions_are_no_processes_of_the_program(measured):
    contents, said = measured(TWO_INCREMENTS.format(more=", isolate='fork'", arguments=""))
    measured.done.assert_outcomes(passed=1)
    assert [run.mode for run in contents.runs] == ["controlled", "native"]
    assert said["processes"] == 1


def test_a_finding_is_replayed_by_pytest(measured):
    test = TWO_INCREMENTS.format(more="", arguments="number").replace("in (1, 2)", "== number")
    contents, _ = measured(test.replace("@", "@pytest.mark.parametrize('number', [2])\n@", 1))
    (finding,) = contents.findings
    assert finding["origin"] == "pytest test_it.py::test_two_increments[2]"
    (stored,) = stored_findings(contents)
    command = "pytest 'test_it.py::test_two_increments[2]' --raddle-replay 'T0; T1 until counter.py:"
    assert stored.replay.startswith(command)
    assert f"replay: {command}" in stored.story


def test_a_skip_is_no_finding(measured):
    contents, _ = measured("@pytest.mark.raddle\ndef test_skipped():\n    pytest.skip('not today')\n")
    measured.done.assert_outcomes(skipped=1)
    assert contents.findings == ()


def test_nothing_is_added_where_the_run_measures_nothing(measured, pytester):
    measured_before, _ = measured(TWO_INCREMENTS.format(more="", arguments=""))
    after, _ = measured(TWO_INCREMENTS.format(more="", arguments=""), options=("--criteria", "none"))
    assert len(after.runs) == len(measured_before.runs)


def test_workers_of_xdist_add_theirs(measured):
    pytest.importorskip("xdist")
    contents, said = measured(TWO_INCREMENTS.format(more="", arguments=""), "-p", "xdist", "-n", "1")
    measured.done.assert_outcomes(passed=1)
    assert [run.executions for run in contents.runs if run.mode == "controlled"] == [20]
    assert said["explorations"] == 1


def test_a_module_with_dataclasses(measured):
    head = "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int = 0\n"
    measured(head + TWO_INCREMENTS.format(more="", arguments=""))
    measured.done.assert_outcomes(passed=1)


def test_a_dataclass_made_by_what_is_explored(measured):
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
    measured.done.assert_outcomes(passed=1)


def test_a_module_that_an_exploration_imports_is_watched_afterwards(measured):
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

def test_plainly():
    use()
"""
    contents, _ = measured(test)
    measured.done.assert_outcomes(passed=2)
    assert {run.mode for run in contents.runs} == {"controlled", "native"}


def test_what_raddle_itself_raises_fails_its_test_alone(measured):
    measured("import raddle\ndef test_wrong(): raddle.explore(print, scheduler='nonsense')\ndef test_right(): pass\n")
    measured.done.assert_outcomes(passed=1, failed=1)
    measured.done.stdout.fnmatch_lines(["*UsageError: there is no scheduler 'nonsense'*"])


def test_what_cannot_be_kept_is_said_and_fails_no_test(measured, monkeypatch):
    settings = {"criteria": ["sync"], "data_file": "nowhere/data"}
    monkeypatch.setenv("RADDLE_RUN", json.dumps(settings))
    head = "import threading\nimport pytest\nfrom counter import Counter, together\n"
    measured._pytester.makepyfile(test_it=head + TWO_INCREMENTS.format(more="", arguments=""))
    done = measured._pytester.runpytest_subprocess(*measured._load)
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["raddle: test_it.py::test_two_increments: what it covered is not kept: *nowhere*"])


def test_a_variable_of_somebody_else(measured, monkeypatch):
    monkeypatch.setenv("RADDLE_RUN", "[1, 2")
    measured._pytester.makepyfile(test_it="import pytest\n@pytest.mark.raddle\ndef test_it():\n    pass\n")
    measured._pytester.runpytest_subprocess(*measured._load).assert_outcomes(passed=1)


def test_what_an_exploration_drops_is_said_until_the_next_run(tmp_path):
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
    (note,) = add(file, record(2), starts_run=False)  # log.py has changed
    assert add(file, record(2), starts_run=False) == ()  # another test of the same run
    assert read(file).notes == (note,)
    add(file, record(2))  # a run of its own
    assert read(file).notes == ()
