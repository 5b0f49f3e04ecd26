"""`MPI.Prequest`: persistent requests, which can be started several times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from raddle.mpi.call_place import at, called_at
from raddle.mpi.cautions import CautionKind
from raddle.mpi.library import errors
from raddle.mpi.library.request import Request
from raddle.mpi.library.status import Status
from raddle.mpi.opened import Opened
from raddle.mpi.point_to_point import running, world_of


class Prequest(Request):
    """A persistent request; `start` begins its operation."""

    def __init__(self, start: Callable[[], Request]) -> None:
        super().__init__()
        self._start = start
        self._was_started = False
        self._is_freed = False
        running().own.opened.append(
            Opened(CautionKind.LEAK, "a persistent request", "created", "never freed it", self.__bool__, called_at())
        )

    def Start(self) -> None:  # noqa: N802
        """Begin the operation."""
        if self._is_freed or self._pending is not None:
            state = "was freed" if self._is_freed else "is already active"
            raise errors.Exception(errors.ERR_REQUEST, f"the persistent request {state}")
        started = self._start()
        self._was_started = True
        self._pending, self._finish = started.release()

    @classmethod
    def Startall(cls, requests: Sequence[Prequest]) -> None:  # noqa: N802
        """Begin the operations of several requests."""
        for request in requests:
            request.Start()

    def wait(self, status: Status | None = None) -> Any:
        """Wait until the operation is complete; a request that was never started is complete."""
        if not self._was_started:
            me = running()
            world_of(me).exchange.remarks.append(
                (
                    str(CautionKind.MISSING_START),
                    me.own.number,
                    "a persistent request",
                    f"waited{at(called_at())} for a persistent request that was never started",
                )
            )
        return super().wait(status)

    def Free(self) -> None:  # noqa: N802
        """Release the request."""
        if self._is_freed:
            raise errors.Exception(errors.ERR_REQUEST, "the persistent request was freed before")
        self._is_freed = True
        self._pending = None

    def __bool__(self) -> bool:
        return not self._is_freed
