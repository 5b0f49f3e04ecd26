"""How a watched process ends: with the rest of the steps handed over, after everything that the program does.

Python waits for the program's threads, and runs what was registered with `atexit`, last things first: we are
registered before the program starts, so we are the last. `os._exit`, by which forked processes end, is replaced.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from raddle.errors import RaddleError
from raddle.execute.native.watch import Watch


class Ending:
    """Ends the watch, once."""

    def __init__(self, watch: Watch, report: Callable[[], None] | None = None) -> None:
        self._watch = watch
        self._report = report  # what is to be said in the process that was started first
        self._real_exit: Any = os._exit
        self.interrupted = False  # by SIGINT, which the program did not handle

    def prepare(self) -> None:
        """Be called when the time has come."""
        atexit.register(self._at_exit)
        os._exit = self._leave

    def cancel(self) -> None:
        """The program could not even be started."""
        atexit.unregister(self._at_exit)
        self._put_back()
        self._watch.abandon()

    def _put_back(self) -> None:
        if os._exit == self._leave:
            os._exit = self._real_exit

    def _leave(self, status: int) -> NoReturn:
        self.finish()
        self._real_exit(status)
        raise AssertionError("unreachable")

    def _at_exit(self) -> None:
        self.finish()
        if self.interrupted and hasattr(os, "kill"):
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)

    def finish(self) -> None:
        """Hand over the rest. What goes wrong is said, and changes nothing else."""
        if not self._watch.active:
            return
        self._put_back()
        try:
            self._watch.stop()
            if self._report is not None and not self._watch.is_child:
                self._report()
        except RaddleError as error:
            print(f"raddle: {error} [{error.slug}]", file=sys.stderr)
        except Exception as error:
            print(f"raddle: internal error, nothing was measured: {error!r}", file=sys.stderr)
