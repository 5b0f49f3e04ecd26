"""Shows the examples in docstrings as code: mkdocstrings takes them for prose where no heading stands above."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:.+\n?)*\n?)+", re.MULTILINE)


class Examples(griffe.Extension):
    """Puts fences around them."""

    def on_object(self, *, obj: griffe.Object, **rest: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(lambda m: f"```pycon\n{m[0].rstrip()}\n```\n", obj.docstring.value)
