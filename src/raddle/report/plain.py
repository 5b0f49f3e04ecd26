"""Text that can be written anywhere: to a terminal, onto a page, into XML, as UTF-8.

Texts of the measured program may hold what a terminal obeys, what turns the direction of the text around it (so that
a line reads as another: Boucher and Anderson, Trojan Source, 2021), what ends a line where nobody expects it, and what
neither XML 1.0 nor UTF-8 can hold. All of that is shown instead of written.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters other than tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # of direction
    "\u2028\u2029"  # ends of lines and paragraphs
    "\ud800-\udfff\ufffe\uffff]"  # halves of characters, and none at all
)


def plain(text: str) -> str:
    """Such characters are written as Python would write them; lines end with a newline alone.

    >>> plain("a\\x00b\\ud800 \\x1b[31m \\u202e")
    'a\\\\x00b\\\\ud800 \\\\x1b[31m \\\\u202e'
    """
    return _HIDDEN.sub(lambda match: ascii(match[0])[1:-1], text.replace("\r\n", "\n"))


def in_one_line(text: str) -> str:
    """The same for what stands in a row among others.

    >>> in_one_line("a\\nb")
    'a\\\\nb'
    """
    return plain(text).replace("\n", "\\n")


def shortened(text: str, longest: int) -> str:
    """As much as fits; dots stand for the rest.

    >>> shortened("abcdefgh", 8), shortened("abcdefghi", 8)
    ('abcdefgh', 'abcde...')
    """
    return text if len(text) <= longest else text[: longest - 3] + "..."
