"""An exception that a signal handler raises inside raddle's code still reaches the program."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from native_recording import record, watching

from raddle.native.ids.objects import TrackedObjects
from raddle.native.signal_exceptions import delivery


class NoticedError(Exception):
    """Raised by the signal handler."""


def handler(number: int, frame: Any) -> None:
    raise NoticedError


def collect() -> None:
    """Collect garbage, then loop briefly, because Python runs signal handlers when a loop jumps back."""
    gc.collect()
    for _ in range(100):
        pass


def report_unraisable(args: Any) -> None:
    """Call the unraisable hook as Python does, then loop so that a pending signal handler can run."""
    sys.unraisablehook(args)
    for _ in range(100):
        pass


@pytest.fixture
def collecting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Send each signal in the yielded list once, in the middle of raddle's garbage collection callback."""
    send: list[int] = []
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    before = signal.signal(signal.SIGUSR1, handler), signal.signal(signal.SIGINT, signal.default_int_handler)

    def sweep(self: TrackedObjects, generation: int = 0) -> None:
        while send:
            os.kill(os.getpid(), send.pop())
            for _ in range(100):
                pass

    monkeypatch.setattr(TrackedObjects, "_sweep", sweep)
    with watching(tmp_path):
        yield send
    signal.signal(signal.SIGUSR1, before[0])
    signal.signal(signal.SIGINT, before[1])
    assert ignored == []


@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGUSR1, NoticedError)], ids=["Ctrl-C", "another"]
)
def test_an_exception_raised_during_collection_reaches_the_program(
    collecting: list[int], number: int, error: type[BaseException]
) -> None:
    previous = signal.getsignal(number)
    collecting.append(number)
    with pytest.raises(error):
        collect()
    assert signal.getsignal(number) is previous


def test_the_unraisable_hook_delivers_exceptions_from_raddles_callback(tmp_path: Path) -> None:
    """The hook delivers exceptions from raddle's callback and passes all others on to the original hook."""
    ignored: list[object] = []

    class Args:
        exc_value = KeyboardInterrupt()
        object = TrackedObjects.on_gc

    real, sys.unraisablehook = sys.unraisablehook, ignored.append
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with watching(tmp_path):
            with pytest.raises(KeyboardInterrupt):
                report_unraisable(Args)
            Args.object = handler  # type: ignore[assignment] # a function of the program
            report_unraisable(Args)
        assert ignored == [Args]
    finally:
        sys.unraisablehook = real
        signal.signal(signal.SIGINT, previous)


def test_an_error_of_raddle_itself_is_not_delivered() -> None:
    assert list(delivery(ValueError("in raddle"))) == []


def test_ctrl_c_is_delivered_while_garbage_is_collected(tmp_path: Path) -> None:
    """The signal arrives just before the program collects garbage."""
    recorded = record(
        tmp_path,
        """
        import gc, os, signal
        class Node:
            def __init__(self): self.me = self
        def main():
            usual = signal.signal(signal.SIGINT, signal.default_int_handler)
            caught = 0
            try:
                for _ in range(20):
                    try:
                        for number in range(100): Node()
                        os.kill(os.getpid(), signal.SIGINT)
                        gc.collect()
                    except KeyboardInterrupt: caught += 1
            finally: signal.signal(signal.SIGINT, usual)
            return caught
        """,
    )
    assert recorded.value == 20
