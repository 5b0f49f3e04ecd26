"""Every kind of finding appears in every report, and in SARIF with the sentence that describes it."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from sample_findings import LOST_UPDATE, contents

from raddle.outcome import FINDINGS, OutcomeKind
from raddle.report.annotations import annotate
from raddle.report.as_json import document
from raddle.report.html import write_pages
from raddle.report.junit import junit
from raddle.report.sarif import sarif
from raddle.report.stored_findings import stored_findings
from raddle.report.summary import summarize

DOCS = Path(__file__).parents[3] / "docs"


def pages(given, tmp_path):
    write_pages(given, tmp_path / "out", title="all kinds")
    return [(tmp_path / "out" / name).read_text("utf-8") for name in ("index.html", "finding-1.html")]


def test_only_passed_and_interrupted_are_not_findings():
    assert set(OutcomeKind) - set(FINDINGS) == {OutcomeKind.PASSED, OutcomeKind.INTERRUPTED}


@pytest.mark.parametrize("kind", FINDINGS)
def test_every_report_shows_the_kind(kind, tmp_path):
    given = contents({**LOST_UPDATE, "kind": kind})
    (stored,) = stored_findings(given)
    assert stored.finding.kind == kind
    assert stored.headline.startswith(f"{kind} in T0: ")
    assert stored.story.startswith(stored.headline)
    (rule,) = sarif(given, version="1")["runs"][0]["tool"]["driver"]["rules"]
    assert (rule["id"], rule["shortDescription"]["text"]) == (kind.value, kind.sentence)
    assert f'type="{kind}"' in junit(given, [], {})
    assert any(f"title=raddle%3A {kind}::" in line for line in annotate(given))
    (found,) = document(given, summarize(given, []), version="1")["findings"]
    assert json.loads(json.dumps(found))["kind"] == kind.value
    assert all(kind.value in page for page in pages(given, tmp_path))


@pytest.mark.parametrize("kind", FINDINGS)
def test_the_documentation_describes_the_kind(kind):
    assert f"\n### {kind}\n" in (DOCS / "messages.md").read_text("utf-8")
    assert f"`{kind}`" in (DOCS / "formats.md").read_text("utf-8")


def test_the_json_schema_names_every_kind() -> None:
    schema = files("raddle.report").joinpath("schema.json").read_text(encoding="utf-8")
    described = json.loads(schema)["$defs"]["finding"]["properties"]["kind"]["description"]
    listed = described.removeprefix("Kind of finding: ")
    named = set(re.findall(r"[a-z0-9]+(?:-[a-z]+)*", listed)) - {"or"}
    assert named == {kind.value for kind in FINDINGS}
