"""Helpers that return the rewriter's output in forms that are easy to compare."""

from __future__ import annotations

import ast
from textwrap import dedent

from raddle.instrument import rewrite
from raddle.site import Site


def sites(source: str) -> list[Site]:
    """Return the sites of a module, without those for function entry and exit."""
    found = rewrite(dedent(source), file="m.py", base=0).sites
    return [site for site in found if site.kind not in ("enter", "leave")]


def accesses(source: str) -> list[str]:
    """Return each access as `line kind name`, with a `!` if CPython could switch threads just before it."""
    return [f"{site.line} {site.kind} {site.name}{' !' if site.switchable else ''}" for site in sites(source)]


def code(source: str, *, tokens: bool = True) -> str:
    """Return the rewritten source."""
    return ast.unparse(rewrite(dedent(source), file="m.py", base=0, tokens=tokens).tree)
