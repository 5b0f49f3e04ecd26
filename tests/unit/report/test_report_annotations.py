"""GitHub annotations: each is one line, and no message can end the line or start another annotation."""

from __future__ import annotations

from sample_findings import DEADLOCK, LOST_UPDATE, NASTY, RACE, contents

from raddle.report.annotations import annotate, annotation
from raddle.report.threshold import BELOW, REACHED, Verdict
from raddle.store.contents import Contents

GONE = annotation("notice", "counter.py no longer exists: line numbers refer to the measured version")


def test_an_empty_data_file_gives_no_annotations():
    assert list(annotate(Contents())) == []


def test_findings_warnings_and_notes_are_annotations():
    verdicts = [Verdict(BELOW, "map: too little"), Verdict(REACHED, "sync: enough")]
    lines = list(annotate(contents(LOST_UPDATE, DEADLOCK, warnings=(RACE, RACE), notes=("a note",)), verdicts))
    assert lines[0].startswith("::error file=counter.py,line=19,title=raddle%3A assertion::assertion in T0: ")
    assert "%0A  T1  counter.py:9     writes Counter.value: 1%0A" in lines[0]
    assert lines[1].startswith("::error file=counter.py,line=26,title=raddle%3A deadlock::deadlock in T1: ")
    assert lines[2].startswith("::warning file=counter.py,line=9,title=raddle%3A data-race::`Counter.value` is read")
    assert lines[3:] == ["::error title=raddle%3A coverage::map: too little", "::notice title=raddle::a note", GONE]


def test_special_characters_are_escaped():
    line, _ = annotate(contents({"kind": NASTY, "message": NASTY}, runs=()))
    assert "\n" not in line
    assert "\r" not in line
    properties, _, message = line.removeprefix("::error title=raddle%3A ").partition("::")
    # In properties, colons and commas are escaped too, so the first :: marks the end of the properties.
    assert "\\r%3A%3Aerror%3A%3A" in properties  # the carriage return is shown as an escape
    assert '<b>"100 %25"</b>' in message
    line.encode()  # lone surrogates are escaped, so this succeeds


def test_a_finding_without_a_place_has_no_file():
    line, _ = annotate(contents({"kind": "divergence", "message": "differs"}, runs=()))
    assert line == "::error title=raddle%3A divergence::divergence: differs"


def test_a_finding_with_only_a_file_has_no_line():
    line, _ = annotate(contents({"kind": "divergence", "message": "differs"}))
    assert line.startswith("::error file=counter.py,title=raddle%3A divergence::")
