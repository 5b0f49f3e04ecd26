"""An assembled test: two sequences of calls with what each call does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raddle.generation.autocontest.predict import CallAccesses
from raddle.generation.autocontest.sequence_runner import RecordedCall
from raddle.generation.testcase import Call, TestCase


@dataclass(frozen=True, slots=True)
class GeneratedSequence:
    """A sequence of the repository, with what its calls did."""

    calls: tuple[Call, ...]
    recorded: tuple[RecordedCall, ...]  # what each call did
    # What each call did when the sequence was run again, as the second thread of a test. An object that both recordings
    # use although it is not part of the shared object is a global one.
    recorded_again: tuple[RecordedCall, ...]
    accesses: tuple[CallAccesses, ...]
    accesses_again: tuple[CallAccesses, ...]

    @classmethod
    def make(
        cls, calls: Sequence[Call], recorded: Sequence[RecordedCall], again: Sequence[RecordedCall]
    ) -> GeneratedSequence:
        """Return a sequence, cut where a recording of it ends."""
        length = min(len(recorded), len(again))  # shorter than the sequence only if its calls are not deterministic
        one, other = tuple(recorded[:length]), tuple(again[:length])
        return cls(tuple(calls[:length]), one, other, tuple(map(CallAccesses, one)), tuple(map(CallAccesses, other)))


@dataclass(frozen=True, slots=True)
class AssembledTest:
    """A test as the paper defines it: two sequences that two threads execute after the same prefix."""

    prefix: tuple[Call, ...]
    first: GeneratedSequence
    second: GeneratedSequence

    @property
    def test(self) -> TestCase:
        """The complete test."""
        return TestCase(self.prefix, (self.first.calls, self.second.calls))

    @property
    def calls(self) -> int:
        """The number of calls, including those that construct arguments."""
        return calls_made((*self.prefix, *self.first.calls, *self.second.calls))


def calls_made(calls: Iterable[Call]) -> int:
    """Return the number of calls, including those that construct arguments."""
    return sum(call.made_calls for call in calls)
