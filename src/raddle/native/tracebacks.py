"""Tracebacks as they would be without probes."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

from raddle.checks.crash import is_raddle_file


def clean(error: BaseException | None) -> None:
    """Take our frames out of the tracebacks of an exception and of those that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = without_our_frames(error.__traceback__)
        clean(error.__cause__ if error.__cause__ is not error.__context__ else None)
        error = error.__context__


def without_our_frames(trace: TracebackType | None) -> TracebackType | None:
    """A traceback as it would be without probes."""
    frames = []
    while trace is not None:
        if not is_raddle_file(trace.tb_frame.f_code.co_filename):
            frames.append(trace)
        trace = trace.tb_next
    result: TracebackType | None = None
    for one in reversed(frames):
        result = TracebackType(result, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return result


def make_walks(runs_program: CodeType) -> list[tuple[str, Callable[..., Any]]]:
    """What the functions of `traceback` are to be that go through frames, for programs that show errors themselves.

    The program's own stack begins in the function that runs it.
    """
    names = ("walk_tb", "_walk_tb_with_full_positions")  # `traceback` itself uses the second one
    walks = [(name, _leaving_out(getattr(traceback, name))) for name in names]
    real: Callable[[FrameType | None], Iterator[tuple[FrameType, int]]] = traceback.walk_stack

    def walk_stack(f: FrameType | None) -> Iterator[tuple[FrameType, int]]:
        walk = real(f)
        if f is None:  # from who asks on: that is found by counting frames, and this is one more
            next(walk, None)
        for found in walk:
            if found[0].f_code is runs_program:
                return
            if not is_raddle_file(found[0].f_code.co_filename):
                yield found

    return [*walks, ("walk_stack", walk_stack)]


def _leaving_out(
    real: Callable[..., Iterator[tuple[FrameType, Any]]],
) -> Callable[..., Iterator[tuple[FrameType, Any]]]:
    def walk(tb: TracebackType | None) -> Iterator[tuple[FrameType, Any]]:
        found = list(real(tb))
        theirs = [one for one in found if not is_raddle_file(one[0].f_code.co_filename)]
        return iter(theirs or found)  # what we have raised ourselves is nowhere else, and no stack is empty

    return walk


def make_excepthook() -> Callable[[Any], Any]:
    """What is called in place of `threading.excepthook`."""
    real = threading.excepthook

    def excepthook(args: Any, /) -> Any:
        if args.exc_value is not None:
            clean(args.exc_value)
            trace = args.exc_value.__traceback__
            args = threading.ExceptHookArgs((args.exc_type, args.exc_value, trace, args.thread))
        return real(args)

    return excepthook
