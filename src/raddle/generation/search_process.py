"""A child process that searches for bugs of a class.

The child is forked, so it has the class, and it can die or hang without harm. It sends messages through a pipe and
records its calls in shared memory.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from raddle.distribute.processes import die_with_parent
from raddle.execute.fork import how_it_ended, without_fork_warning
from raddle.generation.file_guard import FileGuard
from raddle.generation.file_shortage import is_shortage
from raddle.generation.heartbeat import Heartbeat
from raddle.generation.network import refuse_connections
from raddle.generation.owned_folder import OwnedFolder
from raddle.generation.process_guard import ProcessGuard
from raddle.generation.search_messages import Found, Message
from raddle.generation.silence import Silence
from raddle.generation.testcase import Call
from raddle.generation.watched_search import SearchRequest, run_search

DISCONNECTED = 86  # exit code of a process that can no longer send messages
OUT_OF_FILES = 87  # exit code of a process with too many open files
_exit = os._exit  # the original, saved before it is patched
_JOIN_SECONDS = 10.0  # time for the operating system to end a process that was killed


class SearchProcess:
    """A running search. It is a context manager, which kills the process and everything that it has started."""

    def __init__(self, request: SearchRequest) -> None:
        self.heartbeat = Heartbeat()
        self._folder = OwnedFolder()
        context: Any = multiprocessing.get_context("fork")
        self.connection, other = context.Pipe()
        arguments = (request, other, self.connection, self.heartbeat, str(self._folder.work))
        self._process = context.Process(target=_search, args=arguments, name="raddle generate")
        _flush()
        with without_fork_warning():
            self._process.start()
        other.close()
        with suppress(OSError):  # the child has done it already, or has ended
            os.setpgid(self._process.pid, self._process.pid)

    def __enter__(self) -> SearchProcess:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()
        self.connection.close()
        self._folder.delete()

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return bool(self._process.is_alive())

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls in progress, or those that were in progress when the process died."""
        return self.heartbeat.calls()

    @property
    def last_call(self) -> Call | None:
        """The call that had ended last when the process died."""
        return self.heartbeat.last_call()

    @property
    def is_out_of_files(self) -> bool:
        """Whether the process ended because its calls have left too many files open."""
        return bool(self._process.exitcode == OUT_OF_FILES)

    def kill(self) -> None:
        """Kill the process and its children. Messages that it has sent can still be received."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        if self._process.is_alive():
            self._process.kill()
        self._process.join(_JOIN_SECONDS)

    def how_it_ended(self) -> str:
        """Return how the process ended, such as "exit code 3"."""
        if self._process.exitcode == DISCONNECTED:
            return "closes file descriptors that it did not open"
        if self.is_out_of_files:
            return "too many open files"
        return how_it_ended(self._process.exitcode)

    def messages(self) -> Iterator[Message]:
        """Yield the messages that have arrived."""
        with suppress(EOFError, OSError):
            while self.connection.poll():
                yield self.connection.recv()

    def answer(self) -> None:
        """Let the search report another bug."""
        with suppress(OSError):
            self.connection.send(None)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


def _search(
    request: SearchRequest, connection: Connection, parents: Connection, heartbeat: Heartbeat, folder: str
) -> None:
    """Run the search in the child process."""
    with suppress(OSError):
        os.setpgid(0, 0)  # Ctrl-C reaches only the parent, and the parent can kill all descendants at once
    die_with_parent()
    faulthandler.disable()  # the parent says what happened
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parents.close()  # so that the parent's death closes the pipe
    tempfile.tempdir = folder  # which the parent deletes, even if this process is killed
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    refuse_connections()
    FileGuard(folder).install()
    ProcessGuard().install()
    pipe_number = connection.fileno()
    pipe = _identity_of(pipe_number)

    must_wait = False  # whether the parent decides when the next bug may be reported

    def send(message: Message) -> None:
        nonlocal must_wait
        heartbeat.beat()
        if isinstance(message, Found):
            if must_wait:
                connection.recv()  # there must be time to write the tests of all bugs
            must_wait = True
        connection.send(message)
        heartbeat.beat()

    def check_pipe() -> None:
        """End the process after a call that has closed the pipe. The calls in progress show the parent which one."""
        if _identity_of(pipe_number) != pipe:
            _exit(DISCONNECTED)

    with Silence():
        try:
            run_search(request, send, heartbeat, after_call=check_pipe)
        except OSError as error:
            _exit(OUT_OF_FILES if is_shortage(error) else 1)


def _identity_of(descriptor: int) -> tuple[int, int] | None:
    """Return the identity of an open file; None if it is closed."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino
