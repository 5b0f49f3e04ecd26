"""The covered and uncovered requirements of each site, by criterion.

A requirement belongs to every site that it names. Pages list a limited number of requirements per site, a few of each
criterion, and state how many more there are.
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

MAX_OF_SITE = 40  # maximum number of covered requirements listed per site; the same limit applies to uncovered ones
MAX_OF_FILE = 5_000  # maximum number of requirements listed in the data of one page
MAX_SITES_NAMED = 12  # maximum number of sites per requirement; an order of all accesses can name hundreds


@dataclass(frozen=True, slots=True)
class RequirementAtSite:
    """A requirement with the sites that it names."""

    criterion: str
    key: Key
    sites: tuple[int, ...]  # each site once, in key order
    seen: Covered | None  # None if the requirement is not covered


@dataclass(slots=True)
class SiteCoverage:
    """The covered and uncovered requirements of one site."""

    covered: dict[str, list[RequirementAtSite]] = field(default_factory=dict)  # maps a criterion to requirements
    missing: dict[str, list[RequirementAtSite]] = field(default_factory=dict)
    # Sites that this site interacted with across threads. A site can interact with itself.
    partners: set[int] = field(default_factory=set)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of covered and uncovered requirements."""
        return sum(map(len, self.covered.values())), sum(map(len, self.missing.values()))


class SiteRequirements:
    """The requirements of all sites."""

    def __init__(
        self, contents: Contents, rows: Iterable[Row], *, criteria: Mapping[str, Criterion] | None = None
    ) -> None:
        self.by_site: dict[int, SiteCoverage] = {}
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

    def pattern(self, requirement: RequirementAtSite) -> str:
        """Return the requirement's pattern, for example 'A reads x, B writes x, A reads x', or "" if it has none."""
        return self.criteria[requirement.criterion].pattern(requirement.key)

    def sentence(self, requirement: RequirementAtSite) -> str:
        """Return the requirement as a clause."""
        return self._sentences[requirement.criterion].explain(requirement.key)

    def _add(self, criterion: Criterion, key: Key, seen: Covered | None) -> None:
        name = criterion.name
        sites = tuple(dict.fromkeys(Requirement(criterion.shape, key).sites)) or (criterion.home(key),)
        requirement = RequirementAtSite(name, key, sites[:MAX_SITES_NAMED], seen)
        for site in requirement.sites:
            if site not in self._contents.sites:
                continue
            coverage = self.by_site.get(site)
            if coverage is None:
                coverage = self.by_site[site] = SiteCoverage()
            if seen is None:
                coverage.missing.setdefault(name, []).append(requirement)
            else:
                coverage.covered.setdefault(name, []).append(requirement)
        if seen is not None:
            for here, there in criterion.crossings(key):
                for one, other in ((here, there), (there, here)):
                    if one in self.by_site:
                        self.by_site[one].partners.add(other)


def _uncovered(row: Row, criterion: Criterion, contents: Contents, covered: Mapping[Key, Covered]) -> Iterable[Key]:
    if row.total.kind in (EXACT, ESTIMATED, UNKNOWN):
        return ()
    return (key for key in requirements(criterion, contents) or () if key not in covered)


def chosen(by_criterion: Mapping[str, list[RequirementAtSite]], limit: int) -> list[RequirementAtSite]:
    """Return up to `limit` requirements to list, a few of each criterion rather than many of one."""
    in_turn = (one for turn in zip_longest(*by_criterion.values()) for one in turn if one is not None)
    kept = [requirement for requirement, _ in zip(in_turn, range(limit), strict=False)]
    order = {name: place for place, name in enumerate(by_criterion)}
    return sorted(kept, key=lambda requirement: order[requirement.criterion])
