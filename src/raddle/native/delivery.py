"""Exceptions that handlers of signals raise in code of ours from which Python lets none out.

Python runs handlers between any two instructions, also in what the garbage collector or a dying object calls. What
is raised there is written to stderr and lost; a program that Ctrl-C should end would go on. So it is raised once
more, by the same signal, as soon as the program itself goes on.
"""

from __future__ import annotations

import _thread
import signal
import sys
from collections.abc import Callable, Iterable
from types import CodeType, FrameType
from typing import Any, NoReturn

from raddle.checks.crash import is_ours

_SIGNALS = tuple(sorted(signal.valid_signals()))


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
    """The signal whose handler raised it, if one did. Python's own, for Ctrl-C, leaves no frame."""
    handlers = {getattr(signal.getsignal(number), "__code__", None): number for number in _SIGNALS}
    trace = error.__traceback__
    while trace is not None:
        code: CodeType = trace.tb_frame.f_code
        if code in handlers:
            return handlers[code]
        trace = trace.tb_next
    return signal.SIGINT if isinstance(error, KeyboardInterrupt) else None


def make_unraisablehook() -> Callable[[Any], None]:
    """What is called in place of `sys.unraisablehook`, for handlers that run before code of ours has even begun."""
    real = sys.unraisablehook

    def unraisablehook(args: Any, /) -> None:
        code = getattr(getattr(args.object, "__func__", args.object), "__code__", None)
        is_mine = code is not None and is_ours(code.co_filename)
        if is_mine and args.exc_value is not None and _signal_of(args.exc_value) is not None:
            (*_,) = delivery(args.exc_value)
        else:
            real(args)

    return unraisablehook
