"""Evaluating configurations: scenarios with `raddle.explore`, commands with `raddle run`."""

from __future__ import annotations

import sys
import threading

import pytest

import processes
import raddle
from raddle.errors import UsageError
from raddle.store import read
from raddle.tuning.command_runs import CommandRuns
from raddle.tuning.configurations import Configuration, no_noise
from raddle.tuning.scenario_runs import ScenarioRuns

RANDOM = Configuration("scheduler", "random", 7)
YIELD = Configuration("noise", "yield:probability=0.5", 7)


class Counter:
    def __init__(self):
        self.value = 0

    def increment(self):
        self.value += 1


def lost_update():
    counter = Counter()
    threads = [threading.Thread(target=counter.increment) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.value == 2, counter.value


def explore(**options):
    return raddle.explore(lost_update, criteria="map", source=[__file__], **options)


# -- scenarios ----------------------------------------------------------------------------------------


def test_an_evaluation_covers_the_same_as_exploring_with_that_scheduler(tmp_path):
    runs = ScenarioRuns(explore, executions=20, data_file=str(tmp_path / "data"))
    measured = runs(RANDOM, None)
    expected = explore(scheduler="random", seed=7, executions=20, until="budget")
    assert measured.tally == expected.tally
    assert read(tmp_path / "data").tally.covered == expected.tally.covered


def test_a_failure_found_twice_is_stored_once_and_shrunk(tmp_path):
    runs = ScenarioRuns(explore, executions=20, data_file=str(tmp_path / "data"))
    measured = [runs(Configuration("scheduler", name, 7), None) for name in ("random", "pos")]
    assert [evaluation.failed for evaluation in measured] == [1, 1]
    ((finding, configuration),) = runs.findings.values()
    assert configuration.value == "random"
    assert len(finding.preemptions) == 1
    assert raddle.replay(lost_update, finding.schedule, source=[__file__]).kind == "assertion"
    (stored,) = read(tmp_path / "data").findings
    assert stored["schedule"] == str(finding.schedule)


def test_a_scheduler_that_runs_every_schedule_ends_the_search(tmp_path):
    runs = ScenarioRuns(explore, executions=1000, data_file=None, shrink=False)
    # Two threads with two accesses each: no schedule has as many as four preemptions.
    assert runs(Configuration("scheduler", "exhaustive:preemptions=4", None), None).ended == "exhausted"
    assert runs(Configuration("scheduler", "exhaustive:preemptions=0", None), None).ended == ""
    assert runs.notes == {}


def test_a_nondeterministic_scenario_ends_the_evaluation_as_unfit():
    counters = []

    def one_thread_more_each_time():
        counters.append(Counter())
        threads = [threading.Thread(target=counter.increment) for counter in counters]
        for thread in threads:
            thread.start()

    def explore_growing(**options):
        return raddle.explore(one_thread_more_each_time, criteria="map", source=[__file__], **options)

    runs = ScenarioRuns(explore_growing, executions=5, data_file=None)
    assert runs(RANDOM, None).ended == "unfit"
    assert [finding.kind for finding, _ in runs.findings.values()] == ["divergence"]


def test_failures_at_different_places_have_different_signatures():
    def first():
        raise ValueError(1)

    def second():
        raise ValueError(2)

    findings = [raddle.explore(scenario, source=[__file__]).findings[0] for scenario in (first, second, first)]
    signature, other_signature, repeated = (finding.signature for finding in findings)
    assert signature == repeated != other_signature


# -- commands -----------------------------------------------------------------------------------------

PROGRAM = """\
import os, sys, threading

class Counter:
    def __init__(self): self.value, self.lock = 0, threading.Lock()
    def add(self):
        for _ in range(3):
            with self.lock: self.value += 1

def fail(): raise LookupError("in a thread")

counter = Counter()
threads = [threading.Thread(target=counter.add) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
how = sys.argv[1]
if how == "raise": raise LookupError(f"of {os.getpid()}")
if how == "thread":
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
if how == "kill": os.kill(os.getpid(), 9)
if how == "hang": threading.Lock().acquire() and threading.Event().wait()
if how.isdigit(): sys.exit(int(how))
"""


def command(folder, monkeypatch, how, **options):
    (folder / "program.py").write_text(PROGRAM)
    monkeypatch.chdir(folder)
    settings = {"executions": 2, "criteria": ["sync"], "data_file": str(folder / "data"), **options}
    return CommandRuns(["program.py", how], **settings)


def test_the_runs_of_an_evaluation_are_stored_as_one_run(tmp_path, monkeypatch):
    runs = command(tmp_path, monkeypatch, "0")
    measured = runs(YIELD, None)
    assert (measured.failed, measured.ended, measured.tally.executions, runs.runs) == (0, "", 2, 2)
    assert measured.tally.counts()["sync"] > 0
    contents = read(tmp_path / "data")
    assert [(run.origin, run.mode, run.executions) for run in contents.runs] == [("search program.py 0", "native", 2)]
    assert contents.tally.covered == measured.tally.covered
    assert runs.failures == {}


@pytest.mark.parametrize(
    ("how", "description", "error"),
    [
        ("raise", "exit code 1", "LookupError: of "),
        ("3", "exit code 3", ""),
        ("thread", "exit code 0, but a thread raised an exception", "LookupError: in a thread"),
        ("kill", "killed by SIGKILL", ""),
    ],
)
def test_runs_that_fail_in_the_same_way_are_grouped(tmp_path, monkeypatch, how, description, error):
    runs = command(tmp_path, monkeypatch, how)
    assert runs(YIELD, None).failed == 2
    (failures,) = runs.failures.values()
    assert (failures.how, failures.runs, failures.configuration) == (description, 2, YIELD)
    assert failures.error.startswith(error)
    assert bool(failures.error) == bool(error)


def test_a_hanging_run_is_stopped_and_its_coverage_is_kept(tmp_path, monkeypatch):
    # Even on a busy machine, the program starts within 30 seconds.
    runs = command(tmp_path, monkeypatch, "hang", executions=1, run_seconds=30.0)
    measured = runs(no_noise(), None)
    assert measured.failed == 1
    assert [failures.how for failures in runs.failures.values()] == ["did not end within 30 s"]
    assert measured.tally.counts()["sync"] > 0


def test_an_error_of_raddle_run_is_passed_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = CommandRuns(["nothing.py"], executions=1, criteria=["sync"], data_file=str(tmp_path / "data"))
    with pytest.raises(UsageError, match=r"there is no file nothing.py") as raised:
        runs(no_noise(), None)
    assert raised.value.slug == "no-such-file"


def test_a_changed_source_does_not_end_the_search(tmp_path, monkeypatch):
    command(tmp_path, monkeypatch, "0", executions=1)(no_noise(), None)
    runs = command(tmp_path, monkeypatch, "0", executions=1)
    (tmp_path / "program.py").write_text("# changed\n" + PROGRAM)
    measured = runs(no_noise(), None)
    assert read(tmp_path / "data").tally.covered["sync"].keys() == measured.tally.covered["sync"].keys()
    assert list(runs.notes) == ["program.py has changed: its earlier coverage is dropped"]


def test_files_have_the_same_names_as_with_raddle_run(tmp_path, monkeypatch):
    inner = tmp_path / "inner"
    inner.mkdir()
    command(inner, monkeypatch, "0", executions=1, data_file=str(tmp_path / "data"))(no_noise(), None)
    expected = [
        sys.executable,
        "-m",
        "raddle",
        "run",
        "--criteria",
        "sync",
        "--data-file",
        "../plain",
        "program.py",
        "0",
    ]
    processes.run(expected, check=True, capture_output=True)
    assert read(tmp_path / "data").files == read(tmp_path / "plain").files
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "inner", "plain"]


def test_the_time_budget_is_checked_after_each_run(tmp_path, monkeypatch):
    runs = command(tmp_path, monkeypatch, "0", executions=5)
    runs(no_noise(), 1e-9)
    assert runs.runs == 1


def test_runs_use_the_interpreter_of_the_search(tmp_path, monkeypatch):
    runs = command(tmp_path, monkeypatch, "0")
    full_command = runs._whole_command(YIELD, tmp_path / "d", tmp_path / "s")
    assert full_command[:8] == [
        sys.executable,
        "-m",
        "raddle",
        "run",
        "--noise",
        "yield:probability=0.5",
        "--seed",
        "7",
    ]
    assert full_command[-2:] == ["program.py", "0"]
