"""A thread died of an exception."""

from __future__ import annotations

import concurrent.futures.thread
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from types import FrameType, TracebackType

from raddle.outcome import Outcome, OutcomeKind

_LOOK_FURTHER = "`python -X faulthandler` shows where a segmentation fault happens"
OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def is_ours(filename: str) -> bool:
    """Is this file part of raddle (or of what carries it)?"""
    return filename.startswith(OURS)


def is_plumbing(filename: str) -> bool:
    """Code that tells the user nothing: ours, and what leads from a thread's start to the user's function."""
    return is_ours(filename) or filename in (threading.__file__, concurrent.futures.thread.__file__)


def explain_error(error: BaseException, thread: str) -> Outcome:
    """The outcome of an execution in which `error` escaped from a thread."""
    kind = OutcomeKind.ASSERTION if isinstance(error, AssertionError) else OutcomeKind.EXCEPTION
    text = str(error)
    message = type(error).__name__ + (f": {text}" if text else "")
    if isinstance(error, SystemExit):
        message = f"the scenario called sys.exit({error.code!r})"
    elif isinstance(error, KeyboardInterrupt):
        message = "the scenario raised KeyboardInterrupt"
    where = raised_at(error.__traceback__)
    return Outcome(
        kind,
        message,
        thread,
        (kind, type(error).__name__, where),
        details=tuple(user_traceback(error)),
        notes=notes_of(error),
        error=error,
    )


def notes_of(error: BaseException) -> tuple[str, ...]:
    """The notes that were added to an exception.

    >>> error = ValueError("no")
    >>> error.add_note("Failing test case: test_it(n=0)")
    >>> notes_of(error)
    ('Failing test case: test_it(n=0)',)
    """
    notes = getattr(error, "__notes__", ())
    return tuple(map(str, notes)) if isinstance(notes, (list, tuple)) else ()


def raised_at(trace: TracebackType | None) -> str:
    """`file:line` of the innermost frame that is the user's."""
    place = ""
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if not is_ours(filename):
            place = f"{os.path.basename(filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def user_traceback(error: BaseException) -> Iterator[str]:
    """The traceback as Python prints it, without frames of raddle's own."""
    summary = traceback.TracebackException.from_exception(error)
    seen: traceback.TracebackException | None = summary
    while seen is not None:
        seen.stack = traceback.StackSummary.from_list([f for f in seen.stack if not is_plumbing(f.filename)])
        seen = seen.__cause__ or seen.__context__
    for chunk in summary.format():
        yield from chunk.rstrip("\n").split("\n")


def stack_lines(frame: FrameType | None = None) -> Iterator[str]:
    """The stack of the running thread, innermost last, without frames of raddle's own."""
    stack = traceback.extract_stack(frame or sys._getframe(1))
    for chunk in traceback.StackSummary.from_list([f for f in stack if not is_ours(f.filename)]).format():
        yield from chunk.rstrip("\n").split("\n")


def how_it_died(how: str) -> str:
    """
    >>> how_it_died("exit code 3")
    'the process died (exit code 3)'
    """
    return f"the process died ({how})"


def process_died(how: str, thread: str = "") -> Outcome:
    """Return the outcome of an execution whose process died, and in which thread.

    >>> process_died("exit code 3", "T1").signature
    ('crash', 'exit code 3')
    """
    details = (_LOOK_FURTHER,) if how.startswith("killed") else ()
    return Outcome(OutcomeKind.CRASH, how_it_died(how), thread, (OutcomeKind.CRASH, how), details)
