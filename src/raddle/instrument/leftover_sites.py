"""What stays probed when an instrumentation ends: its sites, for the next one that meets it.

Modules that were imported meanwhile keep their probed code, and so do functions that `dataclass` wrote meanwhile.
"""

from __future__ import annotations

from raddle.site import Site, SiteTable

_left: dict[str, dict[int, tuple[tuple[Site, ...], str, str]]] = {}  # by module and base: sites, file and path


def leave(module: str, base: int, sites: tuple[Site, ...], *, file: str, path: str) -> None:
    """Code of the module has these sites, for good."""
    _left.setdefault(module, {})[base] = sites, file, path


def enter_left(module: str, table: SiteTable) -> None:
    """Enter what was left in a module."""
    for base, (sites, file, path) in _left.get(module, {}).items():
        table.add(base, sites, file=file, path=path)
