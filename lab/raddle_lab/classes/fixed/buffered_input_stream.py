"""Buffered reading from another stream, with a lock in `close`."""

from __future__ import annotations

from raddle_lab.classes import buffered_input_stream


class BufferedInputStream(buffered_input_stream.BufferedInputStream):
    """A buffered stream over another binary stream. Threads may share it."""

    def close(self) -> None:
        with self._lock:
            super().close()
