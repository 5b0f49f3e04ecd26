"""The command `raddle report`: its output and exit codes."""

from __future__ import annotations

import json

import pytest

from raddle.cli.report import report
from raddle.errors import UsageError
from raddle.record import Record
from raddle.site import INDEX_BITS, Site
from raddle.static_model import Accesses, StaticModel
from raddle.store import add
from raddle.tally import Tally
from raddle.warning import ReportedWarning

BASE = 4711 << INDEX_BITS
ENTER, READ, ENTER_TOTAL, WRITE = range(BASE, BASE + 4)
SITES = {
    ENTER: Site("log.py", 3, 0, "enter", "", "Log.add", switchable=True),
    READ: Site("log.py", 4, 0, "read", "self.th", "Log.add", switchable=True),
    ENTER_TOTAL: Site("log.py", 5, 0, "enter", "", "Log.total", switchable=True),
    WRITE: Site("log.py", 9, 0, "write", "self.th", "Log.total", switchable=True),
}
# Two public methods give three unordered pairs of methods.
MODEL = StaticModel(
    {("log.py:Log", "th"): Accesses(frozenset({READ}), frozenset({WRITE}))},
    {"log.py:Log": {"add": ENTER, "total": ENTER_TOTAL}},
)
ADD_TOTAL = ("log.py:Log", "add", "total")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder; return its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_(*arguments):
        code = report.main(list(arguments), standalone_mode=False)
        return code, *capsys.readouterr()

    return run_


def store(*executions, **more):
    tally = Tally()
    for number, covered in enumerate(executions, start=1):
        for name, keys in covered.items():
            tally.add(number, name, keys)
    add(
        ".raddle",
        Record(
            origin="run app.py",
            mode="native",
            tally=tally,
            sites=SITES,
            paths={"log.py": "/home/me/log.py"},
            **{"model": MODEL, **more},
        ),
    )


def test_a_missing_data_file_is_reported(run):
    code, out, err = run()
    assert (code, out) == (5, "")
    assert "run `raddle run` or `raddle explore --criteria` first" in err
    assert "[no-data]" in err


def test_the_report_shows_criteria_files_and_notes(run):
    store({"method-pairs": [ADD_TOTAL], "sync": [(READ, "visited")]}, notes=("a note",))
    code, out, err = run()
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["1", "run,", "1", "execution"] in lines
    assert ["method-pairs", "1", "3", "(static)", "33.3", "%", "1", "0"] in lines
    assert ["sync", "1", "unknown", "-", "1", "0"] in lines
    assert ["file", "sync", "method-pairs"] in lines
    assert ["log.py", "1", "1", "of", "3"] in lines
    assert "note: a note" in out
    assert "\x1b" not in out


def test_the_report_shows_warnings_and_findings(run):
    warning = ReportedWarning("data-race", "Log.th", (READ, WRITE), "read, written")
    finding = {"kind": "assertion", "message": "AssertionError: no\nmore", "steps": []}
    store({"method-pairs": [ADD_TOTAL]}, warnings=(warning,), findings=(finding,))
    code, out, _ = run()
    assert code == 0
    sentence = (
        "`Log.th` is read at log.py:4 and written by another thread at log.py:9, and no synchronization orders them"
    )
    assert f"warnings\n  {sentence}\n" in out
    assert "1 finding:\n  assertion: AssertionError: no\n" in out


def test_missing_requirements_are_listed(run):
    store({"method-pairs": [ADD_TOTAL], "sync": []})
    code, out, _ = run("--missing", "Method-Pairs")
    assert code == 0
    assert "sync" not in out
    # Of the three pairs of methods, (`add`, `add`) and (`total`, `total`) are not covered.
    assert "log.py:\n  not covered yet: thread A starts `Log.add` while thread B is in `Log.add`\n" in out
    assert "not covered yet: thread A starts `Log.total` while thread B is in `Log.total`\n" in out
    _, out, _ = run("--missing", "method-pairs", "--limit", "1")
    assert "Log.total" not in out
    assert "... and 1 more" in out


