"""Appenders that write events to streams and files."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TextIO

from raddle_lab.classes.appender_skeleton import AppenderSkeleton, ErrorHandler, Layout, LogEvent
from raddle_lab.classes.validation import above_zero


class MemoryFile(io.StringIO):
    """A file in memory whose text stays readable after it is closed."""

    def close(self) -> None:
        """Keep the text."""


class MemoryFiles:
    """Files in memory, by name."""

    def __init__(self) -> None:
        self._files: dict[str, MemoryFile] = {}

    def open(self, name: str, append: bool) -> TextIO:
        """Open a file for writing, at its end if `append` is true; raise ValueError if it has no name."""
        if not name.strip():
            raise ValueError("the file has no name")
        if not append:
            self._files.pop(name, None)
        return self._files.setdefault(name, MemoryFile())

    def text(self, name: str) -> str:
        """Return what was written to a file, or an empty text if it does not exist."""
        stream = self._files.get(name)
        return stream.getvalue() if stream else ""


class QuietWriter:
    """Writes to a stream, and passes errors to an error handler instead of raising them."""

    def __init__(self, stream: TextIO, error_handler: ErrorHandler) -> None:
        self._stream = stream
        self._error_handler = error_handler

    def set_error_handler(self, handler: ErrorHandler) -> None:
        self._error_handler = handler

    def write(self, text: str) -> None:
        try:
            self._stream.write(text)
        except (OSError, ValueError) as error:
            self._error_handler.error(f"failed to write {text!r}: {error}")

    def flush(self) -> None:
        try:
            self._stream.flush()
        except (OSError, ValueError) as error:
            self._error_handler.error(f"failed to flush: {error}")

    def close(self) -> None:
        try:
            self._stream.close()
        except (OSError, ValueError) as error:
            self._error_handler.error(f"failed to close: {error}")


class WriterAppender(AppenderSkeleton):
    """Writes events to a stream."""

    def __init__(self, layout: Layout | None = None, stream: TextIO | None = None) -> None:
        super().__init__(layout)
        self._immediate_flush = True
        self._encoding: str | None = None
        self._writer: QuietWriter | None = None
        if stream is not None:
            self.set_writer(stream)

    def is_immediate_flush(self) -> bool:
        return self._immediate_flush

    def set_immediate_flush(self, flag: bool) -> None:
        """Choose whether the stream is flushed after each event."""
        self._immediate_flush = flag

    def get_encoding(self) -> str | None:
        return self._encoding

    def set_encoding(self, encoding: str | None) -> None:
        self._encoding = encoding

    def requires_layout(self) -> bool:
        return True

    def set_error_handler(self, handler: ErrorHandler | None) -> None:
        """Set the error handler of the appender and of its stream; None is ignored."""
        with self._lock:
            super().set_error_handler(handler)
            if self._writer is not None:
                self._writer.set_error_handler(self._error_handler)

    def set_writer(self, stream: TextIO) -> None:
        """Close the current stream, and write to another one."""
        with self._lock:
            self._reset()
            self._writer = QuietWriter(stream, self._error_handler)
            self._write_header()

    def append(self, event: LogEvent) -> None:
        """Write an event; if that is impossible, for example after `close`, tell the error handler."""
        if self._check_entry_conditions():
            self._write_event(event)

    def close(self) -> None:
        """Write the footer, and close the stream."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._write_footer()
            self._reset()

    def _check_entry_conditions(self) -> bool:
        problem = None
        if self._closed:
            problem = "the appender is closed"
        elif self._writer is None:
            problem = "the appender has no stream"
        elif self._layout is None:
            problem = "the appender has no layout"
        if problem:
            self._error_handler.error(problem)
        return problem is None

    def _write_event(self, event: LogEvent) -> None:
        self._writer.write(self._layout.format(event))
        if self._immediate_flush:
            self._writer.flush()

    def _write_header(self) -> None:
        if self._layout is not None and self._writer is not None and self._layout.header:
            self._writer.write(self._layout.header)

    def _write_footer(self) -> None:
        if self._layout is not None and self._writer is not None and self._layout.footer:
            self._writer.write(self._layout.footer)

    def _reset(self) -> None:
        self._close_writer()
        self._writer = None

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()


class FileAppender(WriterAppender):
    """Writes events to a file.

    An appender is meant to be shared: several threads may change its settings and use it at the same time. Files are
    opened by a function that receives the name and whether to append; by default, files are in memory.
    """

    def __init__(
        self,
        layout: Layout | None = None,
        file_name: str | None = None,
        open_file: Callable[[str, bool], TextIO] | None = None,
    ) -> None:
        super().__init__(layout)
        self._file_append = True
        self._file_name = file_name
        self._buffered_io = False
        self._buffer_size = 8192
        self._open = open_file or MemoryFiles().open
        self.activate_options()

    def get_file(self) -> str | None:
        return self._file_name

    def set_file(self, name: str) -> None:
        """Set the name of the file that `activate_options` opens."""
        self._file_name = name.strip()

    def get_append(self) -> bool:
        return self._file_append

    def set_append(self, flag: bool) -> None:
        """Choose whether an existing file is kept when it is opened."""
        self._file_append = flag

    def get_buffered_io(self) -> bool:
        return self._buffered_io

    def set_buffered_io(self, flag: bool) -> None:
        """Choose whether output is buffered; buffered output is not flushed after each event."""
        self._buffered_io = flag
        if flag:
            self._immediate_flush = False

    def get_buffer_size(self) -> int:
        return self._buffer_size

    def set_buffer_size(self, size: int) -> None:
        self._buffer_size = above_zero("buffer size", size)

    def activate_options(self) -> None:
        """Open the file; do nothing if it has no name."""
        if self.get_file() is not None:
            self.open_file(self.get_file(), self.get_append(), self.get_buffered_io(), self.get_buffer_size())

    def open_file(self, name: str, append: bool, buffered_io: bool, buffer_size: int) -> None:
        """Close the current file, and write to another one; raise ValueError if it has no name."""
        with self._lock:
            above_zero("buffer size", buffer_size)
            self._reset()
            if buffered_io:
                self.set_immediate_flush(False)
            self.set_writer(self._open(name, append))
            self._file_name = name
            self._file_append = append
            self._buffered_io = buffered_io
            self._buffer_size = buffer_size

    def _reset(self) -> None:
        super()._reset()
        self._file_name = None
