"""Shortens long texts so that a page stays within a few hundred kilobytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from raddle.report.plain import shortened

SHOWN_CHARACTERS, SHOWN_LINES = 600, 8  # maximum size of a message that is shown in full
MAX_CHARACTERS = 100_000  # maximum length of one text on a page; an escaped character takes up to six bytes
LONGEST_LINE = 1_000  # maximum length of a line of details, which may repeat the message


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text, folded to its beginning until the reader unfolds it."""

    beginning: str
    whole: str = ""  # the unfolded text; "" if the beginning is the whole text
    characters: int = 0  # length of the text
    left_out: int = 0  # number of characters that the unfolded text omits


def folded(text: str) -> FoldedText:
    """Fold the text: show only its beginning if it is long.

    >>> folded("no")
    FoldedText(beginning='no', whole='', characters=2, left_out=0)
    >>> folded("no\\n" * 9).beginning
    'no\\nno\\nno\\nno\\nno\\nno\\nno\\nno\\n...'
    """
    beginning = "\n".join(text.split("\n", SHOWN_LINES)[:SHOWN_LINES])
    if len(beginning) > SHOWN_CHARACTERS:
        beginning = shortened(beginning, SHOWN_CHARACTERS)
    elif beginning != text.rstrip("\n"):
        beginning += "\n..."
    else:
        return FoldedText(text, characters=len(text))
    return FoldedText(beginning, text[:MAX_CHARACTERS], len(text), max(0, len(text) - MAX_CHARACTERS))


def bounded(lines: Iterable[str]) -> str:
    """Join the lines of a traceback, shortening long lines and omitting the middle of a long text.

    >>> bounded(["a", "b"])
    'a\\nb'
    """
    text = "\n".join(shortened(line, LONGEST_LINE) for line in "\n".join(lines).split("\n"))
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    return f"{text[:half]}\n... {len(text) - 2 * half:,} characters ...\n{text[-half:]}"
