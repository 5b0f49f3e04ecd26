"""Evaluations: scenarios through `raddle.explore`, commands through `raddle run`."""

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


def test_an_evaluation_covers_what_exploring_with_that_scheduler_covers(tmp_path):
    runs = ScenarioRuns(explore, executions=20, data_file=str(tmp_path / "data"))
    measured = runs(RANDOM, None)
    plainly = explore(scheduler="random", seed=7, executions=20, until="budget")
    assert measured.tally == plainly.tally
    assert read(tmp_path / "data").tally.covered == plainly.tally.covered


def test_a_failure_is_kept_once_and_shrunk(tmp_path):
    runs = ScenarioRuns(explore, executions=20, data_file=str(tmp_path / "data"))
    measured = [runs(Configuration("scheduler", name, 7), None) for name in ("random", "pos")]
    assert [one.failed for one in measured] == [1, 1]
    ((finding, configuration),) = runs.findings.values()
    assert configuration.value == "random"
    assert len(finding.preemptions) == 1
    assert raddle.replay(lost_update, finding.schedule, source=[__file__]).kind == "assertion"
    (stored,) = read(tmp_path / "data").findings
    assert stored["schedule"] == str(finding.schedule)


def test_a_scheduler_that_runs_every_schedule_ends_the_search(tmp_path):
    runs = ScenarioRuns(explore, executions=1000, data_file=None, shrink=False)
    # With two threads of two accesses each, four preemptions are more than any schedule has.
    assert runs(Configuration("scheduler", "exhaustive:preemptions=4", None), None).ended == "exhausted"
    assert runs(Configuration("scheduler", "exhaustive:preemptions=0", None), None).ended == ""
    assert runs.notes == {}


def test_a_scenario_that_is_not_deterministic_is_unfit():
    counters = []

    def one_thread_more_each_time():
        counters.append(Counter())
        threads = [threading.Thread(target=counter.increment) for counter in counters]
        for thread in threads:
            thread.start()

    def explore_it(**options):
        return raddle.explore(one_thread_more_each_time, criteria="map", source=[__file__], **options)

    runs = ScenarioRuns(explore_it, executions=5, data_file=None)
    assert runs(RANDOM, None).ended == "unfit"
    assert [finding.kind for finding, _ in runs.findings.values()] == ["divergence"]


def test_failures_at_other_places_are_others():
    def first():
        raise ValueError(1)

    def second():
        raise ValueError(2)

    findings = [raddle.explore(scenario, source=[__file__]).findings[0] for scenario in (first, second, first)]
    one, other, again = (finding.signature for finding in findings)
    assert one == again != other


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


def test_runs_cover_and_go_to_the_data_file_as_one(tmp_path, monkeypatch):
    runs = command(tmp_path, monkeypatch, "0")
    measured = runs(YIELD, None)
    assert (measured.failed, measured.ended, measured.tally.executions, runs.runs) == (0, "", 2, 2)
    assert measured.tally.counts()["sync"] > 0
    contents = read(tmp_path / "data")
    assert [(run.origin, run.mode, run.executions) for run in contents.runs] == [("search program.py 0", "native", 2)]
    assert contents.tally.covered == measured.tally.covered
    assert runs.failures == {}


@pytest.mark.parametrize(
    ("how", "said", "error"),
    [
        ("raise", "exit code 1", "LookupError: of "),
        ("3", "exit code 3", ""),
        ("thread", "exit code 0, but a thread raised an exception", "LookupError: in a thread"),
        ("kill", "killed by SIGKILL", ""),
    ],
)
def test_runs_that_fail_alike_are_counted_together(tmp_path, monkeypatch, how, said, error):
    runs = command(tmp_path, monkeypatch, how)
    assert runs(YIELD, None).failed == 2
    (failures,) = runs.failures.values()
    assert (failures.how, failures.runs, failures.configuration) == (said, 2, YIELD)
    assert failures.error.startswith(error)
    assert bool(failures.error) == bool(error)


def test_a_run_that_does_not_end_is_ended_and_what_it_covered_is_kept(tmp_path, monkeypatch):
    runs = command(tmp_path, monkeypatch, "hang", executions=1, run_seconds=30.0)  # to start up on a busy machine
    measured = runs(no_noise(), None)
    assert measured.failed == 1
    assert [one.how for one in runs.failures.values()] == ["did not end within 30 s"]
    assert measured.tally.counts()["sync"] > 0


def test_what_raddle_run_refuses_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = CommandRuns(["nothing.py"], executions=1, criteria=["sync"], data_file=str(tmp_path / "data"))
    with pytest.raises(UsageError, match=r"there is no file nothing.py") as refused:
        runs(no_noise(), None)
    assert refused.value.slug == "no-such-file"


def test_a_changed_source_does_not_end_the_search(tmp_path, monkeypatch):
    command(tmp_path, monkeypatch, "0", executions=1)(no_noise(), None)
    runs = command(tmp_path, monkeypatch, "0", executions=1)
    (tmp_path / "program.py").write_text("# changed\n" + PROGRAM)
    measured = runs(no_noise(), None)
    assert read(tmp_path / "data").tally.covered["sync"].keys() == measured.tally.covered["sync"].keys()
    assert list(runs.notes) == ["program.py has changed: its earlier coverage is dropped"]


def test_files_are_named_as_raddle_run_names_them(tmp_path, monkeypatch):
    inner = tmp_path / "inner"
    inner.mkdir()
    command(inner, monkeypatch, "0", executions=1, data_file=str(tmp_path / "data"))(no_noise(), None)
    plainly = [
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
    processes.run(plainly, check=True, capture_output=True)
    assert read(tmp_path / "data").files == read(tmp_path / "plain").files
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "inner", "plain"]


def test_the_time_is_looked_at_after_each_run(tmp_path, monkeypatch):
    runs = command(tmp_path, monkeypatch, "0", executions=5)
    runs(no_noise(), 1e-9)
    assert runs.runs == 1


def test_the_interpreter_that_searches_is_the_one_that_runs(tmp_path, monkeypatch):
    runs = command(tmp_path, monkeypatch, "0")
    whole = runs._whole_command(YIELD, tmp_path / "d", tmp_path / "s")
    assert whole[:8] == [sys.executable, "-m", "raddle", "run", "--noise", "yield:probability=0.5", "--seed", "7"]
    assert whole[-2:] == ["program.py", "0"]
