"""Progress updates name the current activity, even while raddle runs executions that are not part of the search."""

from __future__ import annotations

from itertools import groupby

import pytest

import raddle
from raddle.cli.screen import progress_text
from raddle.execute.fork import can_fork
from raddle.exploring import findings
from raddle.exploring.progress import ProgressUpdate

Box = type("Box", (), {"value": 0})


def scenario():
    import threading

    box = Box()

    def add():
        box.value += 1

    threads = [threading.Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert box.value == 3


@pytest.mark.parametrize("isolate", ["none", "fork"] if can_fork() else ["none"])
def test_each_execution_outside_the_search_produces_an_update(isolate, monkeypatch):
    monkeypatch.setattr(findings, "TRIES_WITH_GIL", 7)
    activities = []
    result = raddle.explore(
        scenario,
        scheduler="pos",
        executions=100,
        isolate=isolate,
        progress=lambda update: activities.append(update.doing),
        source=[__file__],
    )
    assert result.findings[0].possible_on == "free-threaded-only"
    # raddle runs two rehearsals, searches until the failure, replays the failing schedule and shrinks it. The failure
    # needs a switch that is impossible with the GIL, so raddle uses all of its attempts to reproduce the failure with
    # the GIL. The search ends with this finding.
    order = [(doing, len(list(same))) for doing, same in groupby(activities)]
    words = [doing for doing, _ in order if doing != "searching"]
    assert words == [
        "rehearsing",
        "reproducing a failure",
        "shrinking",
        "checking whether the failure is possible with the GIL",
    ]
    assert dict(order)["rehearsing"] == 2
    assert dict(order)["checking whether the failure is possible with the GIL"] == 7
    assert dict(order)["shrinking"] > 2


def test_writing_and_replaying_the_corpus_produce_updates(tmp_path):
    words = []
    for _ in range(2):
        seen = []
        raddle.explore(
            scenario,
            source=[__file__],
            executions=30,
            until="budget",
            shrink=False,
            data_file=tmp_path / "data",
            progress=lambda update, seen=seen: seen.append(update.doing),
        )
        words.append(set(seen))
    assert "writing schedules" in words[0]
    assert "replaying schedules of earlier runs" in words[1] - words[0]


def test_each_execution_of_the_search_produces_an_update():
    updates = []
    raddle.explore(scenario, scheduler="sequential", executions=5, progress=updates.append, source=[__file__])
    assert [update.executions for update in updates if update.doing == "searching"] == [1, 2, 3, 4, 5]


def test_the_progress_text_shows_the_activity():
    update = ProgressUpdate(0, 0, 0.1, {}, 0.0, doing="rehearsing")
    assert progress_text(update) == "rehearsing"
    assert (
        progress_text(ProgressUpdate(9, 1, 3.0, {}, 0.0, doing="shrinking"))
        == "shrinking; 9 executions, 3/s, 1 finding"
    )
    assert progress_text(ProgressUpdate(9, 1, 3.0, {}, 0.0)) == "9 executions, 3/s, 1 finding"
