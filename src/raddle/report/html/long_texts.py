"""Texts of any length on pages of a few hundred kilobytes: their beginning, and as much more as a page takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from raddle.report.plain import shortened

SHOWN_CHARACTERS, SHOWN_LINES = 600, 8  # of a message, before what comes next on the page
MAX_CHARACTERS = 100_000  # of one text on a page; escaped, each takes up to six
LONGEST_LINE = 1_000  # of details, which may repeat the message


@dataclass(frozen=True, slots=True)
class Folded:
    """A text that shows its beginning, and the whole when it is asked to."""

    beginning: str
    whole: str = ""  # "" where the beginning is all of it
    characters: int = 0  # of the text
    left_out: int = 0  # characters that not even the whole has


def folded(text: str) -> Folded:
    """
    >>> folded("no")
    Folded(beginning='no', whole='', characters=2, left_out=0)
    >>> folded("no\\n" * 9).beginning
    'no\\nno\\nno\\nno\\nno\\nno\\nno\\nno\\n...'
    """
    beginning = "\n".join(text.split("\n", SHOWN_LINES)[:SHOWN_LINES])
    if len(beginning) > SHOWN_CHARACTERS:
        beginning = shortened(beginning, SHOWN_CHARACTERS)
    elif beginning != text.rstrip("\n"):
        beginning += "\n..."
    else:
        return Folded(text, characters=len(text))
    return Folded(beginning, text[:MAX_CHARACTERS], len(text), max(0, len(text) - MAX_CHARACTERS))


def bounded(lines: Iterable[str]) -> str:
    """Lines of a traceback: each as far as it is read, and of too many the first and the last.

    >>> bounded(["a", "b"])
    'a\\nb'
    """
    text = "\n".join(shortened(line, LONGEST_LINE) for line in "\n".join(lines).split("\n"))
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    return f"{text[:half]}\n... {len(text) - 2 * half:,} characters ...\n{text[-half:]}"
