"""The output of `raddle explore`, without and with -v."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from raddle.cli.screen import headline, search_lines, show_coverage, show_outlook, show_result
from raddle.record import Record
from raddle.result import CORPUS_NOTE, Result
from raddle.site import Site
from raddle.store.contents import Contents, Run
from raddle.tally import Tally
from raddle.warning import ReportedWarning


def result(reason="executions", **more):
    return Result("passed", (), 4, 9, 0.1, reason, 1, **more)


def test_counts_of_one_are_singular():
    aims = {"aimed": 1, "plans": 1, "covered": 0, "given_up": 1, "given_up_requirements": ["not covered yet: it"]}
    assert search_lines(result(aims=aims))[1:] == [
        "  targets: 1 requirement tried in 1 execution; 0 covered, 1 given up after 3 attempts",
        "    given up: not covered yet: it",
    ]


def test_three_abandoned_targets_are_listed():
    given_up = [f"not covered yet: {number}" for number in range(50)]
    aims = {"aimed": 90, "plans": 99, "covered": 20, "given_up": 70, "given_up_requirements": given_up}
    _, _, *listed, more = search_lines(result(aims=aims))
    assert [line.split()[-1] for line in listed] == ["0", "1", "2"]
    assert more == "    ... and 67 more"


@pytest.mark.parametrize("reason", ["exhausted", "exhausted-within-bound", "exhausted-in-part"])
def test_an_exhausted_search_shows_no_chance_of_new_coverage(reason):
    assert any("chance" in line for line in search_lines(result(chance_of_new=0.0)))
    assert not any("chance" in line for line in search_lines(result(reason, chance_of_new=0.0)))


def test_a_run_without_interacting_threads_is_reported():
    out = io.StringIO()
    alone = Run("a", "run app.py", "native", 1, 0, "", frozenset({"sync"}))
    show_coverage(Console(file=out, width=200), Contents(runs=(alone,)), ".raddle")
    assert (
        "nothing to cover: no threads interacted in 1 execution; none were started, or they share nothing"
        in out.getvalue()
    )


def test_without_a_measured_execution_no_statement_about_threads_is_made():
    out = io.StringIO()
    screen = Console(file=out, width=200)
    unmeasured = Run("a", "app.py::scenario", "controlled", 0, 0, "", frozenset({"map", "sync"}))
    show_coverage(screen, Contents(runs=(unmeasured,)), ".raddle")
    assert "nothing was covered: no execution was measured" in out.getvalue()
    assert "no threads interacted" not in out.getvalue()
    assert "nothing to cover" not in out.getvalue()  # unknown without a measured execution
    assert "see the findings" not in out.getvalue()  # there are no findings
    endless = {"kind": "step-limit", "message": "the execution did not end", "thread": "T1"}
    show_coverage(screen, Contents(runs=(unmeasured,), findings=(endless,)), ".raddle")
    assert "nothing was covered: no execution was measured; see the findings" in out.getvalue()


def test_the_headline_summarizes_the_search():
    line = "0 findings in 4 executions (0.10 s, seed 1); stopped: execution limit reached"
    assert headline(result()) == line


def printed(show, *arguments, **options):
    out = io.StringIO()
    show(Console(file=out, width=500), *arguments, **options)
    return out.getvalue().splitlines()


def test_scheduler_details_are_shown_only_with_verbose():
    shares = {"pos": {"executions": 4, "covered": 7, "found": 0}}
    noted = result(scheduler="pos", shares=shares, notes=("some code was not instrumented",))
    brief = ["note: some code was not instrumented", headline(noted)]  # notes that qualify the result are always shown
    assert printed(show_result, noted, "a.py::scenario") == brief
    assert printed(show_result, noted, "a.py::scenario", verbose=True) == [
        *brief,
        "  scheduler: pos, 9 scheduling points",
        "  pos: 4 executions, 7 new requirements, 0 findings",
    ]


def test_replayed_schedules_are_mentioned_only_with_verbose():
    note = f"{CORPUS_NOTE}2 schedules kept by earlier runs, covering 9 requirements"
    noted = result(notes=(note,))
    assert printed(show_result, noted, "a.py::scenario") == [headline(noted)]
    assert f"note: {note}" in printed(show_result, noted, "a.py::scenario", verbose=True)
    assert note in noted.as_json()["notes"]


def test_warnings_are_listed_or_counted():
    site = Site("bank.py", 6, 0, "write", "value", "add", switchable=False)
    notes = ("read, written", "written, written")
    races = [ReportedWarning("data-race", "Counter.value", (9, 9), note) for note in notes]
    tally = Tally()
    tally.add(1, "sync", [("a",)])
    record = Record(tally=tally, sites={9: site}, warnings=tuple(races))
    race = (
        "`Counter.value` is read at bank.py:6 and written by another thread at bank.py:6, "
        "and no synchronization orders them"
    )
    more = "`Counter.value` is written at bank.py:6 by several threads, and no synchronization orders these accesses"
    warning = f"warning: {race}; also: written at bank.py:6 by several threads"
    hint = "added to .raddle: `raddle report` shows coverage; -v shows details of the search"
    assert printed(show_outlook, record, ".raddle") == [warning, hint]
    counted = "added to .raddle: `raddle report` shows coverage and 1 warning; -v shows details of the search"
    assert printed(show_outlook, record, ".raddle", failed=True) == [counted]
    # Nothing was stored, so no later report could show the warning.
    assert printed(show_outlook, record, ".raddle", failed=True, stored=False) == [warning]
    first, second, empty, header, *_, last = printed(show_coverage, record, ".raddle", verbose=True)
    assert (first, second, empty) == (f"warning: {race}", f"warning: {more}", "")
    assert header.startswith("criterion")
    assert last == "added to .raddle: `raddle report` shows more"
