"""The exceptions of the MPI library."""

from __future__ import annotations

import builtins

from raddle.outcome import OutcomeKind

SUCCESS = 0
ERR_BUFFER = 1
ERR_COUNT = 2
ERR_TYPE = 3
ERR_TAG = 4
ERR_COMM = 5
ERR_RANK = 6
ERR_REQUEST = 7
ERR_ROOT = 8
ERR_GROUP = 9
ERR_OP = 10
ERR_TOPOLOGY = 11
ERR_DIMS = 12
ERR_ARG = 13
ERR_UNKNOWN = 14
ERR_TRUNCATE = 15
ERR_OTHER = 16
ERR_INTERN = 17
ERR_IN_STATUS = 18
ERR_PENDING = 19

_NAMES = {value: name for name, value in list(globals().items()) if name.startswith("ERR_") or name == "SUCCESS"}


class Exception(RuntimeError):  # noqa: N818 -- the name in mpi4py
    """An error that an MPI call reports, with the class of the error and a sentence.

    >>> error = Exception(ERR_RANK, "rank 7 is not in a communicator of 4 ranks")
    >>> error.Get_error_class() == ERR_RANK, str(error)
    (True, 'MPI_ERR_RANK: rank 7 is not in a communicator of 4 ranks')
    """

    def __init__(self, ierr: int = SUCCESS, why: str = "") -> None:
        super().__init__(ierr, why)
        self.ierr = ierr
        self.why = why

    @property
    def error_class(self) -> int:
        """The class of the error, one of the constants `MPI.ERR_...`."""
        return self.ierr

    @property
    def error_code(self) -> int:
        """The code of the error, which equals its class here."""
        return self.ierr

    @property
    def error_string(self) -> str:
        """The description of the error."""
        return str(self)

    def Get_error_class(self) -> int:  # noqa: N802
        """Return the class of the error."""
        return self.ierr

    def Get_error_code(self) -> int:  # noqa: N802
        """Return the code of the error."""
        return self.ierr

    def Get_error_string(self) -> str:  # noqa: N802
        """Return the description of the error."""
        return str(self)

    def __str__(self) -> str:
        name = f"MPI_{_NAMES.get(self.ierr, 'ERR_UNKNOWN')}"
        return f"{name}: {self.why}" if self.why else name

    def __int__(self) -> int:
        return self.ierr


_KINDS = {ERR_TRUNCATE: OutcomeKind.TRUNCATED, ERR_REQUEST: OutcomeKind.REQUEST_MISUSE}
_INVALID_ARGUMENTS = range(ERR_BUFFER, ERR_ARG + 1)


def kind_of(error: Exception) -> OutcomeKind:
    """Return the kind of the outcome of an execution in which a rank did not catch this error."""
    default = OutcomeKind.INVALID_ARGUMENT if error.ierr in _INVALID_ARGUMENTS else OutcomeKind.EXCEPTION
    return _KINDS.get(error.ierr, default)


class UnsupportedCallError(builtins.Exception):
    """A program used a part of MPI that raddle does not simulate. This ends the search."""


class AbortError(builtins.Exception):
    """A rank called `Abort`."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the rank called Abort({code})")
        self.code = code
