"""Makes mkdocstrings show doctests as code. Otherwise, a doctest without a heading above it is shown as prose."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:.+\n?)*\n?)+", re.MULTILINE)


class Examples(griffe.Extension):
    """Puts a code fence around each doctest."""

    def on_object(self, *, obj: griffe.Object, **rest: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(lambda m: f"```pycon\n{m[0].rstrip()}\n```\n", obj.docstring.value)
