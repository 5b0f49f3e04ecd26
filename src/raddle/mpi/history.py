"""The history of an execution: what ranks did, in the order in which they did it."""

from __future__ import annotations

from typing import Any, NamedTuple

from raddle.engine.participant import Alternative
from raddle.operation import Kind


class Action(NamedTuple):
    """An operation of a rank that has returned.

    The type of `target` depends on the kind: a `Message` for a send, a `Receive` for a receive, a probe or a poll, a
    `Completion` or a `Selection` for a wait or a test, and a `CallStep` for a collective call.
    """

    rank: int
    kind: Kind
    target: Any
    taken: Alternative | None = None  # the outcome, if the operation has several
    refusable: bool = False  # True if the operation could find nothing although other ranks could continue
