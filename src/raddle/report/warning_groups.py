"""Warning groups: one line per variable, however many checks warn about it.

A lost update breaks several rules at once: two accesses race, no lock guards them, and a block that should be atomic is
interrupted. Reports for humans show one line about the variable. JSON, SARIF and the data file keep every warning
separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from raddle.checks.warning_texts import brief, warning_sentence
from raddle.site import INDEX_BITS, Site
from raddle.store.contents import Contents
from raddle.warning import DATA_RACE, LOCKSET, UNSERIALIZABLE, ReportedWarning

ABOUT_VARIABLES = (DATA_RACE, UNSERIALIZABLE, LOCKSET)  # kinds that can share a group, most informative first
MAX_ALSO = 3  # maximum number of further warnings that the line for a group mentions


@dataclass(frozen=True, slots=True)
class WarningGroup:
    """Warnings with the same cause: the most informative sentence, and short phrases for the others."""

    sentence: str
    also: tuple[str, ...] = ()
    sites: tuple[int, ...] = field(default=(), compare=False)  # the sites that the sentence names

    def __str__(self) -> str:
        """
        >>> str(WarningGroup("`n` is written at m.py:6 by several threads", ("no lock is held",)))
        '`n` is written at m.py:6 by several threads; also: no lock is held'
        """
        left_out = len(self.also) - MAX_ALSO
        phrases = [*self.also[:MAX_ALSO], *([f"{left_out:,} more (-v lists them)"] if left_out > 0 else [])]
        return f"{self.sentence}; also: {'; '.join(phrases)}" if phrases else self.sentence


def distinct_warnings(contents: Contents) -> list[tuple[ReportedWarning, str]]:
    """Return each sentence once, with the first warning that it describes.

    Warnings about two accesses on the same line have the same sentence.

    >>> race = ReportedWarning("data-race", "Log.th", (70001, 70002))
    >>> len(distinct_warnings(Contents(warnings=(race, race))))
    1
    """
    first: dict[str, ReportedWarning] = {}
    for warning in contents.warnings:
        first.setdefault(warning_sentence(warning, contents.sites), warning)
    return [(warning, sentence) for sentence, warning in first.items()]


def group_warnings(warnings: Iterable[ReportedWarning], sites: Mapping[int, Site]) -> tuple[WarningGroup, ...]:
    """Return one group per variable, in the order in which the variables first appear.

    Variables with the same name count as one variable if the same module accesses them.
    Potential deadlocks are never grouped.
    """
    groups: list[tuple[str, set[int], list[ReportedWarning]]] = []  # (variable, modules that access it, warnings)
    for warning in warnings:
        modules = {site >> INDEX_BITS for site in warning.sites}
        for subject, touching, members in groups if warning.kind in ABOUT_VARIABLES else ():
            if subject == warning.subject and touching & modules and members[0].kind in ABOUT_VARIABLES:
                members.append(warning)
                touching |= modules
                break
        else:
            groups.append((warning.subject, modules, [warning]))
    return tuple(dict.fromkeys(_group(members, sites) for _, _, members in groups))


def _group(members: list[ReportedWarning], sites: Mapping[int, Site]) -> WarningGroup:
    """Return a group, with the most informative warning first.

    Then come one warning of each other kind and, after those, the remaining warnings.
    """
    first, *rest = sorted(members, key=_rank)
    mentioned = Counter([first.kind])
    order = {}
    for warning in rest:
        order[warning] = mentioned[warning.kind]
        mentioned[warning.kind] += 1
    rest.sort(key=order.__getitem__)
    phrases = dict.fromkeys(
        brief(warning, sites) for warning in rest if warning_sentence(warning, sites) != warning_sentence(first, sites)
    )
    return WarningGroup(warning_sentence(first, sites), tuple(phrases), first.sites)


def _rank(warning: ReportedWarning) -> int:
    return ABOUT_VARIABLES.index(warning.kind) if warning.kind in ABOUT_VARIABLES else 0
