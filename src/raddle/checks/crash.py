"""A thread died of an exception."""

from __future__ import annotations

import concurrent.futures.thread
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from traceback import StackSummary, TracebackException
from types import FrameType, TracebackType

from raddle.outcome import Outcome, OutcomeKind
from raddle.place import Place

_LOOK_FURTHER = "`python -X faulthandler` shows where a segmentation fault happens"
RADDLE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def is_raddle_file(filename: str) -> bool:
    """Is this file part of raddle (or of what carries it)?"""
    return filename.startswith(RADDLE_FOLDER)


def is_internal_frame(filename: str) -> bool:
    """Code that tells the user nothing: ours, and what leads from a thread's start to the user's function."""
    return is_raddle_file(filename) or filename in (threading.__file__, concurrent.futures.thread.__file__)


def explain_error(error: BaseException, thread: str) -> Outcome:
    """Return the outcome of an execution in which `error` escaped from a thread."""
    kind = OutcomeKind.ASSERTION if isinstance(error, AssertionError) else OutcomeKind.EXCEPTION
    text = str(error)
    message = type(error).__name__ + (f": {text}" if text else "")
    if isinstance(error, SystemExit):
        message = f"the scenario called sys.exit({error.code!r})"
    elif isinstance(error, KeyboardInterrupt):
        message = "the scenario raised KeyboardInterrupt"
    where = raised_at(error.__traceback__)
    trace = user_traceback(error)
    return Outcome(
        kind,
        message,
        thread,
        (kind, type(error).__name__, where),
        details=lines_of(trace),
        notes=notes_of(error),
        error=error,
        frames=tuple(place for each in _chain(trace) for place in frames_of(each.stack)),
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
        if not is_raddle_file(filename):
            place = f"{os.path.basename(filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def user_traceback(error: BaseException) -> TracebackException:
    """Return the traceback of an error and of those that led to it, without frames of raddle's own."""
    summary = TracebackException.from_exception(error)
    for each in _chain(summary):
        each.stack = StackSummary.from_list([f for f in each.stack if not is_internal_frame(f.filename)])
    return summary


def _chain(summary: TracebackException) -> Iterator[TracebackException]:
    """An error, then the one that led to it, and so on, as far as Python prints them."""
    seen: TracebackException | None = summary
    while seen is not None:
        yield seen
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


def user_stack(frame: FrameType | None = None) -> StackSummary:
    """Return the stack of the running thread, innermost frame last, without frames of raddle's own."""
    stack = traceback.extract_stack(frame or sys._getframe(1))
    return StackSummary.from_list([f for f in stack if not is_raddle_file(f.filename)])


def lines_of(shown: TracebackException | StackSummary) -> tuple[str, ...]:
    """Return the lines that Python prints."""
    return tuple(line for chunk in shown.format() for line in chunk.rstrip("\n").split("\n"))


def frames_of(stack: StackSummary) -> tuple[Place, ...]:
    """Return the lines that the frames stand at, innermost first; files by their paths."""
    return tuple(Place(frame.filename, frame.lineno or 0) for frame in reversed(stack))


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
