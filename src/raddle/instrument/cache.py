"""Keeps compiled probed code next to the interpreter's own, in `__pycache__`.

A file is used only if everything it was made from is the same: source, options, interpreter, and the
rewriter itself. Anything else, damage included, means compiling again; a folder that can't be written to
means compiling every time.
"""

from __future__ import annotations

import functools
import marshal
import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

from raddle.instrument.compiled import Probed, compile_probed
from raddle.instrument.rewrite import VERSION
from raddle.site import Site

_DIGEST_BYTES = 16
MOST_RECENT = 200  # modules remembered within the process

_recent: dict[bytes, Probed] = {}


def compile_cached(source: bytes, *, file: str, path: str, tokens: bool = True, blocks: bool = False) -> Probed:
    """`compile_probed`, or what it gave last time."""
    key = _key(source, file, path, str(tokens), str(blocks))
    if key in _recent:  # a test suite explores its modules again and again
        return _recent[key]
    kept = _cache_file(path, tokens=tokens, blocks=blocks)
    probed = _load(kept, key) if kept else None
    if probed is None:
        probed = compile_probed(source, file=file, path=path, tokens=tokens, blocks=blocks)
        if kept and not sys.dont_write_bytecode:
            _save(kept, key, probed)
    _recent[key] = probed
    while len(_recent) > MOST_RECENT:
        del _recent[next(iter(_recent))]
    return probed


def _cache_file(path: str, *, tokens: bool, blocks: bool) -> Path | None:
    variant = f"raddle{VERSION}" + ("" if tokens else "untokened") + ("blocks" if blocks else "")
    try:
        return Path(cache_from_source(path, optimization=f"{variant}o{sys.flags.optimize}"))
    except NotImplementedError:  # an interpreter that keeps no compiled code
        return None


def _key(source: bytes, *parts: str) -> bytes:
    named = (part.encode("utf-8", "surrogateescape") for part in (str(sys.flags.optimize), *parts))
    return _digest([MAGIC_NUMBER, _rewriter(), *named, source])


@functools.cache
def _rewriter() -> bytes:
    """A digest of the rewriter's own source: a changed rewriter must not meet its former self's work."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return _digest(file.read_bytes() for file in files)


def _digest(parts: Iterable[bytes]) -> bytes:
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def _load(kept: Path, key: bytes) -> Probed | None:
    try:
        data = kept.read_bytes()
    except OSError:
        return None
    body = data[2 * _DIGEST_BYTES :]
    if data[: 2 * _DIGEST_BYTES] != key + _digest([body]):  # marshal may crash on damaged data: look first
        return None
    code, base, rows = marshal.loads(body)
    return Probed(code, base, tuple(Site(*row) for row in rows))


def _save(kept: Path, key: bytes, probed: Probed) -> None:
    rows = [
        (site.file, site.line, site.column, site.kind, site.name, site.function, site.switchable)
        for site in probed.sites
    ]
    body = marshal.dumps((probed.code, probed.base, rows))
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=kept.parent, prefix=f"{kept.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(key + _digest([body]) + body)
            os.replace(temporary, kept)
        except OSError:
            os.unlink(temporary)
            raise
