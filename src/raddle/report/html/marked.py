"""A file's lines with marks at its sites: what a source page shows before anything is selected."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from raddle.operation import BLOCK, LEAVE
from raddle.report.html.meetings import Part
from raddle.report.html.source import Source, functions
from raddle.report.source import AS_MEASURED
from raddle.site import Site

ALL, SOME, NONE, QUIET = "all", "some", "none", "quiet"  # of what a site can take part in: how much was covered
SIGNS = {ALL: "●", SOME: "◐", NONE: "○", QUIET: "·"}
MEANINGS = {
    ALL: "everything that is known to be possible here was covered",
    SOME: "something was covered here, something not",
    NONE: "nothing was covered here yet",
    QUIET: "watched, but it met nothing",
}
MAX_LINES = 10_000  # of a file; each takes about 100 characters of its page
MAX_CHARACTERS = 600_000  # of a file
LONGEST_LINE = 2_000  # characters of a line; what stands further on is named behind it

_WORD = re.compile(r"@?\w+(?:\.\w+)*")
_BARE = frozenset({LEAVE, BLOCK})  # sites that stand for no text of their own


@dataclass(frozen=True, slots=True)
class Mark:
    """Sites that stand in one place."""

    text: str
    sites: tuple[int, ...]  # numbered as in the report
    status: str
    label: str  # for those who hear it
    then: bool = False  # is its text ours, as nobody can point at what was measured?


@dataclass(frozen=True, slots=True)
class Line:
    """One line of source."""

    number: int
    pieces: tuple[str | Mark, ...]
    status: str = ""  # "" where nothing is watched
    probed: bool = True  # False in functions that were left as they are
    run: bool = True  # False where a block begins that no execution ran


def marked_lines(
    source: Source,
    sites: Mapping[int, Site],
    parts: Mapping[int, Part],
    *,
    numbers: Mapping[int, int],
    unrun: Iterable[int] = (),
) -> list[Line]:
    """All lines of a file; `sites` are those of the file, `unrun` the lines with blocks that never ran.

    Columns mean something only in the source that was measured. What was measured in another one is named behind the
    line that has its number now; where there is no such line, or no source at all, it has a line for itself.
    """
    by_line: dict[int, list[int]] = defaultdict(list)
    for number, site in sites.items():
        if site.kind not in _BARE or number in parts:
            by_line[site.line].append(number)
    unrun, left_alone = set(unrun), _left_alone(source, sites)
    marker = _Marker(source, sites, parts, numbers)
    lines = _shown(source.lines)
    lines += [(line, "") for line in sorted(by_line) if line > len(source.lines)][: MAX_LINES - len(lines)]
    return [
        Line(
            number,
            marker.pieces(text, by_line.get(number, ())),
            status_of(parts.get(site) for site in by_line[number]) if number in by_line else "",
            probed=number not in left_alone,
            run=number not in unrun,
        )
        for number, text in lines
    ]


def _shown(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The first of them, as far as a page goes."""
    shown, characters = [], 0
    for number, text in enumerate(lines[:MAX_LINES], 1):
        characters += min(len(text), LONGEST_LINE)
        if characters > MAX_CHARACTERS:
            break
        shown.append((number, text))
    return shown


def status_of(parts: Iterable[Part | None]) -> str:
    """How much of what sites take part in was covered.

    >>> status_of([Part(), None])
    'quiet'
    """
    covered = missing = 0
    for part in parts:
        if part is not None:
            some, others = part.counts
            covered, missing = covered + some, missing + others
    if not covered and not missing:
        return QUIET
    return ALL if not missing else SOME if covered else NONE


class _Marker:
    """Makes the marks of one file."""

    def __init__(
        self, source: Source, sites: Mapping[int, Site], parts: Mapping[int, Part], numbers: Mapping[int, int]
    ) -> None:
        self._source, self._sites, self._parts, self._numbers = source, sites, parts, numbers

    def pieces(self, text: str, some: Iterable[int]) -> tuple[str | Mark, ...]:
        """A line with its marks; first those that can be pointed at."""
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
        pieces += [text[end:], *self._named(elsewhere, after="  " if text else "")]
        return tuple(piece for piece in pieces if piece)

    def _named(self, some: Iterable[int], after: str) -> Iterator[str | Mark]:
        """What happens in a line, each by a phrase of its own, in the order of the columns that it had."""
        phrases: dict[str, list[int]] = defaultdict(list)
        for site in sorted(some, key=lambda site: (self._sites[site].column, site)):
            phrases[self._said(site) if self._sites[site].name else self._in_function(site)].append(site)
        for phrase, sites in phrases.items():
            yield after
            yield self._mark(phrase, sites, then=True)
            after = ", "

    def _said(self, site: int) -> str:
        return f"{self._sites[site].kind} {self._sites[site].name}".strip()

    def _in_function(self, site: int) -> str:
        """Entering and leaving have no name in the source; without it, nobody would see of what."""
        return f"{self._sites[site].kind} {self._sites[site].function}"

    def _mark(self, text: str, some: Iterable[int], *, then: bool = False) -> Mark:
        parts = self._parts
        told = sorted(some, key=lambda site: (-sum(parts[site].counts) if site in parts else 0, site))
        said = " and ".join(dict.fromkeys(map(self._said, told)))
        status = status_of(parts.get(site) for site in told)
        return Mark(text, tuple(self._numbers[site] for site in told), status, f"{said}: {MEANINGS[status]}", then)


def _spans(text: str, columns: Mapping[int, Sequence[int]]) -> list[tuple[int, int, list[int]]]:
    """Where marks begin and end, and their sites; what begins within another mark is part of it.

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
    """The parser counts bytes.

    >>> _characters("é = x", 5)
    4
    """
    if line.isascii():
        return min(column, len(line))
    return len(line.encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))


def _left_alone(source: Source, sites: Mapping[int, Site]) -> set[int]:
    """Lines of functions without a single site; sites within tell that it, or what is in it, was instrumented.

    Of a source that was not measured nobody knows.
    """
    if source.state != AS_MEASURED:
        return set()
    watched = {site.line for number, site in sites.items() if site.kind != BLOCK and source.has(number)}
    alone: set[int] = set()
    for first, _, last in functions(source.lines):
        if watched.isdisjoint(range(first, last + 1)):
            alone.update(range(first, last + 1))
    return alone
