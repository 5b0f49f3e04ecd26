"""Determines why the source file of a live function does not contain the function's code.

Either the file was edited after the import, or the code was created at run time. For example, `dataclass` and attrs
compile code from text, and Hypothesis copies its wrappers and gives them the name of the user's file.
"""

from __future__ import annotations

import importlib.util
import marshal
from collections.abc import Collection
from types import CodeType

from raddle.instrument.codes import CodeIndex


def was_edited(code: CodeType, *, source: CodeIndex, running: Collection[CodeType], path: str) -> bool:
    """Return whether a function differs from its source because the file was edited.

    `source` indexes the current content of the file. `running` holds the code of the live functions that come from this
    file.
    """
    cached = _bytecode(path)
    if cached is not None and code in cached:
        return True  # the import compiled exactly this code
    missing = [one for one in source.with_same_name(code) if one not in running]
    if not missing:  # every definition of this name belongs to another live function, so this code is not from the file
        return False
    # The definition exists, but no live function has its code. A decorator may have compiled the definition
    # differently. In that case the file is unedited, and its cached bytecode still contains the definition.
    return cached is None or not all(one in cached for one in missing)


def _bytecode(path: str) -> CodeIndex | None:
    """Return the bytecode that the import system of this interpreter has cached for a file; None if there is none."""
    try:
        with open(importlib.util.cache_from_source(path), "rb") as stream:
            data = stream.read()
    except (OSError, NotImplementedError):  # NotImplementedError: sys.implementation.cache_tag is None
        return None
    if data[:4] != importlib.util.MAGIC_NUMBER:
        return None
    try:
        code = marshal.loads(data[16:])  # skip the header: magic number, flags and two words about the source (PEP 552)
    except (EOFError, ValueError, TypeError):
        return None
    return CodeIndex(code) if isinstance(code, CodeType) else None
