"""Executions in child processes leave no state behind. If a child dies, the search reports a crash and continues."""

from __future__ import annotations

import copy
import os
import threading

import isolated
import pytest

import raddle
from raddle.execute.fork import ChildDiedError, ChildFailedError, can_fork, in_child, in_child_with_exit
from raddle.exploring import findings

pytestmark = pytest.mark.skipif(not can_fork(), reason="this system cannot fork")


@pytest.fixture(autouse=True)
def few_tries(monkeypatch):
    """Reduce the number of attempts to reproduce a failure with the GIL, because each attempt starts a process."""
    monkeypatch.setattr(findings, "TRIES_WITH_GIL", 8)


def explore(scenario, **options):
    return raddle.explore(scenario, isolate="fork", source=["isolated"], **options)


# -- state ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{"scheduler": "pos"}, {"scheduler": "random", "criteria": "map", "until": "budget"}]
)
@pytest.mark.parametrize("scenario", ["remembers", "runs_once"])
def test_the_state_of_the_parent_process_is_untouched(scenario, options):
    state = isolated.cache, isolated.runs, isolated.calls
    before = copy.deepcopy(state)
    result = explore(getattr(isolated, scenario), executions=20, setup=isolated.note, **options)
    assert state == before == ({}, [], [])
    for finding in result.findings:
        raddle.replay(
            getattr(isolated, scenario), finding.schedule, source=["isolated"], isolate="fork", setup=isolated.note
        )
    assert state == before


def test_corpus_entries_are_replayed_in_child_processes(tmp_path):
    for _ in range(2):  # the second run begins with the corpus of the first
        explore(isolated.remembers, executions=10, shrink=False, data_file=tmp_path / "data")
    assert isolated.cache == {}


def test_a_failure_does_not_depend_on_earlier_executions():
    # T1 finds the cache empty. So does T2, which then stores a list in it and appends an item. T1 stores another list
    # and appends an item. Only one of the two items is left. A longer list would contain items of earlier executions.
    (finding,) = explore(isolated.remembers, scheduler="pos", executions=100).findings
    assert finding.message.endswith("{'a': [1]}")
    replayed = raddle.replay(isolated.remembers, finding.schedule, source=["isolated"], isolate="fork")
    assert replayed is not None
    assert replayed.message == finding.message


def test_a_failure_without_preemption_is_measured_in_a_child_process():
    def scenario():
        isolated.runs.append(1)
        isolated.run_all(lambda: None)
        raise AssertionError(isolated.runs)

    (finding,) = explore(scenario, criteria="map", scheduler="random", executions=3).findings
    assert finding.message.endswith("[1]")
    assert isolated.runs == []


