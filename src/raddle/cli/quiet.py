"""Suppresses the output of a scenario, which every execution would repeat. Debugger output is not suppressed."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, redirect_stdout
from typing import Any, TextIO

from raddle.execute.debugging import debuggable, is_debugged


class Quiet:
    """Discards output. Once a debugger is entered, output goes to `shown` until the execution has ended."""

    def __init__(self, shown: TextIO) -> None:
        self._shown = shown
        self._stack = ExitStack()

    def __enter__(self) -> Quiet:
        with ExitStack() as stack:
            self._nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
            stack.enter_context(redirect_stdout(self._nowhere))
            stack.enter_context(debuggable(self._debugger_entered))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def _debugger_entered(self, debugger: Any) -> None:
        sys.stdout = self._shown
        if getattr(debugger, "stdout", None) is self._nowhere:  # `cmd.Cmd` keeps the stream it was created with
            debugger.stdout = self._shown

    def execution_ended(self) -> None:
        """Discard output again, unless a debugger is still active."""
        if sys.stdout is self._shown and not is_debugged():
            sys.stdout = self._nowhere
