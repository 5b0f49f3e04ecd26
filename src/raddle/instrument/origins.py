"""Where the code of a live function comes from, if the source it names does not contain it.

Either the file was edited after the import, or the code was made at run time: compiled from text, as `dataclass` and
attrs do, or copied and given the name of the user's file, as Hypothesis does with its wrappers.
"""

from __future__ import annotations

import importlib.util
import marshal
from collections.abc import Collection
from types import CodeType

from raddle.instrument.codes import CodeIndex


def was_edited(code: CodeType, *, source: CodeIndex, running: Collection[CodeType], path: str) -> bool:
    """Whether a function differs from its source because the file was edited.

    `source` is the file as it is now, `running` holds the code of it that live functions have.
    """
    cached = _bytecode(path)
    if cached is not None and code in cached:
        return True  # the import compiled exactly this
    missing = [one for one in source.named(code) if one not in running]
    if not missing:  # all that the source has by this name is in use, so this code is something else
        return False
    # The definition is there, but no function has its code. A decorator may have compiled it in its own way, which
    # the bytecode of an unedited file shows.
    return cached is None or not all(one in cached for one in missing)


def _bytecode(path: str) -> CodeIndex | None:
    """What the import system has stored for a source file; None if there is nothing for this interpreter."""
    try:
        with open(importlib.util.cache_from_source(path), "rb") as stream:
            data = stream.read()
    except (OSError, NotImplementedError):  # the latter: sys.implementation.cache_tag is None
        return None
    if data[:4] != importlib.util.MAGIC_NUMBER:
        return None
    try:
        code = marshal.loads(data[16:])  # PEP 552: magic number, flags, two words that identify the source
    except (EOFError, ValueError, TypeError):
        return None
    return CodeIndex(code) if isinstance(code, CodeType) else None
