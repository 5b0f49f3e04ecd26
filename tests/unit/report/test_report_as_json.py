"""The JSON document matches its schema."""

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


def validated_document(given, *, missing=False, covered=False):
    found = rows(given)
    summary = summarize(given, found, missing_of=found if missing else ())
    report = json.loads(json.dumps(document(given, summary, version="1.2.3", covered_of=found if covered else ())))
    validator().validate(report)
    return report


def test_the_schema_is_valid():
    jsonschema.Draft202012Validator.check_schema(schema())


def objects(part):
    if isinstance(part, dict):
        if part.get("type") == "object" and "properties" in part:
            yield part
        for inner in part.values():
            yield from objects(inner)


def test_the_schema_is_strict_and_describes_every_object():
    found = list(objects(schema()))
    assert len(found) > 10
    for each in found:
        assert each["additionalProperties"] is False
        assert sorted(each["required"]) == sorted(each["properties"])
        assert each["description"].endswith(".")


def test_an_empty_data_file_gives_an_empty_document():
    report = validated_document(Contents())
    assert (report["format"], report["version"], report["raddle"]) == ("raddle-report", 1, "1.2.3")
    assert (report["runs"], report["criteria"], report["findings"], report["executions"]) == ([], {}, [], 0)


def test_a_document_lists_runs_criteria_warnings_and_notes():
    report = validated_document(
        contents(LOST_UPDATE, DEADLOCK, warnings=(RACE,), notes=("a note",)), missing=True, covered=True
    )
    assert report["executions"] == 6
    assert [run["origin"] for run in report["runs"]] == ["explore counter.py::scenario", "run app.py"]
    assert report["criteria"]["sync"]["growth"] == [[1, 1]]
    (covered,) = report["covered"]
    assert (covered["key"], covered["file"], covered["line"]) == ([READ, "visited"], "counter.py", 9)
    assert (covered["executions"], covered["first"]) == (3, 1)
    assert report["not_listed"]["sync"]["remarks"]
    (warning,) = report["warnings"]
    assert warning["places"] == [{"file": "counter.py", "line": 9, "function": "Counter.increment"}] * 2
    assert report["notes"] == ["a note", "counter.py no longer exists: line numbers refer to the measured version"]


def test_the_patterns_of_map_are_listed_separately():
    assert validated_document(contents(LOST_UPDATE))["criteria"]["sync"]["patterns"] == []
    given = contents(LOST_UPDATE)
    given = replace(given, runs=tuple(replace(run, criteria=frozenset({"map"})) for run in given.runs))
    patterns = validated_document(given)["criteria"]["map"]["patterns"]
    assert [number for row in patterns for number in row["patterns"]] == [*range(1, 12), 12, 13, 15, 16, 17, 14]


def test_findings_keep_all_their_fields():
    lost, dead = validated_document(contents(LOST_UPDATE, DEADLOCK))["findings"]
    for name, value in LOST_UPDATE.items():
        assert lost[name] == value
    assert (lost["file"], lost["line"]) == ("counter.py", 19)
    assert lost["replay"] == "raddle replay counter.py::scenario 'T0; T1 until counter.py:9 write value; T2.'"
    assert (dead["schedule"], dead["replay"], dead["line"]) == (None, None, 26)


@pytest.mark.parametrize("name", ["kind", "message", "thread", "origin", "possible_on"])
def test_special_characters_are_preserved(name):
    (found,) = validated_document(contents({**LOST_UPDATE, name: NASTY}))["findings"]
    assert found[name] == NASTY


def test_an_empty_finding_is_valid():
    (found,) = validated_document(contents({}, runs=()))["findings"]
    assert (found["kind"], found["file"], found["origin"], found["steps"]) == ("", None, None, [])


def test_an_unknown_criterion_is_listed():
    given = contents()
    (run, _) = given.runs
    given = replace(given, runs=(replace(run, criteria=frozenset({"eclipse"})),))
    assert list(validated_document(given, covered=True, missing=True)["criteria"]) == ["eclipse"]
