"""Stored findings: their stories, their places in the source, and their fingerprints."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from sample_findings import DEADLOCK, LOST_UPDATE, STEPS, contents, step

from raddle.instrument.rewrite import site_base
from raddle.instrument.running_source import ASSERTIONS
from raddle.place import Place
from raddle.report.annotations import annotate, annotation
from raddle.report.junit import junit
from raddle.report.sarif import sarif
from raddle.report.source import MAX_NAMED, Sources
from raddle.report.stored_findings import stored_findings, target_of
from raddle.report.summary import summarize
from raddle.site import INDEX_BITS, Site
from raddle.store.contents import Contents, Run


def stored_finding(finding, **more):
    (found,) = stored_findings(contents(finding, **more))
    return found


def test_a_story_can_be_shown_without_the_source():
    """Steps in the standard library are left out. A column is as wide as its widest cell. The code column is empty."""
    assert stored_finding(LOST_UPDATE).story.splitlines() == [
        "assertion in T0: AssertionError: 1 != 2 "
        "(only on free-threaded builds: this interpreter does not switch there)",
        "",
        "  T0  counter.py:16    starts T1",
        "  T0  counter.py:16    starts T2",
        "  T1  counter.py:9     reads Counter.value: 0",
        "  ----- T1 is preempted here; its next step: counter.py:9 write value -----",
        "  T2  counter.py:9     reads Counter.value: 0",
        "  T2  counter.py:9     writes Counter.value: 1",
        "  T1  counter.py:9     writes Counter.value: 1",
        "  T0  counter.py:19    reads Counter.value: 1",
        "",
        *LOST_UPDATE["details"],
        "",
        "replay: raddle replay counter.py::scenario 'T0; T1 until counter.py:9 write value; T2.'",
    ]


@pytest.mark.parametrize(
    ("finding", "place"),
    [
        (LOST_UPDATE, Place("counter.py", 19)),  # the last line of the traceback
        (DEADLOCK, Place("counter.py", 26)),  # where T1 waits, not where it acquired the lock it holds
        ({**LOST_UPDATE, "details": []}, Place("counter.py", 19)),  # the last step of T0
        ({**LOST_UPDATE, "details": [], "thread": "T2"}, Place("counter.py", 9)),
        ({**LOST_UPDATE, "details": [], "thread": "T7"}, Place("counter.py", 19)),  # the last step of any thread
        ({**LOST_UPDATE, "details": [], "steps": []}, Place("counter.py", 0)),  # the file of the scenario
        ({"kind": "exception", "message": "", "origin": "run app.py"}, None),
    ],
)
def test_the_place_of_a_finding(finding, place):
    assert stored_finding(finding).place == place


def test_a_finding_with_few_fields_has_a_story():
    """Another tool may have written the data file, so any field can be missing."""
    found = stored_finding({"kind": "assertion", "schedule": "no schedule at all"})
    assert found.story == "assertion:"
    assert found.replay is None


def test_the_target_of_a_finding_without_origin_is_inferred():
    """The target is inferred if the data file has only one scenario. With two scenarios it is unknown."""
    older = {name: value for name, value in LOST_UPDATE.items() if name not in ("origin", "preemptions")}
    assert stored_finding(older).target == "counter.py::scenario"
    given = contents(older)
    (first, second) = given.runs
    (found,) = stored_findings(replace(given, runs=(first, replace(second, origin="explore other.py::scenario"))))
    assert found.target is None
    assert found.replay.startswith("raddle.replay(scenario, ")


def test_a_fingerprint_does_not_depend_on_line_numbers():
    moved = [{**each, "line": each["line"] + 4} for each in STEPS]
    different = [*STEPS[:-1], step("T0", 19, "read", "Counter.other", "1")]
    fingerprint = stored_finding(LOST_UPDATE).fingerprint
    assert stored_finding({**LOST_UPDATE, "steps": moved}).fingerprint == fingerprint
    assert stored_finding({**LOST_UPDATE, "steps": different}).fingerprint != fingerprint


# -- source ----------------------------------------------------------------------------------------------


def measured(label, path, source):
    """Return contents with one site in a file. The site number contains the digest of the source."""
    number = site_base(label, source)
    return Contents(sites={number: Site(label, 1, 0, "read", "x", "f", switchable=True)}, paths={label: str(path)})


def test_lines_of_an_unchanged_source_are_shown(tmp_path):
    file = tmp_path / "shop.py"
    file.write_bytes(b"x = 1\n  \ny = 2  \n")
    sources = Sources(measured("shop.py", file, file.read_bytes()))
    assert [sources.line("shop.py", number) for number in (1, 2, 3, 4, 0)] == ["x = 1", "", "y = 2", "", ""]


def test_lines_of_a_changed_source_are_not_shown(tmp_path):
    file = tmp_path / "shop.py"
    file.write_bytes(b"x = 1\n")
    given = measured("shop.py", file, b"x = 2\n")
    assert Sources(given).line("shop.py", 1) == ""


def test_files_of_another_machine_are_found_by_their_names(tmp_path, monkeypatch):
    (tmp_path / "shop.py").write_bytes(b"x = 1\n")
    given = measured("shop.py", "/home/other/shop.py", b"x = 1\n")
    assert Sources(given).line("shop.py", 1) == ""
    monkeypatch.chdir(tmp_path)
    assert Sources(given).line("shop.py", 1) == "x = 1"


def test_a_source_that_cannot_be_decoded_is_not_shown(tmp_path):
    file = tmp_path / "shop.py"
    file.write_bytes(b"# coding: klingon\nx = '\xff'\n")
    assert Sources(Contents(paths={"shop.py": str(file)})).line("shop.py", 1) == ""


# -- several versions of one source file ------------------------------------------------------------------

NOW, BEFORE = b"x = 1\n", b"y = 0\n"


def two_versions(folder):
    """Return data file contents with two versions of one source, each measured by one origin.

    The second version is current.
    """
    file = folder / "shop.py"
    file.write_bytes(NOW)
    numbers = site_base("shop.py", BEFORE), site_base("shop.py", NOW)
    runs = [
        Run(origin, origin, "controlled", 1, 0, "", files=frozenset({("shop.py", number >> INDEX_BITS)}))
        for origin, number in zip(("explore shop.py::then", "explore shop.py::now"), numbers, strict=True)
    ]
    sites = {number: Site("shop.py", 1, 0, "write", "x", "f", switchable=True) for number in numbers}
    steps = [step("T1", 1, "acquire", "Lock 1", file="shop.py")]
    findings = [{"kind": "assertion", "origin": run.origin, "steps": steps} for run in runs]
    return Contents(runs=tuple(runs), sites=sites, paths={"shop.py": str(file)}, findings=tuple(findings))


def test_a_story_of_an_earlier_version_shows_no_current_source_lines(tmp_path):
    former, latter = (stored.story for stored in stored_findings(two_versions(tmp_path)))
    assert "x = 1" not in former
    assert "x = 1" in latter


def test_a_finding_of_an_unknown_version_shows_no_source_lines(tmp_path):
    given = two_versions(tmp_path)
    given = replace(given, findings=tuple({**found, "origin": "explore other"} for found in given.findings))
    assert not any("x = 1" in stored.story for stored in stored_findings(given))


def test_two_instrumented_forms_of_one_source_are_one_version(tmp_path):
    """With rewritten assertions the site numbers differ, but the lines are the same."""
    file = tmp_path / "shop.py"
    file.write_bytes(NOW)
    numbers = site_base("shop.py", NOW), site_base("shop.py", NOW, ASSERTIONS)
    sites = {number: Site("shop.py", 1, 0, "write", "x", "f", switchable=True) for number in numbers}
    sources = Sources(Contents(sites=sites, paths={"shop.py": str(file)}))
    assert sources.line("shop.py", 1) == "x = 1"
    assert sources.notes() == ()


def test_a_matching_file_found_by_name_is_preferred_to_a_changed_one(tmp_path, monkeypatch):
    (tmp_path / "old.py").write_bytes(BEFORE)
    (tmp_path / "shop.py").write_bytes(NOW)
    monkeypatch.chdir(tmp_path)
    given = measured("shop.py", tmp_path / "old.py", NOW)
    assert Sources(given).found("shop.py").path == "shop.py"
    assert Sources(given).notes() == ()


def test_notes_report_changed_and_missing_sources(tmp_path):
    file = tmp_path / "shop.py"
    file.write_bytes(NOW)
    changed = "shop.py has changed since it was measured: line numbers refer to the measured version"
    assert Sources(measured("shop.py", file, NOW)).notes() == ()
    assert Sources(measured("shop.py", file, BEFORE)).notes() == (changed,)
    assert Sources(measured("shop.py", tmp_path / "gone.py", NOW)).notes() == (
        "shop.py no longer exists: line numbers refer to the measured version",
    )
    assert Sources(two_versions(tmp_path)).notes() == (
        "shop.py was measured in several versions: some line numbers refer to a version other than the current one",
    )
    # A file without sites has no notes, because no report names its lines.
    assert Sources(Contents(paths={"shop.py": "/gone.py"})).notes() == ()
    summary = summarize(replace(measured("shop.py", file, BEFORE), notes=("a note",)), [])
    assert summary.notes == ("a note", changed)
    assert summary.outdated == (changed,)
    assert summary.as_json()["notes"] == ["a note", changed]


def test_every_report_format_says_which_sources_have_changed(tmp_path):
    file = tmp_path / "shop.py"
    file.write_bytes(NOW)
    changed_contents = measured("shop.py", file, BEFORE)
    changed = "shop.py has changed since it was measured: line numbers refer to the measured version"
    assert annotation("notice", changed) in annotate(changed_contents)
    assert changed in junit(changed_contents, [], {})
    (invocation,) = sarif(changed_contents, version="1")["runs"][0]["invocations"]
    assert [note["message"]["text"] for note in invocation["toolExecutionNotifications"]] == [changed]


def test_only_some_of_many_missing_files_are_named():
    site = Site("", 1, 0, "read", "x", "f", switchable=True)
    sites = {number << INDEX_BITS: replace(site, file=f"f{number:02}.py") for number in range(1, 16)}
    notes = Sources(Contents(sites=sites)).notes()
    assert len(notes) == MAX_NAMED + 1
    assert notes[-1] == "further files that no longer exist: 5"


def test_the_target_in_another_folder_is_a_relative_path(tmp_path, monkeypatch):
    """The stored name is relative to the project, so `raddle replay` would not find the file from another folder."""
    (tmp_path / "project").mkdir()
    (tmp_path / "here").mkdir()
    file = tmp_path / "project" / "log.py"
    file.touch()
    monkeypatch.chdir(tmp_path / "here")
    paths = {"log.py": str(file)}
    relative = os.path.join("..", "project", "log.py::scenario")
    assert target_of("explore log.py::scenario", paths) == relative
    monkeypatch.chdir(tmp_path / "project")
    assert target_of("explore log.py::scenario", paths) == "log.py::scenario"
    file.unlink()
    assert target_of("explore log.py::scenario", paths) == "log.py::scenario"
