"""Exceptions that handlers of signals raise in code of ours from which Python lets none out.

Python runs handlers between any two instructions, also in what the garbage collector or a dying object calls. What
is raised there is written to stderr and lost; a program that Ctrl-C should end would go on. So it is raised once
more, by the same signal, as soon as the program itself goes on.
"""

from __future__ import annotations

import _thread
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any, NoReturn

from raddle.checks.crash import is_raddle_file

SIGNALS = tuple(sorted(signal.valid_signals()))


def delivery(error: BaseException) -> Iterable[object]:
    """What lets the program have the exception, when somebody goes through it.

    That is to be the very last thing that the function does which was called from C, and not by calling anything, as in
    `(*_,) = delivery(error)`: Python runs handlers after a call, and this one must run after the return.
    """
    number = _signal_of(error)
    handler = signal.getsignal(number) if number is not None else None
    if number is None or handler is None:
        return ()

    def once(signum: int, frame: FrameType | None) -> NoReturn:
        signal.signal(signum, handler)
        raise error.with_traceback(None)

    try:
        signal.signal(number, once)
    except ValueError:  # not the main thread: no handler has run here
        return ()
    return map(_thread.interrupt_main, (signal.Signals(number),))


def _signal_of(error: BaseException) -> int | None:
    """Return the signal whose handler raised an exception, if one did. Python's own, for Ctrl-C, leaves no frame."""
    known = handlers()
    for code in code_in(error):
        if code in known:
            return known[code]
    return signal.SIGINT if isinstance(error, KeyboardInterrupt) else None


def handlers() -> dict[Any, int]:
    """Return the signals by the code of their handlers, as far as these are functions."""
    return {getattr(signal.getsignal(number), "__code__", None): number for number in SIGNALS}


def code_in(error: BaseException) -> Iterator[CodeType]:
    """Iterate over the code that an exception went through, innermost last."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next


def make_unraisablehook() -> Callable[[Any], None]:
    """What is called in place of `sys.unraisablehook`, for handlers that run before code of ours has even begun."""
    real = sys.unraisablehook

    def unraisablehook(args: Any, /) -> None:
        code = getattr(getattr(args.object, "__func__", args.object), "__code__", None)
        is_mine = code is not None and is_raddle_file(code.co_filename)
        if is_mine and args.exc_value is not None and _signal_of(args.exc_value) is not None:
            (*_,) = delivery(args.exc_value)
        else:
            real(args)

    return unraisablehook
