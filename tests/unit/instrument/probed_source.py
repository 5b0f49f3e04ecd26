"""What the rewriter makes of a piece of source, in a form that is easy to compare."""

from __future__ import annotations

import ast
from textwrap import dedent

from raddle.instrument import rewrite
from raddle.site import Site


def sites(source: str) -> list[Site]:
    """The sites of a module; those where functions begin and end are left out."""
    found = rewrite(dedent(source), file="m.py", base=0).sites
    return [site for site in found if site.kind not in ("enter", "leave")]


def accesses(source: str) -> list[str]:
    """`line kind name`, with a `!` where CPython could have switched threads just before."""
    return [f"{site.line} {site.kind} {site.name}{' !' if site.switchable else ''}" for site in sites(source)]


def code(source: str, *, tokens: bool = True) -> str:
    """The probed source itself."""
    return ast.unparse(rewrite(dedent(source), file="m.py", base=0, tokens=tokens).tree)
