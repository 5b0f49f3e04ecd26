"""Annotations: one line each, nothing in a message can end it or begin another."""

from __future__ import annotations

from sample_findings import DEADLOCK, LOST_UPDATE, NASTY, RACE, contents

from raddle.report.annotations import annotate, annotation
from raddle.report.threshold import BELOW, REACHED, Verdict
from raddle.store.contents import Contents

GONE = annotation("notice", "counter.py no longer exists: line numbers refer to the measured version")


def test_nothing_to_say():
    assert list(annotate(Contents())) == []


def test_errors_and_warnings_and_notices():
    verdicts = [Verdict(BELOW, "map: too little"), Verdict(REACHED, "sync: enough")]
    lines = list(annotate(contents(LOST_UPDATE, DEADLOCK, warnings=(RACE, RACE), notes=("a note",)), verdicts))
    assert lines[0].startswith("::error file=counter.py,line=19,title=raddle%3A assertion::assertion in T0: ")
    assert "%0A  T1  counter.py:9     writes Counter.value: 1%0A" in lines[0]
    assert lines[1].startswith("::error file=counter.py,line=26,title=raddle%3A deadlock::deadlock in T1: ")
    assert lines[2].startswith("::warning file=counter.py,line=9,title=raddle%3A data-race::`Counter.value` is read")
    assert lines[3:] == ["::error title=raddle%3A coverage::map: too little", "::notice title=raddle::a note", GONE]


def test_nasty_texts():
    line, _ = annotate(contents({"kind": NASTY, "message": NASTY}, runs=()))
    assert "\n" not in line
    assert "\r" not in line
    properties, _, message = line.removeprefix("::error title=raddle%3A ").partition("::")
    # In properties, colons and commas are escaped as well, so the first :: ends them.
    assert "\\r%3A%3Aerror%3A%3A" in properties  # a carriage return is shown, not written
    assert '<b>"100 %25"</b>' in message
    line.encode()  # what is no text is written as an escape


def test_a_finding_without_a_place():
    line, _ = annotate(contents({"kind": "divergence", "message": "differs"}, runs=()))
    assert line == "::error title=raddle%3A divergence::divergence: differs"


def test_a_finding_of_which_only_the_file_is_known():
    line, _ = annotate(contents({"kind": "divergence", "message": "differs"}))
    assert line.startswith("::error file=counter.py,title=raddle%3A divergence::")
