"""SARIF: valid by the published schema, with one thread flow for each thread, in the order of execution."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import jsonschema
import pytest
from sample_findings import DEADLOCK, LOST_UPDATE, NASTY, RACE, STEPS, contents, step

from raddle.outcome import FINDINGS
from raddle.report.sarif import MAX_LOCATIONS, sarif
from raddle.store.contents import Contents


@functools.cache
def validator():
    schema = json.loads(Path(__file__).with_name("sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def log_of(given):
    log = json.loads(json.dumps(sarif(given, version="1.2.3")))
    validator().validate(log)
    return log["runs"][0]


def test_an_empty_log():
    run = log_of(Contents())
    assert (run["results"], run["tool"]["driver"]["version"]) == ([], "1.2.3")


def test_the_schema_refuses_what_is_not_sarif():
    log = sarif(contents(LOST_UPDATE), version="")
    log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"] = []
    assert not validator().is_valid(log)


def test_the_interleaving():
    """Of the eight steps one is the standard library's; the stop comes after the third: 1, 2, 3, stop, 5, 6, 7, 8."""
    (result,) = log_of(contents(LOST_UPDATE))["results"]
    assert (result["ruleId"], result["level"]) == ("assertion", "error")
    assert result["message"]["text"].endswith(
        "raddle replay counter.py::scenario 'T0; T1 until counter.py:9 write value; T2.'"
    )
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "counter.py"
    assert location["physicalLocation"]["region"] == {"startLine": 19}
    (flow,) = result["codeFlows"]
    orders = {
        thread["id"]: [place["executionOrder"] for place in thread["locations"]] for thread in flow["threadFlows"]
    }
    assert orders == {"T0": [1, 2, 8], "T1": [3, 4, 7], "T2": [5, 6]}
    assert list(orders) == ["T0", "T1", "T2"]
    read, stop, write = flow["threadFlows"][1]["locations"]
    assert read["location"]["message"]["text"] == "T1 reads Counter.value: 0"
    assert read["state"] == {"Counter.value": {"text": "0"}}
    assert stop["location"]["message"]["text"] == "T1 is stopped here, before counter.py:9 write value"
    assert (stop["importance"], stop["location"]["physicalLocation"]["region"]) == ("essential", {"startLine": 9})
    assert write["location"]["physicalLocation"]["region"] == {"startLine": 9}


def test_threads_are_in_the_order_of_their_numbers():
    steps = [step(thread, 3, "read") for thread in ("T10", "T2", "T1.1", "T1")]
    (result,) = log_of(contents({**LOST_UPDATE, "steps": steps, "preemptions": []}))["results"]
    flows = result["codeFlows"][0]["threadFlows"]
    assert [flow["id"] for flow in flows] == ["T1", "T1.1", "T2", "T10"]


def test_a_warning():
    run = log_of(contents(warnings=(RACE, RACE)))
    (result,) = run["results"]
    assert (result["ruleId"], result["level"], result["ruleIndex"]) == ("data-race", "warning", 0)
    assert result["message"]["text"].startswith("`Counter.value` is read at counter.py:9")
    # Both accesses are on one line: one place.
    assert len(result["locations"]) == 1
    assert "relatedLocations" not in result
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["defaultConfiguration"]) == ("data-race", {"level": "warning"})


def test_rules_are_listed_once():
    run = log_of(contents(LOST_UPDATE, DEADLOCK, LOST_UPDATE, warnings=(RACE,)))
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["assertion", "deadlock", "data-race"]
    assert [result["ruleIndex"] for result in run["results"]] == [0, 1, 0, 2]


def test_braces_and_links_are_escaped():
    (result,) = log_of(contents({"kind": "exception", "message": "{0} [a](b) x[1]"}))["results"]
    assert result["message"]["text"] == "exception: {{0}} \\[a\\](b) x[1]"


@pytest.mark.parametrize("name", ["kind", "message", "thread", "origin", "possible_on"])
def test_nasty_texts(name):
    (result,) = log_of(contents({**LOST_UPDATE, name: NASTY}, notes=(NASTY,)))["results"]
    assert result["level"] == "error"


def test_files_with_odd_names():
    steps = [step("T1", 3, "write", value=NASTY, file="my shop/100%.py")]
    (result,) = log_of(contents({"kind": "exception", "message": "", "steps": steps, "thread": "T1"}))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "my%20shop/100%25.py"


def test_a_very_long_execution_is_told_from_its_end():
    steps = [step("T1", 3, "read", value=str(number)) for number in range(MAX_LOCATIONS + 5)]
    (result,) = log_of(contents({**LOST_UPDATE, "steps": steps, "preemptions": []}))["results"]
    (flow,) = result["codeFlows"]
    (thread,) = flow["threadFlows"]
    assert len(thread["locations"]) == MAX_LOCATIONS
    assert thread["locations"][0]["state"] == {"Counter.value": {"text": "5"}}
    assert flow["message"]["text"] == "5 earlier steps are left out"


def test_ten_thousand_findings():
    many = [{"kind": "assertion", "message": f"number {number}", "steps": STEPS[:1]} for number in range(10_000)]
    log = sarif(contents(*many), version="")
    assert len(log["runs"][0]["results"]) == 10_000
    assert len(log["runs"][0]["tool"]["driver"]["rules"]) == 1


def test_notes_of_the_exception_are_part_of_the_message():
    (result,) = log_of(contents({**LOST_UPDATE, "notes": ["Failing test case: test_it(n=0)"]}))["results"]
    assert result["message"]["text"].split("\n")[1] == "Failing test case: test_it(n=0)"


@pytest.mark.parametrize("kind", FINDINGS)
def test_every_kind_of_finding_has_a_rule(kind):
    run = log_of(contents({**LOST_UPDATE, "kind": kind}))
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["shortDescription"]["text"]) == (kind, kind.sentence)
    assert len(kind.sentence.split()) > 4  # a sentence
