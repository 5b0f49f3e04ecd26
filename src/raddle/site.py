"""A site: an operation in the source that a probe observes."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

# The number of a site is derived from the source of its module, so it is the same in every process and on every
# machine. The upper bits are the digest of the module; the lower bits are the index of the site within it.
INDEX_BITS = 16
MAX_SITES = 1 << INDEX_BITS  # maximum number of sites per module


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the source, and the operation that happens there.

    >>> Site("counter.py", 6, 8, "write", "value", "Counter.increment", switchable=False).place
    'counter.py:6 write value'
    """

    file: str  # path relative to the project, such as "src/package/module.py"; the same on every machine
    line: int
    column: int
    kind: str  # read, write, delete, call, enter, leave, block
    name: str  # the variable as written in the source; "items[]" is the content of a container
    function: str  # qualified name of the enclosing function; "<module>" outside of functions
    switchable: bool  # whether CPython with the GIL can switch threads between the previous access and this one
    is_ambiguous: bool = field(default=False, compare=False)  # whether another site on the same line has the same text

    @property
    def at(self) -> str:
        """The location, such as "counter.py:6", with the column if the site is ambiguous."""
        return f"{self.file}:{self.line}" + (f":{self.column + 1}" if self.is_ambiguous else "")

    @property
    def place(self) -> str:
        """The site as written in schedules."""
        return f"{self.file}:{self.line} {self.kind}" + (f" {self.name}" if self.name else "")


def where(number: int, sites: Mapping[int, Site]) -> str:
    """Return the location of a site as a phrase for use in a sentence.

    >>> where(0, {})
    'in code without probes'
    """
    site = sites.get(number)
    return f"at {site.at}" if site is not None else "in code without probes"


def disambiguated(sites: Mapping[int, Site]) -> dict[int, Site]:
    """Return the sites, with `is_ambiguous` set for those that differ only in their columns.

    >>> one, other = (Site("bank.py", 9, column, "read", "n", "f", switchable=True) for column in (11, 20))
    >>> [site.at for site in disambiguated({70001: one, 70002: other}).values()], disambiguated({70001: one})[70001].at
    (['bank.py:9:12', 'bank.py:9:21'], 'bank.py:9')
    """
    texts = {n: (n >> INDEX_BITS, site.line, site.kind, site.name) for n, site in sites.items()}
    counts = Counter(texts.values())
    return {n: replace(site, is_ambiguous=True) if counts[texts[n]] > 1 else site for n, site in sites.items()}


# Folders of installed packages, whose paths differ between machines.
INSTALLED = frozenset({"site-packages", "dist-packages"})


def path_from(root: str, path: str) -> str:
    """Return a file's path relative to a folder, with slashes; "" if outside the folder or in an installed package.

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
    """Return `os.path.realpath(path)`, cached to avoid disk access."""
    return os.path.realpath(path)


class SiteTable:
    """All sites of all instrumented modules, by number. File names are relative to the folder `root`, if given."""

    def __init__(self, root: str = "") -> None:
        self.root = root
        self._sites: dict[int, Site] = {}
        self._paths: dict[str, str] = {}  # maps the file name in sites to the path on this machine
        self.labels: dict[str, str] = {}  # maps the path of an instrumented file to its name in sites
        self.memo: object = None  # cache for data that other modules derive from the sites

    def add(self, base: int, sites: tuple[Site, ...], *, file: str, path: str) -> None:
        """Add the sites of a module; adding the same module again has no effect."""
        self._paths[file] = path
        self.labels[path] = file
        for number, site in enumerate(sites, base):
            self._enter(number, site)

    def _enter(self, number: int, site: Site) -> None:
        known = self._sites.setdefault(number, site)
        if known != site:
            raise RuntimeError(f"site number {number} is used for both {known} and {site}")

    def add_all(self, other: SiteTable) -> None:
        """Add all sites of another table."""
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
        """Return the path of a file on this machine, given its name in sites."""
        return self._paths.get(file, file)

    def paths(self) -> dict[str, str]:
        """Return a dictionary that maps the file names in sites to paths on this machine."""
        return dict(self._paths)

    def label(self, path: str) -> str:
        """Return the name that sites use for a file on this machine."""
        known = self.labels.get(path)
        if known is None:
            known = (path_from(self.root, path) if self.root else "") or os.path.basename(path)
        return known
