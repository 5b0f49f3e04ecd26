"""Keeps the sites of code that stays probed after its installation has ended, for the next installation.

Modules imported during an installation keep their probed code, and so do methods that `dataclass` generated for them.
"""

from __future__ import annotations

from raddle.site import Site, SiteTable

# Maps a module and a site base to the sites, the file and the path.
_leftover: dict[str, dict[int, tuple[tuple[Site, ...], str, str]]] = {}


def remember_leftover_sites(module: str, base: int, sites: tuple[Site, ...], *, file: str, path: str) -> None:
    """Remember the sites of code that stays probed in this module."""
    _leftover.setdefault(module, {})[base] = sites, file, path


def restore_leftover_sites(module: str, table: SiteTable) -> None:
    """Add the remembered sites of a module to the table."""
    for base, (sites, file, path) in _leftover.get(module, {}).items():
        table.add(base, sites, file=file, path=path)
