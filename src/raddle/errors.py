"""What raddle says when it cannot do what was asked."""

from __future__ import annotations

from typing import Any


class RaddleError(Exception):
    """Something the user can put right; `slug` names its paragraph in docs/messages.md.

    >>> raise RaddleError("bad-schedule", "the schedule is empty")
    Traceback (most recent call last):
    ...
    raddle.errors.RaddleError: the schedule is empty
    """

    def __init__(self, slug: str, message: str) -> None:
        super().__init__(message)
        self.slug = slug

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.slug, str(self))


class UsageError(RaddleError):
    """The command, an option or an argument is wrong."""


class ScheduleError(RaddleError):
    """A schedule cannot be read."""


class DivergedError(RaddleError):
    """A schedule does not fit the code any more."""


class NothingTestedError(RaddleError):
    """No interleaving was tested, so that the absence of findings means nothing."""


class UnwatchedWarning(UserWarning):
    """Threads call code without probes: failures there may have been missed."""


class FindingError(AssertionError):
    """An exploration found something; the message is its story, `result` all there is to know."""

    def __init__(self, story: str, result: Any) -> None:
        super().__init__(story)
        self.result = result