def test_threads_without_probes_are_reported(tmp_path, monkeypatch):
    (tmp_path / "not_to_be_watched.py").write_text("class Box: value = 0\nbox = Box()\ndef add(): box.value += 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from not_to_be_watched import add

    result = explore(lambda: isolated.run_all(add), executions=1, scheduler="pos")
    assert [refused.what for refused in result.not_instrumented] == ["not_to_be_watched.add (run by a thread)"]


def test_modules_imported_by_child_processes_are_known_in_the_parent(tmp_path, monkeypatch):
    (tmp_path / "imported_by_children.py").write_text("class Box: value = 0\nbox = Box()\ndef add(): box.value += 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def scenario():
        from imported_by_children import add

        isolated.run_all(add, add)

    options = {"criteria": "map", "scheduler": "random", "executions": 30, "until": "budget"}
    result = raddle.explore(scenario, isolate="fork", source=["imported_by_children"], **options)
    files = {site.file for site in result.record.sites.values()}
    assert any(file.endswith("imported_by_children.py") for file in files)
    assert result.tally.counts()["map"] > 0


# -- crashes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scheduler", ["random", "pct", "surw", "exhaustive", "deepening", "reachability", "twice:random"]
)
def test_a_search_finds_a_crash_with_its_schedule_and_other_failures(scheduler):
    result = explore(isolated.dies_or_fails, scheduler=scheduler, executions=40, until="budget", shrink=False)
    found = {finding.kind: finding for finding in result.findings}
    assert sorted(found) == ["assertion", "crash"]
    assert found["crash"].message == "the process died (exit code 9)"
    replayed = raddle.replay(isolated.dies_or_fails, found["crash"].schedule, source=["isolated"], isolate="fork")
    assert (replayed.kind, replayed.message) == ("crash", found["crash"].message)
    complete = scheduler in ("exhaustive", "deepening", "reachability")
    assert result.stopped_because == ("exhausted-in-part" if complete else "executions")


def test_a_crash_is_shrunk_and_has_a_story():
    result = explore(isolated.dies_or_fails, scheduler="random", executions=40, until="budget")
    (crash,) = (finding for finding in result.findings if finding.kind == "crash")
    # T1 has to be preempted once, after its write. T2 then runs to its end, and T1 reads the value that makes it crash.
    assert [segment.thread for segment in crash.schedule.segments] == ["T0", "T1", "T2"]
    assert len(crash.preemptions) == 1
    assert crash.thread == "T1"
    assert [(e.thread, e.kind, e.value) for e in crash.steps if e.kind in ("read", "write")] == [
        ("T1", "read", "0"),
        ("T1", "write", "1"),
        ("T2", "read", "1"),
        ("T2", "write", "2"),
        ("T1", "read", "2"),
    ]
    assert (
        crash.possible_on == "free-threaded-only"
    )  # no GIL switch point (call, loop, function entry) lies between the write and the read


def test_a_crash_possible_with_the_gil_is_reported_as_such():
    result = explore(isolated.dies_with_the_gil, scheduler="random", executions=100)
    assert [(finding.kind, finding.possible_on) for finding in result.findings] == [("crash", "this-interpreter")]


def test_crashed_executions_are_measured_up_to_the_crash():
    result = explore(
        isolated.dies_or_fails, scheduler="random", executions=30, until="budget", criteria="map", shrink=False
    )
    assert any(finding.kind == "crash" for finding in result.findings)
    assert result.tally.executions == result.executions == 30


@pytest.mark.parametrize(
    ("scenario", "how", "threads"), [("killed", "killed by SIGKILL", "T1"), ("exits_at_once", "exit code 0", "T0")]
)
def test_a_search_stops_if_every_execution_crashes(scenario, how, threads):
    result = explore(getattr(isolated, scenario), scheduler="random", executions=100, until="budget")
    # One rehearsal and 20 further executions crash.
    assert (result.executions, result.stopped_because) == (21, "crashing")
    assert [(f.kind, f.message, f.thread) for f in result.findings] == [("crash", f"the process died ({how})", threads)]
    assert str(result.findings[0].schedule) == "T0."


def test_a_crash_that_does_not_depend_on_the_schedule_is_a_divergence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = explore(isolated.exits_by_chance, scheduler="random", executions=10, until="budget")
    # Of two executions of the same schedule, one crashed. No schedule reproduces the crash.
    assert [(finding.kind, finding.schedule) for finding in result.findings] == [("divergence", None)]
    assert "exit code 7" in result.findings[0].message


def test_an_exception_in_the_setup_is_an_error_and_not_a_crash():
    def setup():
        raise OSError("no room")

    with pytest.raises(raddle.RaddleError, match="no room") as caught:
        explore(isolated.killed, setup=setup)
    assert caught.value.slug == "child-died"


# -- child processes ------------------------------------------------------------------------------------


def test_a_child_can_exit_early_with_a_result():
    def function(exit_with):
        exit_with("early")
        raise AssertionError("the child continued")

    assert in_child_with_exit(function) == "early"


def test_the_error_says_how_a_child_process_ended():
    with pytest.raises(ChildDiedError, match="the child ended with exit code 3") as caught:
        in_child(lambda: isolated.die(3))
    assert caught.value.how == "exit code 3"
    with pytest.raises(ChildFailedError, match="ZeroDivisionError"):
        in_child(lambda: 1 / 0)
    with pytest.raises(ChildFailedError, match="pickle"):
        in_child(lambda: lambda: None)


def test_os_exit_without_a_child_process_is_a_crash_with_a_schedule():
    """raddle controls calls to `os._exit` from Python code: such a call ends only the execution."""

    def scenario():
        seen = []

        def work(letter):
            seen.append(letter)
            if seen == ["b"]:
                os._exit(3)

        threads = [threading.Thread(target=work, args=(letter,)) for letter in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    (finding,) = raddle.explore(scenario, source=[__file__], scheduler="exhaustive").findings
    assert (finding.kind, finding.thread, finding.message) == ("crash", "T2", "the process died (exit code 3)")
    assert str(raddle.replay(scenario, finding.schedule, source=[__file__]).kind) == "crash"
