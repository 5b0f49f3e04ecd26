"""How a watched process ends: with the rest of the steps handed over, after everything that the program does.

Python waits for the program's threads, and runs what was registered with `atexit`, last things first: we are
registered before the program starts, so we are the last. `os._exit`, by which forked processes end, is replaced. So is
what SIGTERM does (as sent to the workers of a pool), as long as the program has no handler of its own for it.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from _thread import allocate_lock, get_ident
from _thread import start_new_thread as _start_new_thread  # the real one: it is replaced while a program is watched
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

from raddle.errors import RaddleError
from raddle.native.watch import Watch


class Shutdown:
    """Ends the watch, once."""

    def __init__(self, watch: Watch, report: Callable[[], None] | None = None) -> None:
        self._watch = watch
        self._report = report  # what is to be said in the process that was started first
        self._real_exit: Any = os._exit
        self._finish_lock = allocate_lock()
        self._finisher: int | None = None  # the thread
        self._pending_signal: int | None = None  # the signal that came meanwhile
        self.interrupted = False  # by SIGINT, which the program did not handle

    def prepare(self) -> None:
        """Be called when the time has come."""
        atexit.register(self._at_exit)
        os._exit = self._leave
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            with suppress(ValueError):  # not the main thread
                signal.signal(signal.SIGTERM, self._terminated)

    def cancel(self) -> None:
        """The program could not even be started."""
        atexit.unregister(self._at_exit)
        self._restore_exit()
        self._restore_signal()
        self._watch.abandon()

    def _restore_exit(self) -> None:
        if os._exit == self._leave:
            os._exit = self._real_exit

    def _restore_signal(self) -> None:
        with suppress(ValueError):
            if signal.getsignal(signal.SIGTERM) == self._terminated:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _terminated(self, number: int, frame: FrameType | None) -> None:
        """Hand over the rest, and end as without us. If this thread is in the middle of recording, another one does
        it: whatever lock is needed will be free when this one has gone on a little."""
        if self._finisher is not None:
            self._pending_signal = number  # and goes when all is stored
            return
        signal.signal(number, signal.SIG_DFL)
        if self._watch.recorder.local.thread.busy:
            _start_new_thread(self._end_by, (number,))
        else:
            self._end_by(number)

    def _end_by(self, number: int) -> None:
        self.finish()
        os.kill(os.getpid(), number)

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
        if self._finisher == get_ident():
            return  # this is a handler of a signal, in the middle of it
        with self._finish_lock:  # whoever comes meanwhile has to wait: the process must not end before
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
