"""Redelivers exceptions that signal handlers raised during raddle's callbacks, where Python ignores exceptions.

Python may run a signal handler between any two instructions, even inside callbacks of the garbage collector and of weak
references. An exception raised there is printed to stderr and lost, so a program would survive Ctrl-C. Therefore raddle
sends the same signal again and raises the exception as soon as the program's own code continues.
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
    """Return an iterable that redelivers the exception to the program when it is consumed.

    The callback must consume it as its last action and without a call, as in `(*_,) = delivery(error)`. Python runs
    signal handlers after a call, but the redelivering handler must not run before the callback has returned.
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
    except ValueError:  # not the main thread, so no handler can have raised the error
        return ()
    return map(_thread.interrupt_main, (signal.Signals(number),))


def _signal_of(error: BaseException) -> int | None:
    """Return the signal whose handler raised the exception; None if no handler did.

    Python's own handler for Ctrl-C is written in C and leaves no frame, so every KeyboardInterrupt counts as SIGINT.
    """
    signals = handlers()
    for code in code_in(error):
        if code in signals:
            return signals[code]
    return signal.SIGINT if isinstance(error, KeyboardInterrupt) else None


def handlers() -> dict[Any, int]:
    """Map the code of each signal handler that is a Python function to the signal that it handles."""
    return {getattr(signal.getsignal(number), "__code__", None): number for number in SIGNALS}


def code_in(error: BaseException) -> Iterator[CodeType]:
    """Yield the code objects in the traceback of an exception, innermost last."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next


def make_unraisablehook() -> Callable[[Any], None]:
    """Return a replacement for `sys.unraisablehook`.

    The replacement redelivers exceptions of signal handlers that run before a callback's first line.
    """
    real = sys.unraisablehook

    def unraisablehook(args: Any, /) -> None:
        code = getattr(getattr(args.object, "__func__", args.object), "__code__", None)
        is_raddle_code = code is not None and is_raddle_file(code.co_filename)
        if is_raddle_code and args.exc_value is not None and _signal_of(args.exc_value) is not None:
            (*_,) = delivery(args.exc_value)
        else:
            real(args)

    return unraisablehook