def test_the_patterns_of_map_are_shown_for_map_only(run):
    # One read and one write of one variable: one requirement for each pattern from 1 to 8. The other patterns need two
    # variables.
    store({"map": [(1, "log.py:Log", "th", "", READ, WRITE)]})
    for option in ("--criteria", "--missing"):
        lines = [line.split() for line in run(option, "map")[1].splitlines()]
        assert ["1", "A", "reads", "x,", "B", "writes", "x", "1", "1", "(static)", "100", "%"] in lines
        steps = ["A", "reads", "x,", "B", "writes", "x,", "A", "reads", "x"]
        assert ["4", *steps, "0", "1", "(static)", "0", "%"] in lines
        together = "A writes x and B reads y, then B reads x and A writes y"
        assert ["13,", "15,", "16,", "17", *together.split(), "0", "nothing", "to", "cover", "-"] in lines
    assert "B writes x" not in run()[1]
    patterns = json.loads(run("--json")[1])["criteria"]["map"]["patterns"]
    assert [pattern["patterns"] for pattern in patterns] == [
        [1], [2], [3], [4], [5], [6], [7], [8], [9], [10, 11], [12], [13, 15, 16, 17], [14],
    ]  # fmt: skip
    assert [pattern["covered"] for pattern in patterns] == [1] + 12 * [0]
    assert [pattern["total"] for pattern in patterns] == 8 * [1] + 5 * [0]
    assert patterns[3]["steps"] == "A reads x, B writes x, A reads x"
    assert {pattern["total_kind"] for pattern in patterns} == {"static"}


def test_missing_requirements_of_several_criteria_have_headings(run):
    store({"method-pairs": [ADD_TOTAL], "map": []})
    out = run("--missing", "method-pairs,map")[1]
    first, second = out.index("missing from method-pairs\n"), out.index("missing from map\n")
    assert first < out.index("Log.add") < second < out.index("(pattern 1)")
    assert "missing from" not in run("--missing", "map")[1]


def test_a_guessed_requirement_is_marked(run):
    guess = StaticModel({("log.py:Log", "th"): Accesses(frozenset({READ}), frozenset({WRITE}), frozenset({WRITE}))})
    store({"map": []}, model=guess)
    out = run("--missing", "map")[1]
    assert "(pattern 1) (guess: the source does not show which class `th` belongs to)\n" in out
    assert "guessed" not in run("--criteria", "map")[1]


def test_an_observed_access_is_not_marked_as_a_guess(run):
    guess = StaticModel({("log.py:Log", "th"): Accesses(frozenset({READ}), frozenset({WRITE}), frozenset({WRITE}))})
    store({"map": []}, model=guess + MODEL)
    assert "guessed" not in run("--missing", "map")[1]


def test_json_has_criteria_files_missing_requirements_and_warnings(run):
    store(
        {"method-pairs": [ADD_TOTAL], "sync": []},
        warnings=(ReportedWarning("data-race", "Log.th", (READ, WRITE), "read, written"),),
        notes=("a note",),
    )
    code, out, err = run("--json", "--criteria", "method-pairs", "--missing", "method-pairs")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert list(data["criteria"]) == ["method-pairs"]
    row = data["criteria"]["method-pairs"]
    assert (row["covered"], row["total"], row["total_kind"], row["static_total"]) == (1, 3, "static", 3)
    assert (row["percent"], row["executions"], row["since_new"]) == (33.3333, 1, 0)
    assert data["files"] == {
        "log.py": {"path": "/home/me/log.py", "criteria": {"method-pairs": {"covered": 1, "total": 3}}}
    }
    assert [(gap["file"], gap["line"], gap["key"][1:]) for gap in data["missing"]] == [
        ("log.py", 3, ["add", "add"]),
        ("log.py", 5, ["total", "total"]),
    ]
    assert all(gap["sentence"].startswith("not covered yet: ") for gap in data["missing"])
    assert data["warnings"][0]["kind"] == "data-race"
    assert data["warnings"][0]["sentence"]
    assert data["notes"][0] == "a note"  # later notes may say that files do not exist


@pytest.mark.parametrize(
    ("percent", "code", "expected"),
    [("33", 0, "reaches the threshold of 33 %"), ("60", 6, "below the threshold of 60 %")],
)
def test_fail_under_determines_the_exit_code(run, percent, code, expected):
    store({"method-pairs": [ADD_TOTAL]})
    got, out, err = run("--fail-under", f"method-pairs={percent}")
    assert got == code
    assert expected in err
    assert "method-pairs" in out


def test_the_lowest_of_several_verdicts_determines_the_exit_code(run):
    store({"method-pairs": [ADD_TOTAL]})
    code, _, err = run("--fail-under", "method-pairs=10", "--fail-under", "method-pairs=90")
    assert code == 6
    assert len(err.splitlines()) == 2


