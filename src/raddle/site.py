"""A site: one place in the source where something observable may happen."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

# Site numbers are made from what they name, so that the same place has the same number in every
# process and on every machine: the digest of its module in the upper bits, its index in the lower.
INDEX_BITS = 16
MAX_SITES = 1 << INDEX_BITS


@dataclass(frozen=True, slots=True)
class Site:
    """Where, and what happens there.

    >>> Site("counter.py", 6, 8, "write", "value", "Counter.increment", switchable=False).place
    'counter.py:6 write value'
    """

    file: str  # its path from the project's folder, "src/package/module.py": the same on every machine
    line: int
    column: int
    kind: str  # read, write, delete, call, enter, leave, block
    name: str  # the variable as the source writes it; "items[]" is the content of a container
    function: str  # qualified name of the function around it, "<module>" outside of any
    switchable: bool  # may CPython with the GIL switch threads between the access before and this one?
    is_ambiguous: bool = field(default=False, compare=False)  # are there others on its line that look just like it?

    @property
    def at(self) -> str:
        """Where it is, for people: "counter.py:6"; with its column if there are others like it on the line."""
        return f"{self.file}:{self.line}" + (f":{self.column + 1}" if self.is_ambiguous else "")

    @property
    def place(self) -> str:
        """How a schedule names this site."""
        return f"{self.file}:{self.line} {self.kind}" + (f" {self.name}" if self.name else "")


def where(number: int, sites: Mapping[int, Site]) -> str:
    """Return where a site is.

    >>> where(0, {})
    'in code without probes'
    """
    site = sites.get(number)
    return f"at {site.at}" if site is not None else "in code without probes"


def disambiguated(sites: Mapping[int, Site]) -> dict[int, Site]:
    """The same sites; those that look alike on one line tell their columns.

    >>> one, other = (Site("bank.py", 9, column, "read", "n", "f", switchable=True) for column in (11, 20))
    >>> [site.at for site in disambiguated({70001: one, 70002: other}).values()], disambiguated({70001: one})[70001].at
    (['bank.py:9:12', 'bank.py:9:21'], 'bank.py:9')
    """
    looks = {n: (n >> INDEX_BITS, site.line, site.kind, site.name) for n, site in sites.items()}
    alike = Counter(looks.values())
    return {n: replace(site, is_ambiguous=True) if alike[looks[n]] > 1 else site for n, site in sites.items()}


INSTALLED = frozenset({"site-packages", "dist-packages"})  # folders whose files have other paths on other machines


def path_from(root: str, path: str) -> str:
    """The path of a file from a folder, with slashes; "" if it is not there, or installed there.

    >>> path_from("/home/me/shop", "/home/me/shop/tools/util.py"), path_from("/home/me/shop", "/home/me/util.py")
    ('tools/util.py', '')
    """
    real, folder = real_path(path), real_path(root).rstrip(os.sep) + os.sep
    if not real.startswith(folder):
        return ""
    parts = real[len(folder) :].split(os.sep)
    return "/".join(parts) if INSTALLED.isdisjoint(parts) else ""


@functools.lru_cache(maxsize=10_000)
def real_path(path: str) -> str:
    """Return what `os.path.realpath` does, asking the disk once for each file."""
    return os.path.realpath(path)


class SiteTable:
    """Every site of every instrumented module, by number. Files are named from the folder `root`, if there is one."""

    def __init__(self, root: str = "") -> None:
        self.root = root
        self._sites: dict[int, Site] = {}
        self._paths: dict[str, str] = {}
        self.labels: dict[str, str] = {}  # by path: how sites name an instrumented file
        self.memo: object = None  # for whoever finds something out about the sites, and would have to again and again

    def add(self, base: int, sites: tuple[Site, ...], *, file: str, path: str) -> None:
        """Enter a module's sites; entering the same module again changes nothing."""
        self._paths[file] = path
        self.labels[path] = file
        for number, site in enumerate(sites, base):
            self._enter(number, site)

    def _enter(self, number: int, site: Site) -> None:
        known = self._sites.setdefault(number, site)
        if known != site:
            raise RuntimeError(f"site number {number} stands for both {known} and {site}")

    def add_all(self, other: SiteTable) -> None:
        """Enter everything that another table knows."""
        self._paths.update(other._paths)
        self.labels.update(other.labels)
        for number, site in other._sites.items():
            self._enter(number, site)

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
        known = self.labels.get(path)
        if known is None:
            known = (path_from(self.root, path) if self.root else "") or os.path.basename(path)
        return known
