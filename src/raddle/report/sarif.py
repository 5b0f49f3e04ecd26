"""Findings and warnings as SARIF 2.1.0, so that code hosts can show the interleaving beside the code.

A finding is a result of level "error" with one code flow. The code flow has a thread flow for each thread, with the
locations numbered in the order of execution. Each preemption is a location of importance "essential" (OASIS, Static
Analysis Results Interchange Format 2.1.0, 3.36 to 3.38). A warning has no code flow, because it does not describe a
single execution. The first place of a warning is its location, and the others are related locations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from raddle.event import Event, Preemption
from raddle.labels import label_sort_key
from raddle.operation import ACQUIRE, RELEASE
from raddle.place import Place
from raddle.report.rules import rule
from raddle.report.source import notes_of
from raddle.report.stored_findings import Stored, stored_findings
from raddle.report.story import step_text
from raddle.report.warning_groups import distinct_warnings
from raddle.schedule import parse_place
from raddle.site import Site
from raddle.store.contents import Contents
from raddle.wording import count

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
MAX_LOCATIONS = 1000  # maximum number of locations of one finding; code hosts do not show more
_LINK = re.compile(r"\[([^\[\]]*)\]\(")
_KINDS: dict[str, list[str]] = {  # the SARIF standard's words for operations
    ACQUIRE: ["acquire", "lock"],
    RELEASE: ["release", "lock"],
}

Json = dict[str, Any]


def sarif(contents: Contents, *, version: str) -> Json:
    """Return the SARIF log with a single run. `version` is the version of raddle.

    >>> log = sarif(Contents(), version="1.0")
    >>> log["version"], log["runs"][0]["results"]
    ('2.1.0', [])
    """
    results = [_finding(one) for one in stored_findings(contents)] + list(_warnings(contents))
    kinds = list(dict.fromkeys(result["ruleId"] for result in results))
    levels = {result["ruleId"]: result["level"] for result in results}
    for result in results:
        result["ruleIndex"] = kinds.index(result["ruleId"])
    driver = {
        "name": "raddle",
        "version": version,
        "rules": [_rule(kind, levels[kind]) for kind in kinds],
    }
    notes = [{"level": "note", "message": _message(note)} for note in notes_of(contents)]
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {"driver": driver},
                "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }


def escaped(text: str) -> str:
    """Escape a message string, in which {0} would be a placeholder and [words](target) a link.

    >>> escaped("x[0](1) in {}")
    'x\\\\[0\\\\](1) in {{}}'
    """
    return _LINK.sub(r"\\[\1\\](", text.replace("{", "{{").replace("}", "}}"))


def _message(text: str) -> Json:
    return {"text": escaped(text)}


def _rule(kind: str, level: str) -> Json:
    return {
        "id": kind,
        "shortDescription": {"text": rule(kind)},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["concurrency"]},
    }


def _finding(one: Stored) -> Json:
    result: Json = {
        "ruleId": one.finding.kind,
        "level": "error",
        "message": _message(
            "\n".join([one.headline, *one.finding.notes, *([f"replay: {one.replay}"] if one.replay else [])])
        ),
        "partialFingerprints": {"raddleFinding/v1": one.fingerprint},
        "properties": {"possibleOn": one.finding.possible_on, "origin": one.origin, "details": one.finding.details},
    }
    if one.place is not None:
        result["locations"] = [_location(one.place)]
    flow = _flow(one)
    if flow is not None:
        result["codeFlows"] = [flow]
    return result


def _flow(one: Stored) -> Json | None:
    all_locations = list(_flow_locations(one))
    shown = all_locations[-MAX_LOCATIONS:]
    threads: dict[str, list[Json]] = {}
    for order, (thread, location) in enumerate(shown, start=1):
        threads.setdefault(thread, []).append({"executionOrder": order, **location})
    if not threads:
        return None
    flow: Json = {
        "threadFlows": [
            {"id": thread, "message": {"text": f"thread {thread}"}, "locations": locations}
            for thread, locations in sorted(threads.items(), key=lambda flow: label_sort_key(flow[0]))
        ]
    }
    if len(all_locations) > len(shown):
        flow["message"] = {"text": f"{count(len(all_locations) - len(shown), 'earlier step')} omitted"}
    return flow


def _flow_locations(one: Stored) -> Iterator[tuple[str, Json]]:
    """Yield the thread and the location of each step and preemption, in order."""
    stops = list(one.finding.preemptions)
    for number, event in one.steps:
        while stops and stops[0].before <= number:
            yield _stop(stops.pop(0))
        yield _step(event)


def _stop(stop: Preemption) -> tuple[str, Json]:
    text = f"{stop.thread} is preempted here; its next step: {stop.place}"
    place = parse_place(stop.place)
    location: Json = _location(place, text) if place is not None else {"message": _message(text)}
    return stop.thread, {"location": location, "importance": "essential"}


def _step(event: Event) -> tuple[str, Json]:
    step: Json = {"location": _location(Place(event.file, event.line), f"{event.thread} {step_text(event)}")}
    if event.kind in _KINDS:
        step["kinds"] = _KINDS[event.kind]
    if event.variable and event.value:
        step["state"] = {event.variable: _message(event.value)}
    return event.thread, step


def _location(place: Place, text: str = "") -> Json:
    physical: Json = {"artifactLocation": {"uri": _uri(place.file), "uriBaseId": "%SRCROOT%"}}
    if place.line > 0:
        physical["region"] = {"startLine": place.line}
    return {"physicalLocation": physical, **({"message": _message(text)} if text else {})}


def _uri(label: str) -> str:
    """Return a file's label, which is relative to the project folder, as a relative URI."""
    return quote(label.encode("utf-8", "backslashreplace"), safe="/")


def _warnings(contents: Contents) -> Iterator[Json]:
    for warning, sentence in distinct_warnings(contents):
        result: Json = {"ruleId": warning.kind, "level": "warning", "message": _message(sentence)}
        places = list(_places(contents.sites[site] for site in warning.sites if site in contents.sites))
        if places:
            result["locations"] = [_location(places[0])]
        if places[1:]:
            result["relatedLocations"] = [{"id": number, **_location(at)} for number, at in enumerate(places[1:], 1)]
        yield result


def _places(sites: Iterable[Site]) -> Iterator[Place]:
    yield from dict.fromkeys(Place(site.file, site.line) for site in sites)
