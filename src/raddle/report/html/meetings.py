"""Meetings: what each site takes part in, covered or not, by every criterion.

A requirement names sites; a site that it names takes part in it. Where there are more than anybody reads, each site
keeps the first of each kind, those of criteria that say most about meetings first, and says how many more there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest

from raddle.criteria.base import Criterion
from raddle.criteria.sentences import Sentences
from raddle.report.coverage import Row, criterion_of, requirements
from raddle.requirement import Requirement
from raddle.store.contents import Contents
from raddle.tally import ESTIMATED, EXACT, UNKNOWN, Covered, Key

MAX_OF_SITE = 40  # sentences of one kind that a site has
MAX_OF_FILE = 5_000  # sentences that the data of one page has
MAX_SITES_NAMED = 12  # by a requirement; the orders of all accesses name hundreds


@dataclass(frozen=True, slots=True)
class Meeting:
    """A requirement; `seen` is None where it was not covered."""

    criterion: str
    key: Key
    sites: tuple[int, ...]  # each once, in the order of the key
    seen: Covered | None


@dataclass(slots=True)
class Part:
    """What one site takes part in."""

    covered: dict[str, list[Meeting]] = field(default_factory=dict)  # by criterion
    missing: dict[str, list[Meeting]] = field(default_factory=dict)
    met: set[int] = field(default_factory=set)  # sites that another thread was at; it may be itself

    @property
    def counts(self) -> tuple[int, int]:
        """Covered, and missing."""
        return sum(map(len, self.covered.values())), sum(map(len, self.missing.values()))


class Meetings:
    """All of them."""

    def __init__(
        self, contents: Contents, rows: Iterable[Row], *, criteria: Mapping[str, Criterion] | None = None
    ) -> None:
        self.parts: dict[int, Part] = {}
        self.criteria: dict[str, Criterion] = {}
        self._contents = contents
        self._sentences: dict[str, Sentences] = {}
        for row in rows:
            criterion = criterion_of(row.name, contents, criteria)
            if criterion is None:
                continue
            self.criteria[row.name] = criterion
            covered = contents.tally.covered.get(row.name, {})
            for key, seen in covered.items():
                self._add(criterion, key, seen)
            missing = list(_uncovered(row, criterion, contents, covered))
            for key in missing:
                self._add(criterion, key, None)
            self._sentences[row.name] = Sentences(criterion, contents.sites, among=[*covered, *missing])

    def pattern(self, meeting: Meeting) -> str:
        """The requirement's pattern in full, 'A reads x, B writes x, A reads x'; "" if it has none."""
        return self.criteria[meeting.criterion].pattern(meeting.key)

    def sentence(self, meeting: Meeting) -> str:
        """The requirement, as a clause."""
        return self._sentences[meeting.criterion].explain(meeting.key)

    def _add(self, criterion: Criterion, key: Key, seen: Covered | None) -> None:
        name = criterion.name
        sites = tuple(dict.fromkeys(Requirement(criterion.shape, key).sites)) or (criterion.home(key),)
        meeting = Meeting(name, key, sites[:MAX_SITES_NAMED], seen)
        for site in meeting.sites:
            if site not in self._contents.sites:
                continue
            part = self.parts.get(site)
            if part is None:
                part = self.parts[site] = Part()
            if seen is None:
                part.missing.setdefault(name, []).append(meeting)
            else:
                part.covered.setdefault(name, []).append(meeting)
        if seen is not None:
            for here, there in criterion.crossings(key):
                for one, other in ((here, there), (there, here)):
                    if one in self.parts:
                        self.parts[one].met.add(other)


def _uncovered(row: Row, criterion: Criterion, contents: Contents, covered: Mapping[Key, Covered]) -> Iterable[Key]:
    if row.total.kind in (EXACT, ESTIMATED, UNKNOWN):
        return ()
    return (key for key in requirements(criterion, contents) or () if key not in covered)


def chosen(by_criterion: Mapping[str, list[Meeting]], most: int) -> list[Meeting]:
    """So many of them: those that are told, a few of each criterion rather than many of one."""
    in_turn = (one for turn in zip_longest(*by_criterion.values()) for one in turn if one is not None)
    kept = [meeting for meeting, _ in zip(in_turn, range(most), strict=False)]
    order = {name: place for place, name in enumerate(by_criterion)}
    return sorted(kept, key=lambda meeting: order[meeting.criterion])
