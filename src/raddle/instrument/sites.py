"""The sites of one module, in evaluation order, and where CPython could switch threads between them.

With the GIL, every supported CPython lets another thread run only when a function begins, at a backward jump
and after a call. While the rewriter walks the code in evaluation order, `open` says whether such a point
lies, on some path, between the probe before and the place it has reached; a site takes it over as
`switchable`, and closes it. A switch is possible between two accesses if *any* site passed after the first,
the second included, is switchable: also those that turn out to touch nothing shared.

`open` errs towards True. So sites that are often no access at all do not close it: the way to an object
(`self.items` in `self.items[0]`), a local looked into, an in-place operator. Operators on user classes call
functions, whose entry is a point too; those have sites of their own, and are not anticipated here.
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
    """A module has more sites than site numbers have room for."""

    def __init__(self, file: str) -> None:
        super().__init__(
            "too-many-sites",
            f"{file} has more than {MAX_SITES} places to probe; split it, or leave parts of it out "
            "with '# raddle: ignore' on the line of a def or class",
        )


class SiteMaker:
    """Gives out site numbers; the one owner of the `open` flag."""

    def __init__(self, file: str, base: int) -> None:
        self._file = file
        self._base = base
        self._sites: list[Site] = []
        self._blocks: list[tuple[ast.Constant, Site]] = []
        self.open = True

    def finish(self) -> tuple[Site, ...]:
        """All sites. Blocks come last: the others have the same numbers whether blocks have probes or not."""
        if len(self._sites) + len(self._blocks) > MAX_SITES:
            raise TooManySitesError(self._file)
        for number, (constant, _) in enumerate(self._blocks, self._base + len(self._sites)):
            constant.value = number
        return (*self._sites, *(site for _, site in self._blocks))

    def add(self, place: Place, kind: str, name: str, *, function: str) -> int:
        """A site is evaluated here."""
        if len(self._sites) == MAX_SITES:
            raise TooManySitesError(self._file)
        site = Site(self._file, place.line, place.column, kind, name, function, switchable=self.open)
        self._sites.append(site)
        self.open = False
        return self._base + len(self._sites) - 1

    def add_block(self, place: Place, *, function: str) -> ast.Constant:
        """A basic block begins here; the number is filled in at the end."""
        constant = ast.Constant(0)
        site = Site(self._file, place.line, place.column, "block", "", function, switchable=False)
        self._blocks.append((constant, site))
        return constant

    @contextmanager
    def not_closing(self) -> Iterator[None]:
        """What is open before is open after, whatever is evaluated here."""
        was_open = self.open
        yield
        self.open |= was_open

    def comes_again(self, number: int) -> None:
        """The site, looked up earlier, has its effect only here: `items.append` in `items.append(f())`."""
        if self.open:
            index = number - self._base
            self._sites[index] = replace(self._sites[index], switchable=True)
