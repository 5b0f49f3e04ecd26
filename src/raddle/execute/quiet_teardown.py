"""What threads complain of while they are thrown out of an execution is nobody's business."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier

LOGGERS = ("concurrent.futures", "asyncio")  # that tell of exceptions which nobody else would see


def is_thrown_out() -> bool:
    """Is the running thread one of an execution that is being aborted?

    >>> is_thrown_out()
    False
    """
    me: Any = getcurrent()
    return me.__class__ is Carrier and me.engine.aborting


@contextmanager
def silence() -> Iterator[None]:
    """Nothing is written of exceptions in threads that are thrown out, as long as this lasts."""
    hook = sys.unraisablehook

    def unraisable(args: Any) -> None:
        if not is_thrown_out():
            hook(args)

    def is_worth_telling(_: logging.LogRecord) -> bool:
        return not is_thrown_out()

    sys.unraisablehook = unraisable
    loggers = [logging.getLogger(name) for name in LOGGERS]
    for logger in loggers:
        logger.addFilter(is_worth_telling)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(is_worth_telling)
        if sys.unraisablehook is unraisable:  # else somebody has put another one there meanwhile
            sys.unraisablehook = hook
