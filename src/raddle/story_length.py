"""The length of the story of a finding."""

from __future__ import annotations

from enum import Enum

from raddle.errors import UsageError


class StoryLength(Enum):
    """The length of a story: `SHORT` folds the steps that do not explain the failure, `FULL` shows every step."""

    SHORT = "short"
    FULL = "full"

    @classmethod
    def parse(cls, text: str) -> StoryLength:
        """Return the story length with this name; raise `UsageError` if the name is unknown.

        >>> StoryLength.parse("full")
        <StoryLength.FULL: 'full'>
        """
        try:
            return cls(text)
        except ValueError:
            raise UsageError("bad-story", f"story must be 'short' or 'full', not {text!r}") from None
