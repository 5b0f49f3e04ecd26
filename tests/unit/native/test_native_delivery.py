"""What a handler of a signal raises in code of ours is the program's, wherever Python runs the handler."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from natively import record, watching

from raddle.native.ids.objects import TrackedObjects
from raddle.native.signal_exceptions import delivery


class NoticedError(Exception):
    """Raised by a handler."""


def handler(number: int, frame: Any) -> None:
    raise NoticedError


def collect() -> None:
    """And go on for a moment: Python runs handlers where loops come round."""
    gc.collect()
    for _ in range(100):
        pass


def ignore(args: Any) -> None:
    """As Python does with what is raised where nobody gets it."""
    sys.unraisablehook(args)
    for _ in range(100):
        pass


@pytest.fixture
def collecting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """What is in the list is sent as a signal, once, in the middle of what we do when the collector runs."""
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
def test_not_lost_in_the_collector(collecting: list[int], number: int, error: type[BaseException]) -> None:
    usual = signal.getsignal(number)
    collecting.append(number)
    with pytest.raises(error):
        collect()
    assert signal.getsignal(number) is usual


def test_not_lost_where_code_of_ours_has_not_even_begun(tmp_path: Path) -> None:
    """Python hands it to a hook, which delivers what is about code of ours, and no other."""
    said: list[object] = []

    class Args:
        exc_value = KeyboardInterrupt()
        object = TrackedObjects.on_gc

    real, sys.unraisablehook = sys.unraisablehook, said.append
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with watching(tmp_path):
            with pytest.raises(KeyboardInterrupt):
                ignore(Args)
            Args.object = handler  # type: ignore[assignment] # the program's own
            ignore(Args)
        assert said == [Args]
    finally:
        sys.unraisablehook = real
        signal.signal(signal.SIGINT, usual)


def test_a_fault_of_ours_is_delivered_to_nobody() -> None:
    assert list(delivery(ValueError("ours"))) == []


def test_ctrl_c_ends_a_program_that_makes_garbage(tmp_path: Path) -> None:
    """The signal comes when a destructor of the program runs, which the collector called."""
    told = record(
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
    assert told.value == 20
