"""Numbers the sites of one module in evaluation order, and records where CPython can switch threads between them.

With the GIL, every supported version of CPython switches threads only at function entry, at a backward jump and after a
call. The rewriter walks the code in evaluation order. `SiteMaker.may_switch` is True if some path from the previous
probe to the current position contains such a switch point. Each new site stores the flag as `switchable` and resets it.
A switch is possible between two accesses if the site of the second access or *any* site between the two accesses is
switchable. Sites between them count even if they turn out to access nothing shared.

In case of doubt, the flag is True. Sites that often access nothing therefore do not reset it: the content of a local,
an in-place operator. The path to an object (`self.items` in `self.items[0]`) resets it, because no switch is possible
between the read that fetches the object and the access to its content. Operators on user-defined classes call
functions, whose entry is also a switch point. The flag need not account for these calls, because the functions have
their own sites.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from raddle.errors import RaddleError
from raddle.instrument.nodes import Place
from raddle.site import MAX_SITES, Site


class TooManySitesError(RaddleError):
    """A module has more sites than raddle can number."""

    def __init__(self, file: str) -> None:
        super().__init__(
            "too-many-sites",
            f"{file} has more than {MAX_SITES} sites to probe; split the file, or exclude parts of it "
            "with '# raddle: ignore' on the line of a def or class",
        )


class SiteMaker:
    """Numbers the sites of one module and maintains the `may_switch` flag."""

    def __init__(self, file: str, base: int) -> None:
        self._file = file
        self._base = base
        self._sites: list[Site] = []
        self._blocks: list[tuple[ast.Constant, Site]] = []
        self.may_switch = True

    def finish(self) -> tuple[Site, ...]:
        """Return all sites.

        Blocks come last, so that the other sites have the same numbers with and without blocks.
        """
        if len(self._sites) + len(self._blocks) > MAX_SITES:
            raise TooManySitesError(self._file)
        for number, (constant, _) in enumerate(self._blocks, self._base + len(self._sites)):
            constant.value = number
        return (*self._sites, *(site for _, site in self._blocks))

    def add(self, place: Place, kind: str, name: str, *, function: str) -> int:
        """Add a site at the current position in the code, and return its number."""
        if len(self._sites) == MAX_SITES:
            raise TooManySitesError(self._file)
        site = Site(self._file, place.line, place.column, kind, name, function, switchable=self.may_switch)
        self._sites.append(site)
        self.may_switch = False
        return self._base + len(self._sites) - 1

    def add_block(self, place: Place, *, function: str) -> ast.Constant:
        """Add the start of a basic block; `finish` fills in its number."""
        constant = ast.Constant(0)
        site = Site(self._file, place.line, place.column, "block", "", function, switchable=False)
        self._blocks.append((constant, site))
        return constant

    @contextmanager
    def keeping_may_switch(self) -> Iterator[None]:
        """If `may_switch` is set, keep it set even when sites are added inside the `with` block."""
        could_switch = self.may_switch
        yield
        self.may_switch |= could_switch

    def mark_effect(self, number: int) -> None:
        """Record that the operation at an earlier site takes effect here, as in `items.append(f())`.

        The arguments are evaluated between the lookup and the call, so a possible switch there makes the site
        switchable.
        """
        if self.may_switch:
            index = number - self._base
            self._sites[index] = replace(self._sites[index], switchable=True)
