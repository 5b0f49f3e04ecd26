"""A place: a line of a source file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Place(NamedTuple):
    """A line of a file. The file is named as in `Site`; the line is 0 if only the file is known.

    >>> print(Place("log.py", 9))
    log.py:9
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def phrase(self) -> str:
        """The place as a phrase that begins with a preposition.

        >>> Place("log.py", 9).phrase, Place("stdlib", 0).phrase
        ('at log.py:9', 'in the standard library')
        """
        return f"at {self}" if self.line else "in the standard library"

    def as_json(self) -> dict[str, Any]:
        return self._asdict()

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> Place | None:
        """Return the place represented by the output of `as_json`; None if the value is empty."""
        return cls(str(value.get("file", "")), int(value.get("line") or 0)) if value else None
