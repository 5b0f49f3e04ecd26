"""Errors that raddle detects in the use of MPI, and that most MPI libraries would not report."""

from __future__ import annotations

from raddle.outcome import OutcomeKind


class MisuseError(Exception):
    """An MPI call that contradicts the call of another rank.

    `signature` distinguishes errors of the same kind. It is the same for all ranks that could detect the error.
    """

    def __init__(self, kind: OutcomeKind, message: str, signature: tuple[str, ...]) -> None:
        super().__init__(message)
        self.kind = kind
        self.signature = signature
