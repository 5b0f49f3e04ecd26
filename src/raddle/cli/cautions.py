"""The warnings of a message-passing program, as printed after a search."""

from __future__ import annotations

from rich.console import Console

from raddle.cli.safe_text import safe_text
from raddle.result import Result

MAX_SHOWN = 5


def show_cautions(screen: Console, result: Result, *, all_of_them: bool) -> None:
    """Print the warnings: the first few of them unless all are wanted."""
    sentences = list(dict.fromkeys(warning["sentence"] for warning in result.warnings if "sentence" in warning))
    shown = sentences if all_of_them else sentences[:MAX_SHOWN]
    for sentence in shown:
        screen.print(safe_text(f"warning: {sentence}", style="yellow"))
    if len(sentences) > len(shown):
        screen.print(safe_text(f"{len(sentences) - len(shown)} more warnings; -v shows all", style="dim"))
