"""The lines of a source page, with a mark at each site."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from raddle.operation import BLOCK, LEAVE
from raddle.report.html.site_requirements import SiteCoverage
from raddle.report.html.source import Source, functions
from raddle.report.source import AS_MEASURED
from raddle.site import Site

ALL, SOME, NONE, QUIET = "all", "some", "none", "quiet"  # coverage status of a site
STATUS_SIGNS = {ALL: "●", SOME: "◐", NONE: "○", QUIET: "·"}
STATUS_MEANINGS = {
    ALL: "every requirement known to be feasible here is covered",
    SOME: "some requirements here are covered, others are not",
    NONE: "no requirement here is covered yet",
    QUIET: "instrumented, but not part of any known requirement",
}
MAX_LINES = 10_000  # maximum number of lines of a file shown on its page; each takes about 100 characters of markup
MAX_CHARACTERS = 600_000  # maximum number of characters of a file shown on its page
LONGEST_LINE = 2_000  # maximum length of a line; sites beyond it are listed after the line

_WORD = re.compile(r"@?\w+(?:\.\w+)*")
_BARE = frozenset({LEAVE, BLOCK})  # kinds of site that have no source text


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark for the sites at one position of a line."""

    text: str
    sites: tuple[int, ...]  # site numbers within the report
    status: str
    label: str  # text for screen readers
    is_description: bool = False  # True if the text describes sites that have no position in the current source


@dataclass(frozen=True, slots=True)
class Line:
    """One line of source."""

    number: int
    pieces: tuple[str | Mark, ...]
    status: str = ""  # "" if the line has no sites
    probed: bool = True  # False in functions that were not instrumented
    run: bool = True  # False if a block that no execution ran begins here


def marked_lines(
    source: Source,
    sites: Mapping[int, Site],
    coverage: Mapping[int, SiteCoverage],
    *,
    numbers: Mapping[int, int],
    unrun: Iterable[int] = (),
) -> list[Line]:
    """Return the lines of a file with marks at its sites.

    `sites` contains the sites of the file, `coverage` their requirements, `numbers` their numbers within the report,
    and `unrun` the first lines of blocks that never ran. Columns are meaningful only in the measured version. Sites of
    another version are listed after the line that now has their line number, or on an extra line beyond the end of the
    file.
    """
    by_line: dict[int, list[int]] = defaultdict(list)
    for number, site in sites.items():
        if site.kind not in _BARE or number in coverage:
            by_line[site.line].append(number)
    unrun, uninstrumented = set(unrun), _uninstrumented_lines(source, sites)
    marker = _Marker(source, sites, coverage, numbers)
    lines = _page_lines(source.lines)
    lines += [(line, "") for line in sorted(by_line) if line > len(source.lines)][: MAX_LINES - len(lines)]
    return [
        Line(
            number,
            marker.pieces(text, by_line.get(number, ())),
            status_of(coverage.get(site) for site in by_line[number]) if number in by_line else "",
            probed=number not in uninstrumented,
            run=number not in unrun,
        )
        for number, text in lines
    ]


