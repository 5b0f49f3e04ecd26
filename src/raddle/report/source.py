"""Where the source that was measured can still be read, on this machine and as it was then."""

from __future__ import annotations

import linecache
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from raddle.store.changed import digests_now
from raddle.store.contents import Contents

AS_MEASURED, CHANGED, MISSING = "as measured", "changed", "missing"
MAX_NAMED = 10  # files that have a note of their own
_IN_PART = "in part"
_NOTES = {  # of one file, and of those that are too many to be named
    CHANGED: ("{} has changed since it was measured: its lines are those of then", "{:,} more have changed, too"),
    MISSING: ("{} is not there any more: its lines are those of then", "{:,} more are not there any more, either"),
    _IN_PART: ("{} was measured with another source, too: lines of that are those of then", "{:,} more were, too"),
}


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it lies there now."""

    path: str = ""  # where it is; where it was, if it is not there
    state: str = MISSING
    digests: frozenset[int] = frozenset()  # of those that were measured: the ones that it still has


class Sources:
    """The files that a data file names. Another machine's are looked for under their names, from the current folder.

    >>> Sources(Contents(paths={"shop.py": "/home/nobody/shop.py"})).line("shop.py", 3)
    ''
    """

    def __init__(self, contents: Contents) -> None:
        self._paths = contents.paths
        self._digests: dict[str, set[int]] = {}
        for label, digest in contents.files:
            if digest:
                self._digests.setdefault(label, set()).add(digest)
        self._by_origin: dict[tuple[str, str], set[int]] = {}
        for run in contents.runs:
            for label, digest in run.files:
                if digest:
                    self._by_origin.setdefault((run.origin, label), set()).add(digest)
        self._found: dict[str, Found] = {}

    def found(self, label: str) -> Found:
        """What there is of it: as it was measured if that is anywhere, else whatever has its place now."""
        if label not in self._found:
            there = [self._look(label, path) for path in (self._paths.get(label, ""), label) if _is_file(path)]
            same = [one for one in there if one.state == AS_MEASURED]
            self._found[label] = next(iter(same or there), Found(self._paths.get(label, "")))
        return self._found[label]

    def path(self, label: str, digests: Collection[int] = ()) -> str:
        """Where the file lies; "" where it is not to be had, or has changed since: its lines would mislead.

        A label may have been measured in several versions. `digests` are those that are asked about, or all of them:
        where one of them is not what lies there now, nobody knows whose line it would be.
        """
        found = self.found(label)
        wanted = set(digests) or self._digests.get(label, set())
        return found.path if found.state == AS_MEASURED and wanted <= found.digests else ""

    def line(self, label: str, number: int) -> str:
        """A line of it, without the spaces around it; "" where it cannot be read."""
        path = self.path(label)
        return linecache.getline(path, number).strip() if path else ""

    def versions(self, label: str, origin: str) -> frozenset[int]:
        """Digests of the file in the runs of one origin; all of them where no such run tells."""
        return frozenset(self._by_origin.get((origin, label)) or self._digests.get(label) or ())

    def notes(self) -> tuple[str, ...]:
        """What has to be said of files that are not what was measured; of those without sites no line is ever told."""
        labels: dict[str, list[str]] = {kind: [] for kind in _NOTES}
        for label in sorted(self._digests):
            found = self.found(label)
            if found.state != AS_MEASURED:
                labels[found.state].append(label)
            elif not self._digests[label] <= found.digests:
                labels[_IN_PART].append(label)
        return tuple(note for kind, some in labels.items() for note in _notes(kind, some))

    def _look(self, label: str, path: str) -> Found:
        wanted = self._digests.get(label)
        if wanted is None:
            return Found(path, AS_MEASURED)
        same = frozenset(wanted & digests_now(label, path))
        return Found(path, AS_MEASURED if same else CHANGED, same)


def _notes(kind: str, labels: Sequence[str]) -> Iterator[str]:
    one, more = _NOTES[kind]
    yield from map(one.format, labels[:MAX_NAMED])
    if len(labels) > MAX_NAMED:
        yield more.format(len(labels) - MAX_NAMED)


def _is_file(path: str) -> bool:
    try:
        return bool(path) and os.path.isfile(path)
    except ValueError:  # a NUL in its name
        return False


def notes_of(contents: Contents) -> tuple[str, ...]:
    """What people should know about the data, and which sources are not those of today.

    >>> notes_of(Contents(notes=("nobody was there",)))
    ('nobody was there',)
    """
    return (*contents.notes, *Sources(contents).notes())
