"""The data that a source page loads to describe the selected site."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from raddle.report.html.places import Places
from raddle.report.html.site_requirements import (
    MAX_OF_FILE,
    MAX_OF_SITE,
    RequirementAtSite,
    SiteCoverage,
    SiteRequirements,
    chosen,
)
from raddle.report.plain import plain
from raddle.site import Site

MAX_CHARACTERS = 1_200_000  # maximum total length of the sentences in the data of one page
LONGEST_SENTENCE = 600  # maximum length of one sentence
MAX_PARTNERS = 60  # maximum number of interacting sites listed for one site


class SiteData:
    """The data of all sites of one file; `commands` maps the number of an execution to its replay command."""

    def __init__(
        self, sites: Mapping[int, Site], requirements: SiteRequirements, places: Places, commands: Mapping[int, str]
    ) -> None:
        self._requirements, self._places, self._replay_commands = requirements, places, commands
        self._sentences: list[list[Any]] = []
        self._sentence_index: dict[int, int] = {}  # maps the id() of a requirement to its index in `_sentences`
        self._names: dict[int, list[str]] = {}
        self._characters = 0
        self._commands: dict[int, str] = {}
        busy = [number for number in sites if number in requirements.by_site]
        self._limit = min(MAX_OF_SITE, max(2, MAX_OF_FILE // (2 * len(busy) or 1)))
        self._sites = {places.numbers[number]: self._site(number, site) for number, site in sites.items()}

    def script(self) -> str:
        """Return a script that passes the data to the page.

        The data is escaped, so that nothing in it can end the script or open a tag.
        """
        data = {
            "sites": self._sites,
            "sentences": self._sentences,
            "names": self._names,
            "commands": self._commands,
        }
        # ASCII without "<" is safe in every encoding and context in which a browser may read the file.
        return f"raddle.take({json.dumps(data, separators=(',', ':')).replace('<', chr(92) + 'u003c')});\n"

    def _site(self, number: int, site: Site) -> dict[str, Any]:
        coverage = self._requirements.by_site.get(number, SiteCoverage())
        covered, missing = coverage.counts
        partners = sorted(coverage.partners, key=lambda other: self._places.numbers.get(other, -1))
        return {
            "kind": site.kind,
            "name": plain(site.name),
            "place": plain(f"{site.file}:{site.line}"),
            "function": plain(site.function),
            "switchable": site.switchable,
            "covered": covered,
            "missing": missing,
            "partners": [self._name(other) for other in partners[:MAX_PARTNERS] if other in self._places.numbers],
            "more_partners": max(0, len(partners) - MAX_PARTNERS),
            "covered_sentences": self._sentence_indexes(coverage.covered),
            "missing_sentences": self._sentence_indexes(coverage.missing),
        }

    def _sentence_indexes(self, by_criterion: Mapping[str, list[RequirementAtSite]]) -> list[int]:
        return [
            place
            for requirement in chosen(by_criterion, self._limit)
            if (place := self._sentence(requirement)) is not None
        ]

    def _sentence(self, requirement: RequirementAtSite) -> int | None:
        index = self._sentence_index.get(id(requirement))
        if index is not None:
            return index
        if self._characters > MAX_CHARACTERS:
            return None
        text = plain(self._requirements.sentence(requirement))
        if len(text) > LONGEST_SENTENCE:
            text = text[: LONGEST_SENTENCE - 1] + "…"
        self._characters += len(text)
        seen = requirement.seen
        if seen is not None and seen.first in self._replay_commands:
            self._commands[seen.first] = plain(self._replay_commands[seen.first])
        sites = [self._name(site) for site in requirement.sites if site in self._places.numbers]
        times = [seen.first, seen.executions] if seen is not None else []
        place = self._sentence_index[id(requirement)] = len(self._sentences)
        self._sentences.append([requirement.criterion, text, self._requirements.pattern(requirement), sites, *times])
        return place

    def _name(self, number: int) -> int:
        place = self._places.numbers[number]
        if place not in self._names:
            site = self._places.sites[number]
            text = plain(f"{site.file}:{site.line} {site.kind} {site.name}").rstrip()
            self._names[place] = [text, self._places.of_site(number)]
        return place
