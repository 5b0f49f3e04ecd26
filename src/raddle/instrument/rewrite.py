"""Rewriting, as a pure function: source or tree in, probed tree and its sites out."""

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

VERSION = 7  # of the code written; part of site numbers and of the cache's keys
_DIGEST_BYTES = 5


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A module's probed code; the number of a site is `base` plus its index."""

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
    """Put probes into a module.

    `tree` is the source's tree where somebody has changed it already, as pytest does; it is used up. Without
    `tokens`, no function gets a free variable it did not have, so that the code fits functions that exist
    already; the cells of different calls of a function are then one variable. The sites are the same. With `blocks`,
    each basic block begins with a probe, too; their sites come after all others.
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
    """The number of a module's first site: the same wherever and whenever the same code is rewritten."""
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for part in (str(VERSION), file, *options, source_text(source)):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return int.from_bytes(digest.digest(), "big") << INDEX_BITS


def source_text(source: str | bytes) -> str:
    """Source as text, without the differences that its encoding and its ends of lines make."""
    return decode_source(source) if isinstance(source, bytes) else source


def _evaluates_annotations(tree: ast.Module) -> bool:
    """Whether annotations are evaluated where they stand."""
    return not env.ANNOTATIONS_ARE_DEFERRED and not any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )
