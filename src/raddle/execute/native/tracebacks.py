"""Tracebacks as they would be without probes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from raddle.checks.crash import is_ours


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
        if not is_ours(trace.tb_frame.f_code.co_filename):
            frames.append(trace)
        trace = trace.tb_next
    result: TracebackType | None = None
    for one in reversed(frames):
        result = TracebackType(result, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return result


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
