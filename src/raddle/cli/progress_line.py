"""A progress line on a terminal, overwritten by each update."""

from __future__ import annotations

import sys
import time

import click

REDRAW_SECONDS = 0.2  # minimum time between two updates


class ProgressLine:
    """Shows progress on stderr if stderr is a terminal. No thread is started: each call to `show` redraws the line."""

    def __init__(self, *, shown: bool = True) -> None:
        self._shown = shown and sys.stderr.isatty()
        self._last = 0.0

    def show(self, text: str) -> None:
        now = time.monotonic()
        if self._shown and now - self._last >= REDRAW_SECONDS:
            self._last = now
            self._draw(text)

    def clear(self) -> None:
        if self._shown:
            self._draw("")

    def _draw(self, text: str) -> None:
        click.echo(f"\r\x1b[K{text}", nl=False, err=True)
