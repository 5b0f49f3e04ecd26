"""The progress line: drawn only on terminals, and at most a few times per second."""

from __future__ import annotations

import io
import sys

import pytest

from raddle.cli import progress_line
from raddle.cli.progress_line import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress_line.time, "monotonic", lambda: now[0])
    return now


def test_the_line_is_overwritten_and_cleared(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = ProgressLine()
    line.show("1 of 9")
    clock[0] += 0.1
    line.show("2 of 9")  # skipped: too soon after the last update
    clock[0] += 0.2
    line.show("3 of 9")
    line.clear()
    assert terminal.getvalue() == "\r\x1b[K1 of 9\r\x1b[K3 of 9\r\x1b[K"


@pytest.mark.parametrize(("stream", "shown"), [(io.StringIO(), True), (Terminal(), False)])
def test_nothing_is_drawn_without_a_terminal_or_if_turned_off(
    stream: io.StringIO, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    line = ProgressLine(shown=shown)
    line.show("1 of 9")
    line.clear()
    assert stream.getvalue() == ""
