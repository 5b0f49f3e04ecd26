"""A site: one place in the source where something observable may happen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

# Site numbers are made from what they name, so that the same place has the same number in every
# process and on every machine: the digest of its module in the upper bits, its index in the lower.
INDEX_BITS = 16
MOST_SITES = 1 << INDEX_BITS


@dataclass(frozen=True, slots=True)
class Site:
    """Where, and what happens there.

    >>> Site("counter.py", 6, 8, "write", "value", "Counter.increment", switchable=False).place
    'counter.py:6 write value'
    """

    file: str  # as in the import system, "package/module.py": the same on every machine
    line: int
    column: int
    kind: str  # read, write, delete, call, enter, leave, block
    name: str  # the variable as the source writes it; "items[]" is the content of a container
    function: str  # qualified name of the function around it, "<module>" outside of any
    switchable: bool  # may CPython with the GIL switch threads between the access before and this one?

    @property
    def place(self) -> str:
        """How a schedule names this site."""
        return f"{self.file}:{self.line} {self.kind}" + (f" {self.name}" if self.name else "")


class SiteTable:
    """Every site of every instrumented module, by number."""

    def __init__(self) -> None:
        self._sites: dict[int, Site] = {}
        self._paths: dict[str, str] = {}
        self._labels: dict[str, str] = {}

    def add(self, base: int, sites: tuple[Site, ...], *, file: str, path: str) -> None:
        """Enter a module's sites; entering the same module again changes nothing."""
        self._paths[file] = path
        self._labels[path] = file
        for index, site in enumerate(sites):
            known = self._sites.setdefault(base + index, site)
            if known != site:
                raise RuntimeError(f"site number {base + index} stands for both {known} and {site}")

    def __getitem__(self, number: int) -> Site:
        return self._sites[number]

    def __contains__(self, number: int) -> bool:
        return number in self._sites

    def __iter__(self) -> Iterator[int]:
        return iter(self._sites)

    def __len__(self) -> int:
        return len(self._sites)

    def path(self, file: str) -> str:
        """The file on this machine that a site's `file` names."""
        return self._paths.get(file, file)

    def paths(self) -> dict[str, str]:
        """The files of this machine, by the names that sites give them."""
        return dict(self._paths)

    def label(self, path: str) -> str:
        """How sites name a file of this machine."""
        return self._labels.get(path) or os.path.basename(path)
