"""Findings and warnings as annotations: lines of output that GitHub Actions shows beside the code.

The format and the escaping are those of GitHub's workflow commands; see `escapeData` and `escapeProperty` in GitHub's
toolkit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raddle.place import Place
from raddle.report.plain import plain
from raddle.report.source import notes_of
from raddle.report.stored_findings import stored_findings
from raddle.report.threshold import BELOW, Verdict
from raddle.report.warning_groups import distinct_warnings
from raddle.store.contents import Contents


def annotate(contents: Contents, verdicts: Iterable[Verdict] = ()) -> Iterator[str]:
    """Yield an annotation for each finding, missed threshold, warning and note.

    >>> list(annotate(Contents(notes=("100 % new\\nlines",))))
    ['::notice title=raddle::100 %25 new%0Alines']
    """
    for one in stored_findings(contents):
        yield annotation("error", one.story, title=f"raddle: {one.finding.kind}", place=one.place)
    for warning, sentence in distinct_warnings(contents):
        site = next((contents.sites[site] for site in warning.sites if site in contents.sites), None)
        place = Place(site.file, site.line) if site is not None else None
        yield annotation("warning", sentence, title=f"raddle: {warning.kind}", place=place)
    for verdict in verdicts:
        if verdict.outcome == BELOW:
            yield annotation("error", verdict.sentence, title="raddle: coverage")
    for note in notes_of(contents):
        yield annotation("notice", note)


def annotation(level: str, message: str, *, title: str = "raddle", place: Place | None = None) -> str:
    """Return one annotation as a single line; newlines in the message are escaped.

    >>> annotation("error", "no", title="raddle: deadlock", place=Place("a,b.py", 9))
    '::error file=a%2Cb.py,line=9,title=raddle%3A deadlock::no'
    """
    properties = {"file": place.file, "line": str(place.line)} if place is not None else {}
    if properties.get("line") == "0":
        del properties["line"]
    properties["title"] = title
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return plain(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
