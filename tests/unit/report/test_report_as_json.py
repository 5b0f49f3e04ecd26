"""The JSON document: as its schema says."""

from __future__ import annotations

import functools
import json
from dataclasses import replace

import jsonschema
import pytest
from sample_findings import DEADLOCK, LOST_UPDATE, NASTY, RACE, READ, contents

from raddle.report.as_json import document, schema
from raddle.report.coverage import rows
from raddle.report.summary import summarize
from raddle.store.contents import Contents


@functools.cache
def validator():
    return jsonschema.Draft202012Validator(schema())


def checked(given, *, missing=False, covered=False):
    found = rows(given)
    summary = summarize(given, found, missing_of=found if missing else ())
    whole = json.loads(json.dumps(document(given, summary, version="1.2.3", covered_of=found if covered else ())))
    validator().validate(whole)
    return whole


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())


def objects(part):
    if isinstance(part, dict):
        if part.get("type") == "object" and "properties" in part:
            yield part
        for inner in part.values():
            yield from objects(inner)


def test_the_schema_is_strict_and_everything_is_described():
    found = list(objects(schema()))
    assert len(found) > 10
    for each in found:
        assert each["additionalProperties"] is False
        assert sorted(each["required"]) == sorted(each["properties"])
        assert each["description"].endswith(".")


def test_an_empty_document():
    whole = checked(Contents())
    assert (whole["format"], whole["version"], whole["raddle"]) == ("raddle-report", 1, "1.2.3")
    assert (whole["runs"], whole["criteria"], whole["findings"], whole["executions"]) == ([], {}, [], 0)


def test_a_full_document():
    whole = checked(contents(LOST_UPDATE, DEADLOCK, warnings=(RACE,), notes=("a note",)), missing=True, covered=True)
    assert whole["executions"] == 6
    assert [run["origin"] for run in whole["runs"]] == ["explore counter.py::scenario", "run app.py"]
    assert whole["criteria"]["sync"]["growth"] == [[1, 1]]
    (covered,) = whole["covered"]
    assert (covered["key"], covered["file"], covered["line"]) == ([READ, "visited"], "counter.py", 9)
    assert (covered["executions"], covered["first"]) == (3, 1)
    assert whole["not_listed"]["sync"]["remarks"]
    (warning,) = whole["warnings"]
    assert warning["places"] == [{"file": "counter.py", "line": 9, "function": "Counter.increment"}] * 2
    assert whole["notes"] == ["a note", "counter.py no longer exists: line numbers refer to the measured version"]


def test_the_patterns_of_map_are_told_one_by_one():
    assert checked(contents(LOST_UPDATE))["criteria"]["sync"]["patterns"] == []
    given = contents(LOST_UPDATE)
    given = replace(given, runs=tuple(replace(run, criteria=frozenset({"map"})) for run in given.runs))
    patterns = checked(given)["criteria"]["map"]["patterns"]
    assert [number for one in patterns for number in one["patterns"]] == [*range(1, 12), 12, 13, 15, 16, 17, 14]


def test_findings_are_whole():
    lost, dead = checked(contents(LOST_UPDATE, DEADLOCK))["findings"]
    for name, value in LOST_UPDATE.items():
        assert lost[name] == value
    assert (lost["file"], lost["line"]) == ("counter.py", 19)
    assert lost["replay"] == "raddle replay counter.py::scenario 'T0; T1 until counter.py:9 write value; T2.'"
    assert (dead["schedule"], dead["replay"], dead["line"]) == (None, None, 26)


@pytest.mark.parametrize("name", ["kind", "message", "thread", "origin", "possible_on"])
def test_nasty_texts_come_back_as_they_were(name):
    (found,) = checked(contents({**LOST_UPDATE, name: NASTY}))["findings"]
    assert found[name] == NASTY


def test_a_finding_of_which_nothing_is_known():
    (found,) = checked(contents({}, runs=()))["findings"]
    assert (found["kind"], found["file"], found["origin"], found["steps"]) == ("", None, None, [])


def test_a_criterion_that_this_version_does_not_know():
    given = contents()
    (run, _) = given.runs
    given = replace(given, runs=(replace(run, criteria=frozenset({"eclipse"})),))
    assert list(checked(given, covered=True, missing=True)["criteria"]) == ["eclipse"]
