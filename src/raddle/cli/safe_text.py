"""Text for the terminal, whatever is in it."""

from __future__ import annotations

from rich.text import Text

from raddle.report.plain import plain


def safe_text(text: str, style: str = "") -> Text:
    """Characters that a terminal would obey, or that cannot be seen, are written as Python would write them.

    >>> safe_text("\\x1b[2J: 1 finding", style="bold").plain
    '\\\\x1b[2J: 1 finding'
    """
    return Text(plain(text), style=style)