def test_a_threshold_on_an_estimate_says_so(run):
    store(*[{"sync": [(READ, "visited")]}] * 3)
    code, _, err = run("--fail-under", "sync=60")
    assert code == 0
    assert "by estimate" in err


def test_a_report_with_no_coverage_has_exit_code_5(run):
    store({"method-pairs": [], "blocks": [(READ,)]})
    code, out, err = run()
    assert code == 5
    assert "0  3 (static)" in out
    # The message does not say "nothing to cover", because there are three pairs of methods.
    assert "nothing was covered: no threads interacted in 1 execution" in err
    assert run("--criteria", "blocks")[0] == 0
    assert run("--fail-under", "method-pairs=60")[0] == 6  # 0 of 3 pairs are covered


def test_a_model_without_requirements_gives_nothing_to_cover(run):
    store({"goodlock": []})  # the model has no requirements for `goodlock`
    code, _, err = run()
    assert code == 5
    assert err.startswith("nothing to cover: no threads interacted in 1 execution")


def test_an_uncontrolled_call_is_given_as_the_reason_for_no_coverage(run):
    finding = {"kind": "uncontrolled", "message": "T1 blocks outside raddle's control", "thread": "T1"}
    store({"goodlock": []}, findings=(finding,))
    code, _, err = run()
    assert code == 5
    assert err.startswith("nothing was covered: executions ended at a call that raddle does not control")
    assert "no threads interacted" not in err


def test_one_uncovered_criterion_does_not_mean_that_no_threads_ran(run):
    store({"goodlock": [], "sync": [(READ, "visited")]})
    code, out, err = run("--criteria", "goodlock")
    assert (code, err) == (0, "")
    assert "goodlock" in out


def test_a_data_file_without_measured_criteria_is_reported(run):
    store({})
    code, _, err = run()
    assert code == 5
    assert "no criterion was measured" in err


@pytest.mark.parametrize(
    ("arguments", "slug", "expected"),
    [
        (["--criteria", "avio*"], "not-measured", "the data file contains method-pairs"),
        (["--missing", "map"], "not-measured", "map was not measured"),
        (["--criteria", "metod-pairs"], "unknown-criterion", "did you mean method-pairs"),
        (["--fail-under", "method-pairs"], "bad-threshold", "as in map=60"),
        (["--fail-under", "sync=60"], "not-measured", "sync was not measured"),
    ],
)
def test_invalid_options_are_rejected(run, arguments, slug, expected):
    store({"method-pairs": [ADD_TOTAL]})
    with pytest.raises(UsageError) as caught:
        run(*arguments)
    assert caught.value.slug == slug
    assert expected in str(caught.value)


def test_a_threshold_on_an_unknown_total_is_rejected(run):
    store({"sync": [(READ, "visited")]})
    with pytest.raises(UsageError) as caught:
        run("--fail-under", "sync=60")
    assert caught.value.slug == "total-unknown"


def test_every_and_default_select_several_criteria(run):
    store({"method-pairs": [ADD_TOTAL], "sync": [], "all": []})
    _, out, _ = run("--json", "--criteria", "every")
    assert list(json.loads(out)["criteria"]) == ["all", "sync", "method-pairs"]
    _, out, _ = run("--json", "--criteria", "default")
    assert list(json.loads(out)["criteria"]) == ["sync", "method-pairs"]
    _, out, _ = run("--json", "--criteria", "all")
    assert list(json.loads(out)["criteria"]) == ["all"]


def test_another_data_file_can_be_reported(run, tmp_path):
    store({"method-pairs": [ADD_TOTAL]})
    (tmp_path / ".raddle").rename(tmp_path / "mine")
    assert run()[0] == 5
    assert run("--data-file", "mine")[0] == 0


@pytest.mark.parametrize(
    ("configured", "code"),
    [('"method-pairs=30"', 0), ('["method-pairs=30", "method-pairs=60"]', 6), ('"method-pairs=high"', None)],
)
def test_a_threshold_can_be_configured_in_the_project(run, tmp_path, configured, code):
    """One of three pairs is 33.3 %. An option on the command line overrides pyproject.toml."""
    (tmp_path / "pyproject.toml").write_text(f"[tool.raddle]\nfail_under = {configured}\n")
    store({"method-pairs": [ADD_TOTAL]})
    if code is None:
        with pytest.raises(UsageError, match="as in map=60"):
            run()
    else:
        assert run()[0] == code
    assert run("--fail-under", "method-pairs=20")[0] == 0
