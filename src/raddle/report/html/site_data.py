"""What a source page tells about a selected site, as data that the page loads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from raddle.report.html.meetings import MAX_OF_FILE, MAX_OF_SITE, Meeting, Meetings, Part, chosen
from raddle.report.html.places import Places
from raddle.report.plain import plain
from raddle.site import Site

MAX_CHARACTERS = 1_200_000  # of sentences in one page's data
LONGEST_SENTENCE = 600
MAX_MET = 60  # other sites that are listed by name


class SiteData:
    """Of one file's sites."""

    def __init__(
        self, sites: Mapping[int, Site], meetings: Meetings, places: Places, witnesses: Mapping[int, str]
    ) -> None:
        self._meetings, self._places, self._witnesses = meetings, places, witnesses
        self._sentences: list[list[Any]] = []
        self._known: dict[int, int] = {}  # by id of a meeting: the place of its sentence
        self._names: dict[int, list[str]] = {}
        self._characters = 0
        self._commands: dict[int, str] = {}
        busy = [number for number in sites if number in meetings.parts]
        self._most = min(MAX_OF_SITE, max(2, MAX_OF_FILE // (2 * len(busy) or 1)))
        self._sites = {places.numbers[number]: self._site(number, site) for number, site in sites.items()}

    def script(self) -> str:
        """JavaScript that hands everything over; nothing in it can end the script or begin a tag."""
        data = {
            "sites": self._sites,
            "sentences": self._sentences,
            "names": self._names,
            "witnesses": self._commands,
        }
        # ASCII only, and no "<": right in whatever way a browser reads the file.
        return f"raddle.take({json.dumps(data, separators=(',', ':')).replace('<', chr(92) + 'u003c')});\n"

    def _site(self, number: int, site: Site) -> dict[str, Any]:
        part = self._meetings.parts.get(number, Part())
        covered, missing = part.counts
        met = sorted(part.met, key=lambda other: self._places.numbers.get(other, -1))
        return {
            "kind": site.kind,
            "name": plain(site.name),
            "place": plain(f"{site.file}:{site.line}"),
            "function": plain(site.function),
            "switchable": site.switchable,
            "covered": covered,
            "missing": missing,
            "met": [self._name(other) for other in met[:MAX_MET] if other in self._places.numbers],
            "more_met": max(0, len(met) - MAX_MET),
            "had": self._told(part.covered),
            "lacks": self._told(part.missing),
        }

    def _told(self, by_criterion: Mapping[str, list[Meeting]]) -> list[int]:
        return [place for meeting in chosen(by_criterion, self._most) if (place := self._sentence(meeting)) is not None]

    def _sentence(self, meeting: Meeting) -> int | None:
        known = self._known.get(id(meeting))
        if known is not None:
            return known
        if self._characters > MAX_CHARACTERS:
            return None
        text = plain(self._meetings.sentence(meeting))
        if len(text) > LONGEST_SENTENCE:
            text = text[: LONGEST_SENTENCE - 1] + "…"
        self._characters += len(text)
        seen = meeting.seen
        if seen is not None and seen.first in self._witnesses:
            self._commands[seen.first] = plain(self._witnesses[seen.first])
        sites = [self._name(site) for site in meeting.sites if site in self._places.numbers]
        times = [seen.first, seen.executions] if seen is not None else []
        place = self._known[id(meeting)] = len(self._sentences)
        self._sentences.append([meeting.criterion, text, self._meetings.pattern(meeting), sites, *times])
        return place

    def _name(self, number: int) -> int:
        place = self._places.numbers[number]
        if place not in self._names:
            site = self._places.sites[number]
            said = plain(f"{site.file}:{site.line} {site.kind} {site.name}").rstrip()
            self._names[place] = [said, self._places.of_site(number)]
        return place
