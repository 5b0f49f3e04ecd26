"""Page names and link targets in the report for files, lines, sites and findings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b

from raddle.site import Site
from raddle.store.contents import Contents

LONGEST_NAME = 60  # maximum number of characters of a file's label in the name of its page


class Places:
    """The page names and site numbers of one report.

    Sites are renumbered from 0, because JavaScript cannot represent some of the original numbers exactly.

    >>> site = Site("shop/cart.py", 6, 8, "write", "value", "Cart.add", switchable=False)
    >>> places = Places(Contents(sites={27293042192809988: site}, paths={"shop/cart.py": "/home/me/shop/cart.py"}))
    >>> places.of_site(27293042192809988), places.of_line("shop/cart.py", 6), places.of_line("other.py", 1)
    ('source-shop-cart.py-fce5553d.html#s0', 'source-shop-cart.py-fce5553d.html#L6', '')
    """

    def __init__(self, contents: Contents) -> None:
        labels = sorted({label for label, _ in contents.files})
        self.pages: Mapping[str, str] = {label: page_of(label) for label in labels}
        self.sites = contents.sites
        ordered = sorted(contents.sites, key=lambda number: (_position(contents.sites[number]), number))
        self.numbers: Mapping[int, int] = {number: place for place, number in enumerate(ordered)}

    def of_site(self, number: int) -> str:
        """Return the link to a site on the page of its file, or "" if the site is unknown."""
        site = self.sites.get(number)
        return f"{self.pages[site.file]}#s{self.numbers[number]}" if site is not None else ""

    def of_line(self, label: str, line: int) -> str:
        """Return the link to a line on the page of its file, or "" if the file has no page."""
        page = self.pages.get(label)
        return f"{page}#L{line}" if page is not None else ""


def page_of(label: str) -> str:
    """Return the name of a file's page: unique, and valid on every file system.

    >>> page_of("shop/cart.py")
    'source-shop-cart.py-fce5553d.html'
    """
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", label)[-LONGEST_NAME:].strip("-.")
    digest = blake2b(label.encode("utf-8", "surrogatepass"), digest_size=4)
    return f"source-{plain}-{digest.hexdigest()}.html"


def finding_page(number: int) -> str:
    """Return the name of a finding's page; findings are numbered from 1.

    >>> finding_page(3)
    'finding-3.html'
    """
    return f"finding-{number}.html"


def _position(site: Site) -> tuple[str, int, int]:
    return site.file, site.line, site.column
