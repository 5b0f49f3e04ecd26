"""Suppresses errors that threads log while an execution is being torn down."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier

LOGGERS = ("concurrent.futures", "asyncio")  # loggers that report exceptions that no caller handles


def is_being_aborted() -> bool:
    """Return whether the running thread belongs to an execution that is being aborted.

    >>> is_being_aborted()
    False
    """
    me: Any = getcurrent()
    return me.__class__ is Carrier and me.engine.aborting


@contextmanager
def silence() -> Iterator[None]:
    """Suppress reports of exceptions in aborted threads inside the `with` block."""
    hook = sys.unraisablehook

    def unraisable(args: Any) -> None:
        if not is_being_aborted():
            hook(args)

    def should_log(_: logging.LogRecord) -> bool:
        return not is_being_aborted()

    sys.unraisablehook = unraisable
    loggers = [logging.getLogger(name) for name in LOGGERS]
    for logger in loggers:
        logger.addFilter(should_log)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(should_log)
        if sys.unraisablehook is unraisable:  # otherwise the program has installed its own hook
            sys.unraisablehook = hook
