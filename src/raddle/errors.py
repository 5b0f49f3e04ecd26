"""The exceptions and warnings of raddle."""

from __future__ import annotations

from typing import Any


class RaddleError(Exception):
    """Base class of errors that the user can fix. `slug` names the paragraph about the error in docs/messages.md.

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
    """A command, an option or an argument is invalid."""


class ScheduleError(RaddleError):
    """The text of a schedule cannot be parsed."""


class DivergedError(RaddleError):
    """A schedule does not fit the code, usually because the code has changed."""


class NothingTestedError(RaddleError):
    """No interleaving was tested, so the absence of findings means nothing."""


class UnwatchedWarning(UserWarning):
    """Threads call code without probes, where failures may have been missed."""


class FindingError(AssertionError):
    """An exploration found a failure. The message is the story of the finding; `result` is the complete `Result`."""

    def __init__(self, story: str, result: Any) -> None:
        super().__init__(story)
        self.result = result
