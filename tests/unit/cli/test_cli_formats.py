"""The commands `raddle json`, `raddle sarif` and `raddle report --format`, which read only the data file."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import click
import jsonschema
import pytest

from raddle.cli.json_ import json_
from raddle.cli.report import report
from raddle.cli.sarif import sarif
from raddle.errors import UsageError
from raddle.record import Record
from raddle.report.as_json import schema
from raddle.site import INDEX_BITS, Site
from raddle.store import add
from raddle.tally import Tally
from raddle.warning import ReportedWarning

READ, WRITE = 4711 << INDEX_BITS, (4711 << INDEX_BITS) + 1
SITES = {
    READ: Site("log.py", 4, 0, "read", "self.th", "Log.add", switchable=True),
    WRITE: Site("log.py", 9, 0, "write", "self.th", "Log.total", switchable=True),
}
FINDING = {
    "kind": "assertion",
    "message": "AssertionError: 50 %\nof it",
    "thread": "T1",
    "schedule": "T0; T1.",
    "steps": [
        {"thread": "T2", "file": "log.py", "line": 4, "operation": "read", "variable": "Log.th", "value": ""},
        {"thread": "T1", "file": "log.py", "line": 9, "operation": "write", "variable": "Log.th", "value": "<b>"},
    ],
    "origin": "explore log.py::scenario",
}
RACE = ReportedWarning("data-race", "Log.th", (READ, WRITE), "read, written")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder; return its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_(command, *arguments):
        code = command.main(list(arguments), standalone_mode=False)
        return code, *capsys.readouterr()

    return run_


def store(*findings, keys=((READ, "visited"),), **more):
    tally = Tally()
    for number in range(1, 4):
        tally.add(number, "sync", keys)
    paths = {"log.py": "/home/other/log.py"}
    record = Record(
        origin="explore log.py::scenario",
        mode="controlled",
        tally=tally,
        sites=SITES,
        paths=paths,
        findings=findings,
        **more,
    )
    add(".raddle", record)


COMMANDS = {
    "json": (json_,),
    "sarif": (sarif,),
    "report": (report,),
    "github": (report, "--format", "github"),
    "junit": (report, "--format", "junit"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_missing_or_empty_data_file_is_reported(run, tmp_path, name):
    command, *arguments = COMMANDS[name]
    for make in (lambda: None, (tmp_path / ".raddle").touch):
        make()
        code, out, err = run(command, *arguments)
        assert (code, out) == (5, "")
        assert "[no-data]" in err


GONE = "::notice title=raddle::log.py no longer exists: line numbers refer to the measured version"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_data_file_without_findings_is_reported(run, name):
    store()
    command, *arguments = COMMANDS[name]
    code, out, err = run(command, *arguments)
    assert (code, err) == (0, "")
    assert (out == f"{GONE}\n") == (name == "github")
    assert "finding:" not in out


def test_json_lists_findings_coverage_and_warnings(run):
    store(FINDING, warnings=(RACE,))
    code, out, err = run(json_, "--covered", "sync", "--missing", "sync")
    assert (code, err) == (0, "")
    document = json.loads(out)
    jsonschema.validate(document, schema())
    assert document["findings"][0]["message"] == FINDING["message"]
    assert [requirement["key"] for requirement in document["covered"]] == [[READ, "visited"]]
    assert document["warnings"][0]["places"][1]["line"] == 9


def test_the_json_schema_is_printed(run):
    """Printing the schema needs no data file."""
    code, out, _ = run(json_, "--schema")
    assert code == 0
    assert json.loads(out) == schema()


def test_the_criteria_can_be_selected(run):
    store(keys=())
    assert list(json.loads(run(json_, "--criteria", "sync")[1])["criteria"]) == ["sync"]
    with pytest.raises(UsageError) as caught:
        run(json_, "--criteria", "map")
    assert caught.value.slug == "not-measured"


@pytest.mark.parametrize("command", [json_, sarif])
def test_the_output_can_be_written_to_a_file(run, tmp_path, command):
    store(FINDING)
    code, out, err = run(command, "--output", "out.json")
    assert (code, out, err) == (0, "", "")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["version"]
    with pytest.raises(UsageError) as caught:
        run(command, "-o", "nowhere/out.json")
    assert caught.value.slug == "output-unwritable"
    assert "nowhere/out.json cannot be written" in str(caught.value)


def test_sarif_lists_findings_and_warnings(run):
    store(FINDING, warnings=(RACE,))
    code, out, _ = run(sarif)
    assert code == 0
    results = json.loads(out)["runs"][0]["results"]
    assert [(result["ruleId"], result["level"]) for result in results] == [
        ("assertion", "error"),
        ("data-race", "warning"),
    ]


def test_annotations_show_findings_warnings_and_notes(run):
    store(FINDING, warnings=(RACE,), notes=("a note",))
    code, out, err = run(report, "--format", "github", "--fail-under", "sync=0")
    assert code == 0
    error, warning, notice, gone = out.splitlines()
    assert error.startswith(
        "::error file=log.py,line=9,title=raddle%3A assertion::assertion in T1: AssertionError: 50 %25"
    )
    assert "%0Aof it%0A" in error
    assert warning.startswith("::warning file=log.py,line=4,title=raddle%3A data-race::")
    assert notice == "::notice title=raddle::a note"
    assert gone == GONE
    assert "sync" in err


def test_junit_has_a_test_case_per_scenario_and_criterion(run):
    store(FINDING)
    code, out, _ = run(report, "--format", "junit", "--fail-under", "sync=100")
    root = ElementTree.fromstring(out)
    assert code == 0
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    # All three executions covered the same requirement of `sync`. The estimated total is one, so coverage is 100 %.
    assert [case.get("name") for case in root.iter("testcase")] == ["explore log.py::scenario", "sync"]


def test_junit_fails_below_a_threshold(run):
    """In three executions, two requirements are covered once each.

    Chao2 gives 2 + 2/3 · 2·1/2 = 2.67, so 2 of 3 is 66.7 %.
    """
    tally = Tally()
    tally.add(1, "sync", [(READ, "visited")])
    tally.add(3, "sync", [(WRITE, "visited")])
    add(".raddle", Record(origin="run app.py", mode="native", tally=tally, sites=SITES, paths={}))
    code, out, err = run(report, "--format", "junit", "--fail-under", "sync=90")
    assert code == 6
    (failure,) = ElementTree.fromstring(out).iter("failure")
    assert failure.get("type") == "coverage"
    assert "below the threshold of 90 %" in failure.text
    assert failure.text in err
    _, out, _ = run(report, "--format", "junit", "--fail-under", "sync=90", "--criteria", "default")
    assert ElementTree.fromstring(out).get("failures") == "1"


def test_formats_exclude_each_other(run):
    store()
    with pytest.raises(click.UsageError, match="--json and --format junit cannot be used together"):
        run(report, "--json", "--format", "junit")
    assert json.loads(run(report, "--format", "json")[1]) == json.loads(run(report, "--json")[1])


# -- stories ---------------------------------------------------------------------------------------------


def test_the_report_shows_the_stories_of_findings(run):
    store(FINDING)
    _, out, _ = run(report)
    assert out.endswith(
        "1 finding:\n"
        "  assertion in T1: AssertionError: 50 % (can happen on this interpreter)\n"
        "  of it\n"
        "\n"
        "    T2  log.py:4    reads Log.th\n"
        "    T1  log.py:9    writes Log.th: <b>\n"
        "\n"
        "  replay: raddle replay log.py::scenario 'T0; T1.'\n"
    )
    assert "\x1b" not in out


def test_a_list_of_missing_requirements_has_no_stories(run):
    store(FINDING)
    assert "assertion" not in run(report, "--missing", "sync")[1]


def test_ten_thousand_findings_are_listed_in_part(run):
    """The report has ten stories, fifty headlines, and the number of the remaining findings."""
    store(*({**FINDING, "message": f"number {number}", "steps": []} for number in range(10_000)))
    code, out, _ = run(report)
    assert code == 0
    assert "10,000 findings:" in out
    assert out.count("replay: ") == 10
    assert out.count(": number ") == 60
    assert "... and 9,940 more; `raddle json` lists them all" in out
    assert len(json.loads(run(json_)[1])["findings"]) == 10_000


@pytest.mark.parametrize("name", COMMANDS)
def test_special_characters_do_not_break_any_format(run, name):
    nasty = "<script>alert('1')</script> & \"100 %\" [b]x[/b] \x00\x1b[31m\r\n::error:: é \udce9"
    store({**FINDING, "message": nasty, "kind": nasty}, notes=("note " + nasty.replace("\udce9", ""),))
    command, *arguments = COMMANDS[name]
    code, out, _ = run(command, *arguments)
    assert code == 0
    assert "alert" in out
    if name == "github":
        assert len(out.split("\n")) == 4  # the finding, two notes, and the empty part after the last newline
    if name == "junit":
        assert ElementTree.fromstring(out).get("failures") == "1"
    if name in ("json", "sarif"):
        assert json.loads(out)
