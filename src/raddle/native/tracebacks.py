"""Removes raddle's own frames from tracebacks, so that they look as they would without probes."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

from raddle.checks.crash import is_raddle_file


def clean(error: BaseException | None) -> None:
    """Remove raddle's frames from the tracebacks of an exception and of all exceptions in its chain."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = without_our_frames(error.__traceback__)
        clean(error.__cause__ if error.__cause__ is not error.__context__ else None)
        error = error.__context__


def without_our_frames(trace: TracebackType | None) -> TracebackType | None:
    """Return a copy of the traceback without raddle's frames."""
    frames = []
    while trace is not None:
        if not is_raddle_file(trace.tb_frame.f_code.co_filename):
            frames.append(trace)
        trace = trace.tb_next
    result: TracebackType | None = None
    for entry in reversed(frames):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def make_walks(runs_program: CodeType) -> list[tuple[str, Callable[..., Any]]]:
    """Return replacements for the functions of `traceback` that walk frames. Programs call these functions to print
    errors.

    A stack walk stops at `runs_program`, the code of the function that runs the program.
    """
    names = ("walk_tb", "_walk_tb_with_full_positions")  # the `traceback` module itself uses the second one
    walks = [(name, _without_our_frames(getattr(traceback, name))) for name in names]
    real: Callable[[FrameType | None], Iterator[tuple[FrameType, int]]] = traceback.walk_stack

    def walk_stack(f: FrameType | None) -> Iterator[tuple[FrameType, int]]:
        walk = real(f)
        if f is None:  # the real function finds its caller by counting frames, and this generator adds a frame
            next(walk, None)
        for found in walk:
            if found[0].f_code is runs_program:
                return
            if not is_raddle_file(found[0].f_code.co_filename):
                yield found

    return [*walks, ("walk_stack", walk_stack)]


def _without_our_frames(
    real: Callable[..., Iterator[tuple[FrameType, Any]]],
) -> Callable[..., Iterator[tuple[FrameType, Any]]]:
    def walk(tb: TracebackType | None) -> Iterator[tuple[FrameType, Any]]:
        found = list(real(tb))
        kept = [item for item in found if not is_raddle_file(item[0].f_code.co_filename)]
        return iter(kept or found)  # an error in raddle may have only raddle's frames; a traceback must not be empty

    return walk


def make_excepthook() -> Callable[[Any], Any]:
    """Return the replacement for `threading.excepthook`."""
    real = threading.excepthook

    def excepthook(args: Any, /) -> Any:
        if args.exc_value is not None:
            clean(args.exc_value)
            trace = args.exc_value.__traceback__
            args = threading.ExceptHookArgs((args.exc_type, args.exc_value, trace, args.thread))
        return real(args)

    return excepthook
