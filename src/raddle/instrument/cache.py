"""Keeps compiled code next to the interpreter's own, in `__pycache__`: probed, and plain to compare live code with.

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
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType
from typing import Any

from raddle.instrument.compiled import Probed, compile_probed
from raddle.instrument.rewrite import VERSION
from raddle.site import Site

_DIGEST_BYTES = 16
MAX_RECENT = 200  # modules remembered within the process

_recent: dict[bytes, Probed] = {}


def compile_cached(
    source: bytes,
    *,
    file: str,
    path: str,
    tokens: bool = True,
    blocks: bool = False,
    changed: str = "",
    make: Callable[[], Probed] | None = None,
) -> Probed:
    """`compile_probed`, or what it gave last time.

    Where somebody has changed the tree before, `changed` says who, and `make` compiles what came of it.
    """
    key = _key(source, file, path, str(tokens), str(blocks), changed)
    if key in _recent:  # a test suite explores its modules again and again
        return _recent[key]
    kept = _cache_file(
        path, ("" if tokens else "untokened") + ("blocks" if blocks else "") + ("changed" if changed else "")
    )
    loaded = _load(kept, key)
    if loaded is not None:
        code, base, rows = loaded
        probed = Probed(code, base, tuple(Site(*row) for row in rows))
    else:
        if make is not None:
            probed = make()
        else:
            probed = compile_probed(source, file=file, path=path, tokens=tokens, blocks=blocks)
        _save(kept, key, (probed.code, probed.base, [_row(site) for site in probed.sites]))
    _recent[key] = probed
    while len(_recent) > MAX_RECENT:
        del _recent[next(iter(_recent))]
    return probed


def plain_cached(source: bytes, *, path: str, changed: str, make: Callable[[], CodeType]) -> CodeType:
    """The code of a file without probes, or what `make` gave last time."""
    key = _key(source, path, "plain", changed)
    kept = _cache_file(path, "plain" + ("changed" if changed else ""))
    code: CodeType | None = _load(kept, key)
    if code is None:
        code = make()
        _save(kept, key, code)
    return code


def _cache_file(path: str, variant: str) -> Path | None:
    try:
        return Path(cache_from_source(path, optimization=f"raddle{VERSION}{variant}o{sys.flags.optimize}"))
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


def _load(kept: Path | None, key: bytes) -> Any:
    try:
        data = kept.read_bytes() if kept is not None else b""
    except OSError:
        return None
    body = data[2 * _DIGEST_BYTES :]
    if data[: 2 * _DIGEST_BYTES] != key + _digest([body]):  # marshal may crash on damaged data: look first
        return None
    return marshal.loads(body)


def _row(site: Site) -> tuple[Any, ...]:
    return site.file, site.line, site.column, site.kind, site.name, site.function, site.switchable


def _save(kept: Path | None, key: bytes, what: Any) -> None:
    if kept is None or sys.dont_write_bytecode:
        return
    body = marshal.dumps(what)
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
