"""Attributes of communicators, the buffer for buffered sends, and error handlers."""

from __future__ import annotations

from typing import Any

from raddle.mpi.constants import TAG_UB
from raddle.mpi.library.base_comm import BaseComm
from raddle.mpi.point_to_point import running, world_of

COMM_TYPE_SHARED = 0
BSEND_OVERHEAD = 128
ATTRIBUTES = {"TAG_UB": 0, "HOST": 1, "IO": 2, "WTIME_IS_GLOBAL": 3, "APPNUM": 4, "UNIVERSE_SIZE": 6}


class ErrorHandler:
    """`MPI.Errhandler`: errors raise exceptions in any case."""

    def __init__(self, name: str) -> None:
        self.name = name

    def Free(self) -> None:  # noqa: N802
        """Release the handler."""

    def __repr__(self) -> str:
        return f"MPI.{self.name}"


ERRORS_RETURN, ERRORS_ARE_FATAL = ErrorHandler("ERRORS_RETURN"), ErrorHandler("ERRORS_ARE_FATAL")


class Managed(BaseComm):
    """The methods of communicators that exchange no data."""

    _errors = ERRORS_RETURN

    def Get_attr(self, keyval: int) -> Any:  # noqa: N802
        """Return a predefined attribute; None for an unknown one."""
        size = world_of(running()).size
        values = {"TAG_UB": TAG_UB, "WTIME_IS_GLOBAL": True, "APPNUM": 0, "UNIVERSE_SIZE": size}
        return next((values.get(name) for name, number in ATTRIBUTES.items() if number == keyval), None)

    def Set_errhandler(self, errhandler: ErrorHandler) -> None:  # noqa: N802
        """Keep the handler; errors raise exceptions in any case."""
        self._errors = errhandler

    def Get_errhandler(self) -> ErrorHandler:  # noqa: N802
        """Return the handler."""
        return self._errors


def attach_buffer(buf: Any) -> None:
    """Do nothing: there is always room for buffered sends."""


def detach_buffer() -> None:
    """Do nothing: there is no attached buffer."""
