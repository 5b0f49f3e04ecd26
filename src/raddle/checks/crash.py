"""Outcomes of executions in which a thread raised an exception or the process died."""

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

_FAULTHANDLER_HINT = "`python -X faulthandler` shows where a segmentation fault happens"
RADDLE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def is_raddle_file(filename: str) -> bool:
    """Return whether a file is part of raddle."""
    return filename.startswith(RADDLE_FOLDER)


def is_internal_frame(filename: str) -> bool:
    """Return whether a file is internal: part of raddle, or of the code that starts the user's thread function."""
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
    """Return the notes that were added to an exception.

    >>> error = ValueError("no")
    >>> error.add_note("Failing test case: test_it(n=0)")
    >>> notes_of(error)
    ('Failing test case: test_it(n=0)',)
    """
    notes = getattr(error, "__notes__", ())
    return tuple(map(str, notes)) if isinstance(notes, (list, tuple)) else ()


def raised_at(trace: TracebackType | None) -> str:
    """Return `file:line` of the innermost frame outside raddle."""
    place = ""
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if not is_raddle_file(filename):
            place = f"{os.path.basename(filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def user_traceback(error: BaseException) -> TracebackException:
    """Return the traceback of an error and of its causes, without internal frames."""
    summary = TracebackException.from_exception(error)
    for each in _chain(summary):
        each.stack = StackSummary.from_list([f for f in each.stack if not is_internal_frame(f.filename)])
    return summary


def _chain(summary: TracebackException) -> Iterator[TracebackException]:
    """Yield an error, then the causes and contexts that Python would print with it."""
    current: TracebackException | None = summary
    while current is not None:
        yield current
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def user_stack(frame: FrameType | None = None) -> StackSummary:
    """Return the stack of the running thread, innermost frame last, without raddle's frames."""
    stack = traceback.extract_stack(frame or sys._getframe(1))
    return StackSummary.from_list([f for f in stack if not is_raddle_file(f.filename)])


def lines_of(shown: TracebackException | StackSummary) -> tuple[str, ...]:
    """Return the lines that Python prints for a traceback or stack."""
    return tuple(line for chunk in shown.format() for line in chunk.rstrip("\n").split("\n"))


def frames_of(stack: StackSummary) -> tuple[Place, ...]:
    """Return the current place in each frame, innermost frame first, with full file paths."""
    return tuple(Place(frame.filename, frame.lineno or 0) for frame in reversed(stack))


def death_message(how: str) -> str:
    """Return the message for a process that died.

    >>> death_message("exit code 3")
    'the process died (exit code 3)'
    """
    return f"the process died ({how})"


def process_died(how: str, thread: str = "") -> Outcome:
    """Return the outcome of an execution whose process died while `thread` was running.

    >>> process_died("exit code 3", "T1").signature
    ('crash', 'exit code 3')
    """
    details = (_FAULTHANDLER_HINT,) if how.startswith("killed") else ()
    return Outcome(OutcomeKind.CRASH, death_message(how), thread, (OutcomeKind.CRASH, how), details)
