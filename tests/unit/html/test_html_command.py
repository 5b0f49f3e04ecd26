"""The command `raddle html`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from report_contents import MODEL, READ_THEN_WRITTEN, SITES, finding

from raddle.cli.html import html
from raddle.errors import UsageError
from raddle.record import Record
from raddle.store import add
from raddle.tally import Covered, Tally


@pytest.fixture
def data_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tally = Tally.of({"map": {READ_THEN_WRITTEN: Covered(1, 1)}}, executions=2)
    origin = "explore box.py::scenario"
    add(
        tmp_path / ".raddle",
        Record(
            origin=origin, mode="controlled", tally=tally, sites=SITES, paths={}, model=MODEL, findings=(finding(),)
        ),
    )
    return tmp_path / ".raddle"


def run(*arguments):
    return CliRunner().invoke(html, arguments, standalone_mode=False)


def test_the_report_is_written_to_the_default_folder(data_file):
    result = run()
    assert result.return_value == 0
    assert "open raddle-html" in result.output
    assert (data_file.parent / "raddle-html" / "index.html").is_file()


def test_json_summarizes_a_report_in_another_folder(data_file):
    result = run("--output", "pages", "--json", "--data-file", str(data_file))
    summary = json.loads(result.output)
    assert (summary["folder"], summary["findings"], summary["files"]) == ("pages", 1, 2)
    assert summary["pages"] == len(list((data_file.parent / "pages").glob("*.html")))


def test_the_same_data_file_gives_identical_pages(data_file):
    run("--output", "one")
    run("--output", "two")
    for path in (data_file.parent / "one").rglob("*.*"):
        assert path.read_bytes() == (data_file.parent / "two" / path.relative_to(data_file.parent / "one")).read_bytes()


def test_a_missing_data_file_is_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run()
    assert result.return_value == 5
    assert "[no-data]" in result.output


def test_a_folder_with_other_files_is_not_overwritten(data_file):
    (data_file.parent / "raddle-html").mkdir()
    (data_file.parent / "raddle-html" / "thesis.tex").write_text("mine", "utf-8")
    result = run()
    assert isinstance(result.exception, UsageError)
    assert result.exception.slug == "output-not-ours"
