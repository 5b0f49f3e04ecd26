"""A class whose constructor copies another instance."""

from __future__ import annotations


class Copying:
    def __init__(self, source: Copying | None = None) -> None:
        self.items = [] if source is None else list(source.items)