def _page_lines(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return the lines that fit on a page, with their numbers."""
    shown, characters = [], 0
    for number, text in enumerate(lines[:MAX_LINES], 1):
        characters += min(len(text), LONGEST_LINE)
        if characters > MAX_CHARACTERS:
            break
        shown.append((number, text))
    return shown


def status_of(coverage: Iterable[SiteCoverage | None]) -> str:
    """Return the status of some sites: whether all, some or none of their requirements are covered.

    >>> status_of([SiteCoverage(), None])
    'quiet'
    """
    covered = missing = 0
    for one in coverage:
        if one is not None:
            some, others = one.counts
            covered, missing = covered + some, missing + others
    if not covered and not missing:
        return QUIET
    return ALL if not missing else SOME if covered else NONE


class _Marker:
    """Creates the marks of one file."""

    def __init__(
        self,
        source: Source,
        sites: Mapping[int, Site],
        coverage: Mapping[int, SiteCoverage],
        numbers: Mapping[int, int],
    ) -> None:
        self._source, self._sites, self._coverage, self._numbers = source, sites, coverage, numbers

    def pieces(self, text: str, some: Iterable[int]) -> tuple[str | Mark, ...]:
        """Return a line, split at its marks, followed by descriptions of the sites that have no position in it."""
        columns: dict[int, list[int]] = defaultdict(list)
        elsewhere: list[int] = []
        for site in some:
            if self._source.has(site) and _characters(text, self._sites[site].column) < LONGEST_LINE:
                columns[self._sites[site].column].append(site)
            else:
                elsewhere.append(site)
        if len(text) > LONGEST_LINE:
            text = text[:LONGEST_LINE] + "…"
        pieces: list[str | Mark] = []
        end = 0
        for start, stop, here in _spans(text, columns):
            pieces += [text[end:start], self._mark(text[start:stop] or "¶", here)]
            end = stop
        pieces += [text[end:], *self._descriptions(elsewhere, after="  " if text else "")]
        return tuple(piece for piece in pieces if piece)

    def _descriptions(self, some: Iterable[int], after: str) -> Iterator[str | Mark]:
        """Yield a mark with a description for each site that has no position in the line, in column order."""
        phrases: dict[str, list[int]] = defaultdict(list)
        for site in sorted(some, key=lambda site: (self._sites[site].column, site)):
            phrases[self._operation(site) if self._sites[site].name else self._in_function(site)].append(site)
        for phrase, sites in phrases.items():
            yield after
            yield self._mark(phrase, sites, is_description=True)
            after = ", "

    def _operation(self, site: int) -> str:
        return f"{self._sites[site].kind} {self._sites[site].name}".strip()

    def _in_function(self, site: int) -> str:
        """Describe a nameless site, such as the exit of a function, by the function that contains it."""
        return f"{self._sites[site].kind} {self._sites[site].function}"

    def _mark(self, text: str, some: Iterable[int], *, is_description: bool = False) -> Mark:
        coverage = self._coverage
        ordered = sorted(some, key=lambda site: (-sum(coverage[site].counts) if site in coverage else 0, site))
        operations = " and ".join(dict.fromkeys(map(self._operation, ordered)))
        status = status_of(coverage.get(site) for site in ordered)
        return Mark(
            text,
            tuple(self._numbers[site] for site in ordered),
            status,
            f"{operations}: {STATUS_MEANINGS[status]}",
            is_description,
        )


def _spans(text: str, columns: Mapping[int, Sequence[int]]) -> list[tuple[int, int, list[int]]]:
    """Return the start, end and sites of each mark; a site that begins within a mark is added to that mark.

    >>> _spans("x = self.items.pop()", {0: [1], 4: [2], 9: [3]})
    [(0, 1, [1]), (4, 18, [2, 3])]
    """
    spans: list[tuple[int, int, list[int]]] = []
    for column in sorted(columns):
        start = _characters(text, column)
        if spans and start < spans[-1][1]:
            spans[-1][2].extend(columns[column])
        else:
            word = _WORD.match(text, start)
            spans.append((start, word.end() if word is not None else min(len(text), start + 1), [*columns[column]]))
    return spans


def _characters(line: str, column: int) -> int:
    """Convert a column from UTF-8 bytes, as counted by the parser, to characters.

    >>> _characters("é = x", 5)
    4
    """
    if line.isascii():
        return min(column, len(line))
    return len(line.encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))


def _uninstrumented_lines(source: Source, sites: Mapping[int, Site]) -> set[int]:
    """Return the lines of functions that contain no site and so were not instrumented.

    If the source has changed since it was measured, these lines are unknown, and the result is empty.
    """
    if source.state != AS_MEASURED:
        return set()
    watched = {site.line for number, site in sites.items() if site.kind != BLOCK and source.has(number)}
    alone: set[int] = set()
    for first, _, last in functions(source.lines):
        if watched.isdisjoint(range(first, last + 1)):
            alone.update(range(first, last + 1))
    return alone
