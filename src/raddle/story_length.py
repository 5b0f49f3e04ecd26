"""How long the story of a finding may be."""

from __future__ import annotations

from enum import Enum

from raddle.errors import UsageError


class StoryLength(Enum):
    """`SHORT` folds the steps that do not explain the failure, `FULL` shows every step."""

    SHORT = "short"
    FULL = "full"

    @classmethod
    def parse(cls, text: str) -> StoryLength:
        """
        >>> StoryLength.parse("full")
        <StoryLength.FULL: 'full'>
        """
        try:
            return cls(text)
        except ValueError:
            raise UsageError("bad-story", f"story is 'short' or 'full', not {text!r}") from None
