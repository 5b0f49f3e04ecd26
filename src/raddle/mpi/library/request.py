"""`MPI.Request`: nonblocking operations that a program can wait for or test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from raddle.mpi import completion
from raddle.mpi.call_place import called_at
from raddle.mpi.cautions import CautionKind
from raddle.mpi.completion import PendingReceive, PendingSend
from raddle.mpi.constants import UNDEFINED
from raddle.mpi.library import errors
from raddle.mpi.library.refusal import Refusing
from raddle.mpi.library.status import Status
from raddle.mpi.opened import Opened
from raddle.mpi.point_to_point import running


class Request(Refusing):
    """A nonblocking send or receive.

    `pending` is None for a null request. `finish` is called once when the operation is complete: it fills the status
    and returns the received object, if any.
    """

    def __init__(
        self,
        pending: PendingReceive | PendingSend | None = None,
        finish: Callable[[Status | None], Any] = lambda status: None,
    ) -> None:
        self._pending = pending
        self._finish = finish
        if pending is not None:
            self._register(pending)

    def _register(self, pending: PendingReceive | PendingSend) -> None:
        receives = isinstance(pending, PendingReceive)
        running().own.opened.append(
            Opened(
                CautionKind.MISSING_WAIT,
                f"a receive of {pending.receive}" if isinstance(pending, PendingReceive) else "a send",
                "posted" if receives else "started",
                "never completed it with a wait or a test",
                self.__bool__,
                called_at(),
            )
        )

    @property
    def pending(self) -> PendingReceive | PendingSend | None:
        """The operation, or None if the request is null or complete."""
        return self._pending

    def collect(self, status: Status | None) -> Any:
        """Mark a complete request as null; return the received object, if any."""
        self._pending = None
        return self._finish(status)

    def release(self) -> tuple[PendingReceive | PendingSend | None, Callable[[Status | None], Any]]:
        """Hand the operation over to a persistent request."""
        pending, self._pending = self._pending, None
        return pending, self._finish

    def __bool__(self) -> bool:
        return self._pending is not None

    # -- one request ----------------------------------------------------------------------------------

    def wait(self, status: Status | None = None) -> Any:
        """Wait until the operation is complete; return the received object, if any."""
        if self._pending is None:
            return _null(status)
        completion.wait_for([self._pending])
        return self.collect(status)

    def test(self, status: Status | None = None) -> tuple[bool, Any]:
        """Return whether the operation is complete, and the received object, if any."""
        if self._pending is None:
            return True, _null(status)
        if completion.test_for_some([self._pending], [(0,)]) is None:
            return False, None
        return True, self.collect(status)

    def Wait(self, status: Status | None = None) -> bool:  # noqa: N802
        """Wait until the operation is complete."""
        self.wait(status)
        return True

    def Test(self, status: Status | None = None) -> bool:  # noqa: N802
        """Return whether the operation is complete."""
        return self.test(status)[0]

    def Free(self) -> None:  # noqa: N802
        """Release the request; the operation completes without it."""
        if self._pending is None:
            raise errors.Exception(errors.ERR_REQUEST, "the request is null: it is complete, or was freed")
        self._pending = None

    # -- several requests -----------------------------------------------------------------------------

    @classmethod
    def waitall(cls, requests: Sequence[Request], statuses: list[Status] | None = None) -> list[Any]:
        """Wait until all operations are complete; return the received objects."""
        pending = [request.pending for request in requests if request.pending is not None]
        if pending:
            completion.wait_for(pending)
        return _collect_each(requests, range(len(requests)), statuses)

    @classmethod
    def waitany(cls, requests: Sequence[Request], status: Status | None = None) -> tuple[int, Any]:
        """Wait until some operation is complete; return its position and the received object."""
        active = _active(requests)
        if not active:
            return UNDEFINED, _null(status)
        ((chosen),) = completion.wait_for_some([_pending(requests[i]) for i in active], _singles(len(active)))
        return active[chosen], requests[active[chosen]].collect(status)

    @classmethod
    def waitsome(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Wait until some operations are complete; return their positions and the received objects."""
        active = _active(requests)
        if not active:
            return None, None
        chosen = completion.wait_for_some([_pending(requests[i]) for i in active], _subsets(len(active)))
        positions = [active[number] for number in chosen]
        return positions, _collect_each(requests, positions, statuses)

    @classmethod
    def testall(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> tuple[bool, list[Any] | None]:
        """Return whether all operations are complete, and the received objects."""
        pending = [request.pending for request in requests if request.pending is not None]
        if pending and completion.test_for_some(pending, [tuple(range(len(pending)))]) is None:
            return False, None
        return True, _collect_each(requests, range(len(requests)), statuses)

    @classmethod
    def testany(cls, requests: Sequence[Request], status: Status | None = None) -> tuple[int, bool, Any]:
        """Return the position of a complete operation, whether there is one, and the received object."""
        active = _active(requests)
        if not active:
            return UNDEFINED, True, _null(status)
        chosen = completion.test_for_some([_pending(requests[i]) for i in active], _singles(len(active)))
        if chosen is None:
            return UNDEFINED, False, None
        return active[chosen[0]], True, requests[active[chosen[0]]].collect(status)

    @classmethod
    def testsome(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Return the positions of complete operations, and the received objects."""
        active = _active(requests)
        if not active:
            return None, None
        chosen = completion.test_for_some([_pending(requests[i]) for i in active], _subsets(len(active)))
        positions = [active[number] for number in chosen or ()]
        return positions, _collect_each(requests, positions, statuses)

    @classmethod
    def Waitall(cls, requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:  # noqa: N802
        """Wait until all operations are complete."""
        cls.waitall(requests, statuses)
        return True

    @classmethod
    def Waitany(cls, requests: Sequence[Request], status: Status | None = None) -> int:  # noqa: N802
        """Wait until some operation is complete; return its position."""
        return cls.waitany(requests, status)[0]

    @classmethod
    def Waitsome(  # noqa: N802
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> list[int] | None:
        """Wait until some operations are complete; return their positions."""
        return cls.waitsome(requests, statuses)[0]

    @classmethod
    def Testall(cls, requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:  # noqa: N802
        """Return whether all operations are complete."""
        return cls.testall(requests, statuses)[0]

    @classmethod
    def Testany(cls, requests: Sequence[Request], status: Status | None = None) -> tuple[int, bool]:  # noqa: N802
        """Return the position of a complete operation, and whether there is one."""
        return cls.testany(requests, status)[:2]

    @classmethod
    def Testsome(  # noqa: N802
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> list[int] | None:
        """Return the positions of complete operations."""
        return cls.testsome(requests, statuses)[0]


REQUEST_NULL = Request()
MAX_SUBSETS = 4  # number of requests up to which `waitsome` tries every set of complete operations


def _null(status: Status | None) -> Any:
    if status is not None:
        status.clear()


def _active(requests: Sequence[Request]) -> list[int]:
    return [number for number, request in enumerate(requests) if request.pending is not None]


def _pending(request: Request) -> PendingReceive | PendingSend:
    assert request.pending is not None
    return request.pending


def _singles(count: int) -> list[tuple[int, ...]]:
    return [(number,) for number in range(count)]


def _subsets(count: int) -> list[tuple[int, ...]]:
    """Return the sets of operations that may be complete together: each single one, and all of them."""
    if count > MAX_SUBSETS:
        return [*_singles(count), tuple(range(count))]
    return [numbers for size in range(1, count + 1) for numbers in combinations(range(count), size)]


def _collect_each(requests: Sequence[Request], positions: Sequence[int], statuses: list[Status] | None) -> list[Any]:
    """Collect the requests at these positions; fill as many statuses, extending the list if it is too short."""
    if statuses is not None:
        statuses += [Status() for _ in range(len(positions) - len(statuses))]
    received = []
    for at, position in enumerate(positions):
        status = None if statuses is None else statuses[at]
        request = requests[position]
        received.append(_null(status) if request.pending is None else request.collect(status))
    return received
