"""The SARIF report matches the published schema and has one thread flow per thread, in execution order."""

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


def test_an_empty_data_file_gives_a_log_without_results():
    run = log_of(Contents())
    assert (run["results"], run["tool"]["driver"]["version"]) == ([], "1.2.3")


def test_the_schema_rejects_an_invalid_log():
    log = sarif(contents(LOST_UPDATE), version="")
    log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"] = []
    assert not validator().is_valid(log)


def test_a_finding_shows_the_interleaving():
    """One of the eight steps is in the standard library, so it is left out. The preemption is the fourth event."""
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
    assert stop["location"]["message"]["text"] == "T1 is preempted here; its next step: counter.py:9 write value"
    assert (stop["importance"], stop["location"]["physicalLocation"]["region"]) == ("essential", {"startLine": 9})
    assert write["location"]["physicalLocation"]["region"] == {"startLine": 9}


def test_thread_flows_are_in_numeric_order():
    steps = [step(thread, 3, "read") for thread in ("T10", "T2", "T1.1", "T1")]
    (result,) = log_of(contents({**LOST_UPDATE, "steps": steps, "preemptions": []}))["results"]
    flows = result["codeFlows"][0]["threadFlows"]
    assert [flow["id"] for flow in flows] == ["T1", "T1.1", "T2", "T10"]


def test_a_warning_is_a_result_with_its_rule():
    run = log_of(contents(warnings=(RACE, RACE)))
    (result,) = run["results"]
    assert (result["ruleId"], result["level"], result["ruleIndex"]) == ("data-race", "warning", 0)
    assert result["message"]["text"].startswith("`Counter.value` is read at counter.py:9")
    # Both accesses are on the same line, so there is only one location.
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
def test_special_characters_give_a_valid_log(name):
    (result,) = log_of(contents({**LOST_UPDATE, name: NASTY}, notes=(NASTY,)))["results"]
    assert result["level"] == "error"


def test_special_characters_in_file_names_are_encoded():
    steps = [step("T1", 3, "write", value=NASTY, file="my shop/100%.py")]
    (result,) = log_of(contents({"kind": "exception", "message": "", "steps": steps, "thread": "T1"}))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "my%20shop/100%25.py"


def test_a_very_long_execution_keeps_its_last_steps():
    steps = [step("T1", 3, "read", value=str(number)) for number in range(MAX_LOCATIONS + 5)]
    (result,) = log_of(contents({**LOST_UPDATE, "steps": steps, "preemptions": []}))["results"]
    (flow,) = result["codeFlows"]
    (thread,) = flow["threadFlows"]
    assert len(thread["locations"]) == MAX_LOCATIONS
    assert thread["locations"][0]["state"] == {"Counter.value": {"text": "5"}}
    assert flow["message"]["text"] == "5 earlier steps omitted"


def test_ten_thousand_findings_share_one_rule():
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
    assert len(kind.sentence.split()) > 4  # the description is a sentence, not a word
