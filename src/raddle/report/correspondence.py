"""Matches the sites of two data files even if the source has changed in between.

Site numbers start with a digest of the file, so every edit to a file changes the numbers of all its sites. Files are
matched by name and functions by qualified name. Within a function, sites are aligned as `diff` aligns lines. If both
sources can still be read, sites with the same line text, operation and name are aligned first, then sites with the same
operation and name. A site without a counterpart counts as removed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from difflib import SequenceMatcher
from operator import itemgetter
from typing import TypeVar

from raddle.report.source import Sources
from raddle.site import INDEX_BITS, Site
from raddle.store.contents import Contents

T = TypeVar("T")
Placed = tuple[int, int, int, Site]  # (line, column, site number, site)
_LINE = re.compile(r"(?P<file>.+):(?P<line>\d+)")


class Correspondence:
    """Maps the sites of `before` to those of `after`."""

    def __init__(self, before: Contents, after: Contents) -> None:
        self._before, self._after = before, after
        self._old, self._new = _digests(before), _digests(after)
        self.changed = frozenset(
            label for label, digests in self._old.items() if label in self._new and not digests <= self._new[label]
        )
        self._sources = Sources(before), Sources(after)
        self._sites: dict[int, int] = {}
        self._lines: dict[str, dict[int, int]] = {}
        placed = _by_file(before, self.changed), _by_file(after, self.changed)
        for label in sorted(self.changed):
            self._align(label, *(some.get(label, []) for some in placed))

    def site(self, number: int) -> int | None:
        """Return the new number of a site, or None if the site was removed.

        In unchanged files, sites keep their numbers.
        """
        site = self._before.sites.get(number)
        if site is None or site.file not in self.changed or number in self._after.sites:
            return number
        return self._sites.get(number)

    def text(self, text: str) -> str:
        """Return the counterpart of a text in a requirement.

        A creation site such as "log.py:12" moves with the nearest site.
        """
        match = _LINE.fullmatch(text)
        if match is None or match["file"] not in self._lines:
            return text
        lines, line = self._lines[match["file"]], int(match["line"])
        if not lines:
            return text
        near = min(lines, key=lambda known: (abs(known - line), known > line))
        return f"{match['file']}:{line + lines[near] - near}"

    def _align(self, label: str, before: list[Placed], after: list[Placed]) -> None:
        texts = [source.path(label) != "" for source in self._sources]
        new = _functions(after, self._new[label] - self._old[label] or self._new[label])
        lines = self._lines[label] = {}
        for function, sites in _functions(before, self._old[label] - self._new[label]).items():
            for old, now in self._aligned(sites, new.get(function, []), with_text=all(texts)):
                self._sites[old] = now
                lines.setdefault(self._before.sites[old].line, self._after.sites[now].line)

    def _aligned(self, old: list[int], now: list[int], *, with_text: bool) -> Iterator[tuple[int, int]]:
        """Yield pairs of matching site numbers. `old` and `now` are site numbers in source order."""
        contents = self._before, self._after

        # A key function takes a pair: a side (0 for before, 1 for after) and a site number.
        def operation(one: tuple[int, int]) -> Hashable:
            site = contents[one[0]].sites[one[1]]
            return site.kind, site.name

        def line(one: tuple[int, int]) -> Hashable:
            site = contents[one[0]].sites[one[1]]
            return operation(one), self._sources[one[0]].line(site.file, site.line)

        keys = [line, operation] if with_text else [operation]
        for (_, first), (_, second) in align([(0, number) for number in old], [(1, number) for number in now], keys):
            yield first, second


def align(before: Sequence[T], after: Sequence[T], keys: Sequence[Callable[[T], Hashable]]) -> Iterator[tuple[T, T]]:
    """Yield pairs of elements with equal first keys, in order, and align the gaps between the pairs by the next key.

    >>> list(align("abXc", "aYbxc", [str, str.lower]))
    [('a', 'a'), ('b', 'b'), ('X', 'x'), ('c', 'c')]
    """
    if not keys or not before or not after:
        return
    key, *others = keys
    matcher = SequenceMatcher(None, [key(one) for one in before], [key(one) for one in after], autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag == "equal":
            yield from zip(before[start:end], after[other_start:other_end], strict=True)
        else:
            yield from align(before[start:end], after[other_start:other_end], others)


def _digests(contents: Contents) -> dict[str, set[int]]:
    digests = defaultdict(set)
    for label, digest in contents.files:
        if digest:
            digests[label].add(digest)
    return dict(digests)


def _by_file(contents: Contents, labels: frozenset[str]) -> dict[str, list[Placed]]:
    found: dict[str, list[Placed]] = {}
    for number, site in contents.sites.items():
        if site.file in labels:
            found.setdefault(site.file, []).append((site.line, site.column, number, site))
    return found


def _functions(placed: list[Placed], digests: Set[int]) -> dict[str, list[int]]:
    """Map each function to its sites in source order."""
    functions: dict[str, list[int]] = {}
    for _, _, number, site in sorted(placed, key=itemgetter(0, 1, 2)):
        if number >> INDEX_BITS in digests:
            functions.setdefault(site.function, []).append(number)
    return functions
