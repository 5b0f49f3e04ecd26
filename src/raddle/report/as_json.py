"""The contents of a data file as one JSON document, in the format that `schema.json` in this package describes.

The format version increases when a key is removed or changes its meaning. Adding a key does not change the version.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from raddle.criteria.sentences import Sentences
from raddle.report.coverage import Row, criterion_of
from raddle.report.stored_findings import Stored, stored_findings
from raddle.report.summary import Summary
from raddle.site import Site
from raddle.store.contents import Contents, Run
from raddle.tally import Key
from raddle.warning import ReportedWarning

FORMAT, VERSION = "raddle-report", 1


def document(contents: Contents, summary: Summary, *, version: str, covered_of: Iterable[Row] = ()) -> dict[str, Any]:
    """Return the whole document.

    `version` is the version of raddle. `covered_of` holds the rows of the criteria whose covered requirements are
    listed.

    >>> from raddle.report.summary import summarize
    >>> empty = document(Contents(), summarize(Contents(), []), version="1.0")
    >>> empty["version"], empty["findings"], empty["criteria"]
    (1, [], {})
    """
    summed_up = summary.as_json()
    return {
        "format": FORMAT,
        "version": VERSION,
        "raddle": version,
        "executions": summary.executions,
        "runs": [_run(run) for run in contents.runs],
        "criteria": {
            row.name: {**summary.criterion_as_json(row), "growth": _growth(contents, row)} for row in summary.rows
        },
        "files": summed_up["files"],
        "covered": [one for row in covered_of for one in _covered(contents, row)],
        "missing": summed_up["missing"],
        "not_listed": summed_up["not_listed"],
        "warnings": [_warning(warning, sentence, contents.sites) for warning, sentence in summary.warnings],
        "findings": [_finding(one) for one in stored_findings(contents)],
        "notes": list(summary.notes),
    }


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document.

    >>> schema()["properties"]["version"]
    {'const': 1}
    """
    loaded: dict[str, Any] = json.loads(files("raddle.report").joinpath("schema.json").read_text(encoding="utf-8"))
    return loaded


def _run(run: Run) -> dict[str, Any]:
    return {
        "origin": run.origin,
        "mode": run.mode,
        "executions": run.executions,
        "before": run.before,
        "added": run.added,
        "criteria": sorted(run.criteria),
        "exact": sorted(run.exact),
    }


def _growth(contents: Contents, row: Row) -> list[list[int]]:
    return [[execution, covered] for execution, covered in contents.tally.growth.get(row.name, ())]


def _covered(contents: Contents, row: Row) -> Iterable[dict[str, Any]]:
    criterion = criterion_of(row.name, contents)
    covered = contents.tally.covered.get(row.name, {})
    sentences = Sentences(criterion, contents.sites, among=covered) if criterion is not None else None
    for key, seen in sorted(covered.items(), key=lambda item: json.dumps(item[0])):
        site = contents.sites.get(criterion.home(key)) if criterion is not None else None
        yield {
            "criterion": row.name,
            "file": site.file if site is not None else None,
            "line": site.line if site is not None else None,
            "sentence": sentences.explain(key) if sentences is not None else None,
            "key": _listed(key),
            "executions": seen.executions,
            "first": seen.first,
        }


def _listed(key: Key) -> list[Any]:
    return [_listed(part) if isinstance(part, tuple) else part for part in key]


def _warning(warning: ReportedWarning, sentence: str, sites: Mapping[int, Site]) -> dict[str, Any]:
    places = [sites[number] for number in warning.sites if number in sites]
    return {
        **warning.as_json(),
        "sentence": sentence,
        "places": [{"file": site.file, "line": site.line, "function": site.function} for site in places],
    }


def _finding(one: Stored) -> dict[str, Any]:
    finding = one.finding
    return {
        "kind": finding.kind,
        "message": finding.message,
        "thread": finding.thread,
        "possible_on": finding.possible_on,
        "every_order": finding.every_order.as_json() if finding.every_order else None,
        "origin": one.origin or None,
        "execution": finding.execution,
        "file": one.place.file if one.place is not None else None,
        "line": one.place.line or None if one.place is not None else None,
        "schedule": str(finding.schedule) if finding.schedule is not None else None,
        "replay": one.replay,
        "options": asdict(finding.replay_options),
        "fingerprint": one.fingerprint,
        "details": list(finding.details),
        "notes": list(finding.notes),
        "steps": [event.as_json() for event in finding.trace],
        "preemptions": [stop.as_json() for stop in finding.preemptions],
    }
