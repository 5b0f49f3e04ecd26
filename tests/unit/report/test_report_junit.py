"""The JUnit XML report: one test case per scenario and per criterion."""

from __future__ import annotations

from xml.etree import ElementTree

from sample_findings import DEADLOCK, LOST_UPDATE, NASTY, RACE, contents

from raddle.report.coverage import rows
from raddle.report.junit import MAX_STORIES, UNKNOWN_ORIGIN, junit
from raddle.report.threshold import BELOW, NOTHING, REACHED, Verdict
from raddle.store.contents import Contents


def parsed(given, verdicts=()):
    return ElementTree.fromstring(junit(given, rows(given), dict(verdicts)).encode())


def cases(root):
    return {case.get("name"): case for case in root.iter("testcase")}


def test_an_empty_data_file_gives_an_empty_suite():
    root = parsed(Contents())
    assert (root.tag, root.get("tests"), list(root)) == ("testsuites", "0", [])


def test_a_scenario_with_findings_fails():
    root = parsed(contents(LOST_UPDATE, DEADLOCK, {**LOST_UPDATE, "kind": "exception"}))
    found = cases(root)
    # There is a test case for each of the two runs, for the scenario of the deadlock (which has no stored run), and for
    # one criterion.
    assert list(found) == ["explore counter.py::scenario", "run app.py", "explore counter.py::other", "sync"]
    failure = found["explore counter.py::scenario"].find("failure")
    assert failure.get("type") == "assertion, exception"
    assert failure.get("message").endswith(", and 1 more")
    assert failure.text.count("replay: raddle replay counter.py::scenario") == 2
    assert found["run app.py"].find("failure") is None
    assert (root.get("tests"), root.get("failures"), root.get("errors"), root.get("skipped")) == ("4", "2", "0", "0")
    assert [(suite.get("tests"), suite.get("failures")) for suite in root] == [("3", "2"), ("1", "0")]


def test_a_criterion_below_its_threshold_fails():
    def case(*verdicts):
        return cases(parsed(contents(), {"sync": verdicts}))["sync"]

    failure = case(Verdict(REACHED, "fine"), Verdict(BELOW, "too little")).find("failure")
    assert (failure.get("message"), failure.get("type")) == ("too little", "coverage")
    assert case(Verdict(NOTHING, "nothing")).find("skipped").get("message") == "nothing"
    passed = case(Verdict(REACHED, "fine"))
    assert [child.tag for child in passed] == ["system-out"]
    # 3 of 6 executions covered the only requirement. No requirement was covered just once, so Chao2 adds none.
    assert passed.find("system-out").text.startswith("1 of 1 (estimated")


def test_warnings_and_notes_are_in_the_output():
    root = parsed(contents(warnings=(RACE,), notes=("a note",)))
    (output,) = root[0].findall("system-out")
    assert output.text.startswith("`Counter.value` is read at counter.py:9")
    assert output.text.endswith("\na note\ncounter.py no longer exists: line numbers refer to the measured version")


def test_a_finding_without_a_known_run_has_a_test_case():
    given = contents({"kind": "assertion", "message": "no"}, runs=())
    assert UNKNOWN_ORIGIN in cases(parsed(given))


def test_characters_that_xml_cannot_represent_are_escaped():
    """Characters such as U+0000 and lone surrogates appear as Python escapes."""
    given = contents({"kind": NASTY, "message": NASTY, "origin": NASTY}, notes=(NASTY,))
    (case,) = [case for case in parsed(given).iter("testcase") if case.find("failure") is not None]
    assert '<b>"100 %"</b>' in case.get("name")
    assert "\\x00\\x1b \\ud800 é ]]> &amp;" in case.find("failure").text


def test_ten_thousand_findings_are_listed_in_part():
    many = [{**LOST_UPDATE, "message": f"number {number}"} for number in range(10_000)]
    failure = cases(parsed(contents(*many)))["explore counter.py::scenario"].find("failure")
    assert ", and 9,999 more" in failure.get("message")
    assert failure.text.count("number ") == MAX_STORIES
    assert failure.text.endswith("9,900 findings omitted; `raddle json` lists all findings")
