"""Stops the watch when the process ends, after all program code has run, and prints the summary.

Python waits for the program's threads, then runs `atexit` callbacks in reverse order of registration. The callback of
this module is registered before the program starts, so it runs last. The module also replaces `os._exit`, which ends
forked processes, and the default action of SIGTERM, which ends the workers of a process pool. A SIGTERM handler that
the program sets takes precedence.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from _thread import allocate_lock, get_ident
from _thread import start_new_thread as _start_new_thread  # the real function, which a watch replaces
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

from raddle.errors import RaddleError
from raddle.native.watch import Watch


class Shutdown:
    """Stops the watch exactly once, however the process ends."""

    def __init__(self, watch: Watch, report: Callable[[], None] | None = None) -> None:
        self._watch = watch
        self._report = report  # prints the summary; called only in the process that started the run
        self._real_exit: Any = os._exit
        self._finish_lock = allocate_lock()
        self._finisher: int | None = None  # ident of the thread that is stopping the watch
        self._pending_signal: int | None = None  # signal that arrived while the watch was being stopped
        self.interrupted = False  # True if SIGINT ended the program

    def prepare(self) -> None:
        """Install the hooks that run when the process ends."""
        atexit.register(self._at_exit)
        os._exit = self._exit
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            with suppress(ValueError):  # raised outside the main thread
                signal.signal(signal.SIGTERM, self._terminated)

    def cancel(self) -> None:
        """Remove the hooks and abandon the watch, because the program could not be started."""
        atexit.unregister(self._at_exit)
        self._restore_exit()
        self._restore_signal()
        self._watch.abandon()

    def _restore_exit(self) -> None:
        if os._exit == self._exit:
            os._exit = self._real_exit

    def _restore_signal(self) -> None:
        with suppress(ValueError):
            if signal.getsignal(signal.SIGTERM) == self._terminated:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _terminated(self, number: int, frame: FrameType | None) -> None:
        """Stop the watch, then let the signal end the process.

        If the interrupted thread is busy recording, it may hold locks that are needed to stop the watch. In that case a
        new thread stops the watch, so that this thread can continue and release the locks.
        """
        if self._finisher is not None:
            self._pending_signal = number  # sent again once everything has been stored
            return
        signal.signal(number, signal.SIG_DFL)
        if self._watch.recorder.local.thread.busy:
            _start_new_thread(self._end_by, (number,))
        else:
            self._end_by(number)

    def _end_by(self, number: int) -> None:
        self.finish()
        os.kill(os.getpid(), number)

    def _exit(self, status: int) -> NoReturn:
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
        """Stop the watch and print the summary. If that fails, print the error; the program is not affected."""
        if self._finisher == get_ident():
            return  # called by a signal handler that interrupted this very method
        with self._finish_lock:  # the process must not end before the watch has stopped, so other threads wait
            if self._watch.active:
                self._finish()
        if self._pending_signal is not None:
            os.kill(os.getpid(), self._pending_signal)

    def _finish(self) -> None:
        self._finisher = get_ident()
        self._restore_exit()
        try:
            self._watch.stop()
            if self._report is not None and not self._watch.is_child:
                self._report()
        except RaddleError as error:
            print(f"raddle: {error} [{error.slug}]", file=sys.stderr)
        except Exception as error:
            print(f"raddle: internal error, nothing was measured: {error!r}", file=sys.stderr)
        finally:
            self._finisher = None
            self._restore_signal()
