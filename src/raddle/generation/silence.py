"""Discards what the code under test prints, so that it does not mix with the output of raddle.

Output is discarded on the level of file descriptors, because C code and child processes print there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress

_OUTPUT = (1, 2)  # the file descriptors of stdout and stderr


class Silence:
    """A context manager during which this process prints nothing.

    >>> with Silence() as silence:
    ...     print("discarded")
    ...     with silence.suspended():
    ...         print("shown")
    shown
    """

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> Silence:
        _flush()
        with ExitStack() as stack:
            nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
            for number in _OUTPUT:
                with suppress(OSError):  # closed by the user
                    saved = os.dup(number)
                    stack.callback(os.close, saved)
                    stack.callback(os.dup2, saved, number)
                    os.dup2(nowhere.fileno(), number)
            stack.callback(_flush)
            stack.enter_context(redirect_stdout(nowhere))
            stack.enter_context(redirect_stderr(nowhere))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Show output during a `with` block."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()


def _flush() -> None:
    """Write buffered output, so that it is neither lost nor written after the streams have changed."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or replaced by the program
            stream.flush()
