"""Text that is safe to print on a terminal."""

from __future__ import annotations

from rich.text import Text

from raddle.report.plain import plain


def safe_text(text: str, style: str = "") -> Text:
    """Return text for the terminal, with control and invisible characters escaped as in Python literals.

    >>> safe_text("\\x1b[2J: 1 finding", style="bold").plain
    '\\\\x1b[2J: 1 finding'
    """
    return Text(plain(text), style=style)
