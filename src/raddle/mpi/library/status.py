"""`MPI.Status`: the source, tag and size of a message that was received or probed."""

from __future__ import annotations

from typing import Any

from raddle.mpi.constants import ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED
from raddle.mpi.library.errors import SUCCESS


class Status:
    """The source, the tag and the size of a message.

    >>> status = Status()
    >>> status.source == ANY_SOURCE, status.Get_error()
    (True, 0)
    """

    def __init__(self, status: Status | None = None) -> None:
        self.source: int = ANY_SOURCE
        self.tag: int = ANY_TAG
        self.error: int = SUCCESS
        self.cancelled: bool = False
        self.size_bytes: int = 0
        if status is not None:
            self.fill(status.source, status.tag, status.size_bytes)
            self.error, self.cancelled = status.error, status.cancelled

    def clear(self) -> None:
        """Describe the result of an operation on a null request."""
        self.fill(ANY_SOURCE, ANY_TAG, 0)

    def fill(self, source: int, tag: int, size_bytes: int) -> None:
        """Describe a message."""
        self.source, self.tag, self.size_bytes = source, tag, size_bytes
        self.error, self.cancelled = SUCCESS, False

    def fill_null(self) -> None:
        """Describe the result of an operation with PROC_NULL."""
        self.fill(PROC_NULL, ANY_TAG, 0)

    @property
    def count(self) -> int:
        """The size of the message in bytes."""
        return self.size_bytes

    def Get_source(self) -> int:  # noqa: N802
        """Return the rank that sent the message."""
        return self.source

    def Set_source(self, source: int) -> None:  # noqa: N802
        """Set the source."""
        self.source = source

    def Get_tag(self) -> int:  # noqa: N802
        """Return the tag of the message."""
        return self.tag

    def Set_tag(self, tag: int) -> None:  # noqa: N802
        """Set the tag."""
        self.tag = tag

    def Get_error(self) -> int:  # noqa: N802
        """Return the error code."""
        return self.error

    def Set_error(self, error: int) -> None:  # noqa: N802
        """Set the error code."""
        self.error = error

    def Is_cancelled(self) -> bool:  # noqa: N802
        """Return whether the operation was cancelled."""
        return self.cancelled

    is_cancelled = Is_cancelled

    def Get_count(self, datatype: Any = None) -> int:  # noqa: N802
        """Return the number of elements in the message, or its size in bytes without a datatype."""
        size = 1 if datatype is None else datatype.size
        if size == 0:
            return 0
        return UNDEFINED if self.size_bytes % size else self.size_bytes // size

    def Get_elements(self, datatype: Any) -> int:  # noqa: N802
        """Return the number of basic elements in the message."""
        return self.Get_count(datatype)
