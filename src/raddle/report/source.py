"""Finds the measured source files on this machine, and checks whether they have changed since they were measured."""

from __future__ import annotations

import linecache
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from raddle.store.changed import digests_now
from raddle.store.contents import Contents

AS_MEASURED, CHANGED, MISSING = "as measured", "changed", "missing"
MAX_NAMED = 10  # maximum number of files that have their own note
_SEVERAL_VERSIONS = "several versions"
_NOTES = {  # maps a state to the note on a named file and the note that counts further files
    CHANGED: (
        "{} has changed since it was measured: line numbers refer to the measured version",
        "further files that have changed since they were measured: {:,}",
    ),
    MISSING: (
        "{} no longer exists: line numbers refer to the measured version",
        "further files that no longer exist: {:,}",
    ),
    _SEVERAL_VERSIONS: (
        "{} was measured in several versions: some line numbers refer to a version other than the current one",
        "further files that were measured in several versions: {:,}",
    ),
}


@dataclass(frozen=True, slots=True)
class CurrentFile:
    """A measured file as it is on disk now."""

    path: str = ""  # current path; if the file is missing, its path when it was measured
    state: str = MISSING
    digests: frozenset[int] = frozenset()  # digests of the measured versions that match the current file


class Sources:
    """The source files that a data file names.

    A file from another machine is looked up by its label, relative to the current folder.

    >>> Sources(Contents(paths={"shop.py": "/home/elsewhere/shop.py"})).line("shop.py", 3)
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
        self._found: dict[str, CurrentFile] = {}

    def found(self, label: str) -> CurrentFile:
        """Return the file on disk: an unchanged copy if any, else a changed copy, else a file marked as missing."""
        if label not in self._found:
            there = [self._inspect(label, path) for path in (self._paths.get(label, ""), label) if _is_file(path)]
            same = [one for one in there if one.state == AS_MEASURED]
            self._found[label] = next(iter(same or there), CurrentFile(self._paths.get(label, "")))
        return self._found[label]

    def path(self, label: str, digests: Collection[int] = ()) -> str:
        """Return the path of the file, or "" if the file is missing or has changed.

        A file may have been measured in more than one version. `digests` selects versions; by default, all versions are
        selected. The file on disk must match every selected version. Otherwise, line numbers would be misleading.
        """
        found = self.found(label)
        wanted = set(digests) or self._digests.get(label, set())
        return found.path if found.state == AS_MEASURED and wanted <= found.digests else ""

    def line(self, label: str, number: int) -> str:
        """Return a line of the file, stripped, or "" if the measured version is not available."""
        path = self.path(label)
        return linecache.getline(path, number).strip() if path else ""

    def versions(self, label: str, origin: str) -> frozenset[int]:
        """Return the digests of a file in the runs of one origin, or all its digests if no such run measured it."""
        return frozenset(self._by_origin.get((origin, label)) or self._digests.get(label) or ())

    def notes(self) -> tuple[str, ...]:
        """Return notes on the files that differ from their measured versions; files without a digest are skipped."""
        labels: dict[str, list[str]] = {kind: [] for kind in _NOTES}
        for label in sorted(self._digests):
            found = self.found(label)
            if found.state != AS_MEASURED:
                labels[found.state].append(label)
            elif not self._digests[label] <= found.digests:
                labels[_SEVERAL_VERSIONS].append(label)
        return tuple(note for kind, some in labels.items() for note in _notes(kind, some))

    def _inspect(self, label: str, path: str) -> CurrentFile:
        wanted = self._digests.get(label)
        if wanted is None:
            return CurrentFile(path, AS_MEASURED)
        same = frozenset(wanted & digests_now(label, path))
        return CurrentFile(path, AS_MEASURED if same else CHANGED, same)


def _notes(kind: str, labels: Sequence[str]) -> Iterator[str]:
    one, more = _NOTES[kind]
    yield from map(one.format, labels[:MAX_NAMED])
    if len(labels) > MAX_NAMED:
        yield more.format(len(labels) - MAX_NAMED)


def _is_file(path: str) -> bool:
    try:
        return bool(path) and os.path.isfile(path)
    except ValueError:  # the name contains a NUL character
        return False


def notes_of(contents: Contents) -> tuple[str, ...]:
    """Return the notes of a data file, followed by notes on source files that have changed or are missing.

    >>> notes_of(Contents(notes=("no threads were started",)))
    ('no threads were started',)
    """
    return (*contents.notes, *Sources(contents).notes())
