"""Every command in docs/formats.md works, and its tables are complete."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest

import warm
from raddle.cli import group
from raddle.outcome import FINDINGS
from raddle.report.as_json import schema
from raddle.stop_reason import StopReason

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
EXPLORE, *COMMANDS = re.findall(r"^    raddle (.*)$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("tickets.py", "test_tickets.py"):
        code = re.search(rf"<!-- file: {name} -->\n```python\n(.*?)```", readme, re.DOTALL).group(1)
        (folder / name).write_text(code)
    done = warm.run("raddle", *EXPLORE.split(), cwd=folder)
    assert done.returncode == 1, done.stderr  # exit code 1: the example fails
    shutil.copy(folder / ".raddle", folder / "before.raddle")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_page_works(explored, monkeypatch, capsys, command):
    monkeypatch.chdir(explored)
    code = group.main(command.split(), standalone_mode=False)
    out = capsys.readouterr().out
    # 5 of the 11 possible patterns are covered: 45 %, which is above the threshold of 40 %.
    assert code == 0
    output_option = re.search(r"--output (\S+)", command)
    text = (explored / output_option.group(1)).read_text(encoding="utf-8") if output_option else out
    assert text
    if command.startswith(("json", "sarif")) or "--json" in command:
        assert json.loads(text)


def test_sarif_and_json_of_the_example_match_their_schemas(explored, monkeypatch, capsys):
    monkeypatch.chdir(explored)
    published = json.loads((ROOT / "tests/unit/report/sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    for command, expected_schema in (("sarif", published), ("json --covered every --missing every", schema())):
        assert group.main(command.split(), standalone_mode=False) == 0
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, expected_schema)
        assert "assertion" in json.dumps(document)


def test_the_table_lists_every_key_of_the_json_document():
    table = PAGE.partition("| key | what it is |")[2].partition("\n\n")[0]
    listed = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if row else "")}
    assert listed == set(schema()["properties"])


def test_every_reason_to_stop_is_listed():
    table = PAGE.partition("| `stopped_because` |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == set(StopReason)


def test_every_kind_of_finding_is_listed():
    sentence = re.search(r"The `kind` of a finding is (.*?)\.", PAGE, re.DOTALL).group(1)
    assert set(re.findall("`([a-z0-9-]+)`", sentence)) == set(FINDINGS)
    messages = (ROOT / "docs/messages.md").read_text(encoding="utf-8")
    assert set(FINDINGS) <= set(re.findall(r"^### ([a-z0-9-]+)$", messages, re.MULTILINE))
