"""Caches compiled code in `__pycache__`: probed code, and plain code for comparison with live code.

A cache file is used only if everything it was built from is unchanged: the source, the options, the interpreter and the
rewriter itself. Otherwise, or if the file is damaged, the source is compiled again. If the folder is not writable,
nothing is cached.
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
MAX_RECENT = 200  # maximum number of modules whose probed code is kept in memory

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
    """Return the result of `compile_probed`, from the cache if possible.

    If another tool has changed the module's AST, `changed` names that tool and `make` compiles the changed AST.
    """
    key = _key(source, file, path, str(tokens), str(blocks), changed)
    if key in _recent:  # a test suite explores the same modules many times
        return _recent[key]
    cache_file = _cache_file(
        path, ("" if tokens else "untokened") + ("blocks" if blocks else "") + ("changed" if changed else "")
    )
    loaded = _load(cache_file, key)
    if loaded is not None:
        code, base, rows = loaded
        probed = Probed(code, base, tuple(Site(*row) for row in rows))
    else:
        if make is not None:
            probed = make()
        else:
            probed = compile_probed(source, file=file, path=path, tokens=tokens, blocks=blocks)
        _save(cache_file, key, (probed.code, probed.base, [_row(site) for site in probed.sites]))
    _recent[key] = probed
    while len(_recent) > MAX_RECENT:
        del _recent[next(iter(_recent))]
    return probed


def plain_cached(source: bytes, *, path: str, changed: str, make: Callable[[], CodeType]) -> CodeType:
    """Return the unprobed code of a file, from the cache or from `make`."""
    key = _key(source, path, "plain", changed)
    cache_file = _cache_file(path, "plain" + ("changed" if changed else ""))
    code: CodeType | None = _load(cache_file, key)
    if code is None:
        code = make()
        _save(cache_file, key, code)
    return code


def _cache_file(path: str, variant: str) -> Path | None:
    try:
        return Path(cache_from_source(path, optimization=f"raddle{VERSION}{variant}o{sys.flags.optimize}"))
    except NotImplementedError:  # this interpreter does not cache bytecode
        return None


def _key(source: bytes, *parts: str) -> bytes:
    named = (part.encode("utf-8", "surrogateescape") for part in (str(sys.flags.optimize), *parts))
    return _digest([MAGIC_NUMBER, _rewriter_digest(), *named, source])


@functools.cache
def _rewriter_digest() -> bytes:
    """Return a digest of the rewriter's source. Cache files written by a different rewriter are ignored."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return _digest(file.read_bytes() for file in files)


def _digest(parts: Iterable[bytes]) -> bytes:
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def _load(cache_file: Path | None, key: bytes) -> Any:
    try:
        data = cache_file.read_bytes() if cache_file is not None else b""
    except OSError:
        return None
    body = data[2 * _DIGEST_BYTES :]
    if data[: 2 * _DIGEST_BYTES] != key + _digest([body]):  # checked first, since marshal may crash on damaged data
        return None
    return marshal.loads(body)


def _row(site: Site) -> tuple[Any, ...]:
    return site.file, site.line, site.column, site.kind, site.name, site.function, site.switchable


def _save(cache_file: Path | None, key: bytes, value: Any) -> None:
    if cache_file is None or sys.dont_write_bytecode:
        return
    body = marshal.dumps(value)
    with suppress(OSError):
        cache_file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=cache_file.parent, prefix=f"{cache_file.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(key + _digest([body]) + body)
            os.replace(temporary, cache_file)
        except OSError:
            os.unlink(temporary)
            raise
