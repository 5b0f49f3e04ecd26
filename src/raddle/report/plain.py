"""Escapes text from the measured program so that it is safe on a terminal, on an HTML page, in XML and as UTF-8.

Such text may contain terminal control sequences, unexpected line separators, and characters that XML 1.0 or UTF-8
cannot represent. It may also contain characters that change the text direction, so that a line is displayed differently
from its actual content (Boucher and Anderson, Trojan Source, 2021). All such characters become visible escapes.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters other than tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # characters that change the text direction
    "\u2028\u2029"  # line and paragraph separators
    "\ud800-\udfff\ufffe\uffff]"  # surrogates and noncharacters
)


def plain(text: str) -> str:
    """Replace unsafe characters with their Python escapes, and CRLF with a newline.

    >>> plain("a\\x00b\\ud800 \\x1b[31m \\u202e")
    'a\\\\x00b\\\\ud800 \\\\x1b[31m \\\\u202e'
    """
    return _HIDDEN.sub(lambda match: ascii(match[0])[1:-1], text.replace("\r\n", "\n"))


def in_one_line(text: str) -> str:
    """Escape the text as `plain` does, and also escape newlines, so that the text fits on one line.

    >>> in_one_line("a\\nb")
    'a\\\\nb'
    """
    return plain(text).replace("\n", "\\n")


def shortened(text: str, longest: int) -> str:
    """Shorten the text to at most `longest` characters; if anything is cut off, the result ends with "...".

    >>> shortened("abcdefgh", 8), shortened("abcdefghi", 8)
    ('abcdefgh', 'abcde...')
    """
    return text if len(text) <= longest else text[: longest - 3] + "..."
