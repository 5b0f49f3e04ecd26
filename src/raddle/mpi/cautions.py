"""Cautions: what a rank left undone in an execution that did not fail.

A program with a caution may still be correct, so cautions are warnings and never findings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from raddle.mpi.call_place import at
from raddle.mpi.exchange import Exchange


class CautionKind(StrEnum):
    """The kinds of cautions."""

    UNRECEIVED = "unreceived"
    MISSING_WAIT = "missing-wait"
    MISSING_START = "missing-start"
    SHORT_MESSAGE = "short-message"
    LEAK = "leak"


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning about an execution."""

    kind: CautionKind
    subject: str  # what was left, such as "a message from R1 to R0 (tag 4)"
    sentence: str

    def as_json(self) -> dict[str, Any]:
        """Return the caution as JSON data."""
        return {"kind": str(self.kind), "subject": self.subject, "sentence": self.sentence}


def cautions_of(exchange: Exchange) -> Iterator[Caution]:
    """Yield the cautions for an execution that has ended without a failure."""
    for message in exchange.messages:
        if message.receive is None:
            subject = f"a message from R{message.source} to R{message.destination} (tag {message.tag})"
            yield Caution(
                CautionKind.UNRECEIVED,
                subject,
                f"R{message.source} sent a message to R{message.destination} (tag {message.tag}){at(message.called)}, "
                "which no receive took",
            )
    for rank in exchange.ranks:
        for opened in rank.opened:
            if opened.is_open:
                yield Caution(
                    CautionKind(opened.caution),
                    opened.subject,
                    f"R{rank.number} {opened.done} {opened.subject}{at(opened.called)}, but {opened.lacking}",
                )
    for caution, rank_number, subject, sentence in exchange.remarks:
        yield Caution(CautionKind(caution), subject, f"R{rank_number} {sentence}")
