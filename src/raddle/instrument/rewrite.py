"""Rewrites a module: turns its source or its AST into a probed tree and a list of sites."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import decode_source

from raddle import env
from raddle.instrument.blocks import leaders
from raddle.instrument.expressions import Options
from raddle.instrument.ignore import ignored_lines
from raddle.instrument.scopes import analyze
from raddle.instrument.sites import SiteMaker
from raddle.instrument.statements import Statements
from raddle.site import INDEX_BITS, Site

VERSION = 7  # version of the generated code; part of site numbers and cache keys
_DIGEST_BYTES = 5


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The probed tree of a module and its sites; the number of a site is `base` plus its index."""

    tree: ast.Module
    sites: tuple[Site, ...]


def rewrite(
    source: str | bytes,
    *,
    file: str,
    base: int,
    tree: ast.Module | None = None,
    tokens: bool = True,
    blocks: bool = False,
) -> Rewritten:
    """Insert probes into a module.

    `tree` is the AST of the source, passed only if another tool such as pytest has changed it. The tree is modified in
    place. Without `tokens`, no function gets additional free variables, so that the code fits existing functions. The
    cells of different calls of a function then count as one variable. The sites are the same with and
    without `tokens`. With `blocks`, each basic block also begins with a probe, and the sites of blocks come after all
    others.
    """
    text = source_text(source)
    if tree is None:
        tree = ast.parse(text)
    maker = SiteMaker(file, base)
    options = Options(ignored=ignored_lines(text), tokens=tokens, leaders=leaders(tree) if blocks else frozenset())
    statements = Statements(analyze(tree), maker, options, evaluates_annotations=_evaluates_annotations(tree))
    tree.body = statements.block(tree.body)
    return Rewritten(tree, maker.finish())


def site_base(file: str, source: str | bytes, *options: str) -> int:
    """Return the number of a module's first site. It is the same on every machine for the same code."""
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for part in (str(VERSION), file, *options, source_text(source)):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return int.from_bytes(digest.digest(), "big") << INDEX_BITS


def source_text(source: str | bytes) -> str:
    """Return the source as text; bytes are decoded, and their line endings are normalized."""
    return decode_source(source) if isinstance(source, bytes) else source


def _evaluates_annotations(tree: ast.Module) -> bool:
    """Return whether annotations are evaluated immediately, as part of their statement."""
    return not env.ANNOTATIONS_ARE_DEFERRED and not any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )
