"""Whoever looks on is told what is being done, also while no execution of the search is run."""

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
def test_each_execution_that_is_no_part_of_the_search_is_told_of(isolate, monkeypatch):
    monkeypatch.setattr(findings, "TRIES_WITH_GIL", 7)
    seen = []
    result = raddle.explore(
        scenario,
        scheduler="pos",
        executions=100,
        isolate=isolate,
        progress=lambda moment: seen.append(moment.doing),
        source=[__file__],
    )
    assert result.findings[0].possible_on == "free-threaded-only"
    # Two rehearsals; the search until it fails; the failure again, by its text, shrunk; and as no plain CPython can
    # switch there, all tries with the GIL. Then it is over, as there is a finding.
    order = [(doing, len(list(same))) for doing, same in groupby(seen)]
    words = [doing for doing, _ in order if doing != "searching"]
    assert words == ["rehearsing", "running a failure again", "shrinking", "looking whether the GIL allows it"]
    assert dict(order)["rehearsing"] == 2
    assert dict(order)["looking whether the GIL allows it"] == 7
    assert dict(order)["shrinking"] > 2


def test_schedules_of_the_corpus_are_told_and_run_again(tmp_path):
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
            progress=lambda moment, seen=seen: seen.append(moment.doing),
        )
        words.append(set(seen))
    assert "telling schedules" in words[0]
    assert "running what earlier runs kept" in words[1] - words[0]


def test_the_search_is_told_of_as_before():
    seen = []
    raddle.explore(scenario, scheduler="sequential", executions=5, progress=seen.append, source=[__file__])
    assert [moment.executions for moment in seen if moment.doing == "searching"] == [1, 2, 3, 4, 5]


def test_the_word_is_shown():
    moment = ProgressUpdate(0, 0, 0.1, {}, 0.0, doing="rehearsing")
    assert progress_text(moment) == "rehearsing"
    assert (
        progress_text(ProgressUpdate(9, 1, 3.0, {}, 0.0, doing="shrinking"))
        == "shrinking; 9 executions, 3/s, 1 finding"
    )
    assert progress_text(ProgressUpdate(9, 1, 3.0, {}, 0.0)) == "9 executions, 3/s, 1 finding"
