"""The interface of a world, which defines what the participants of an execution are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from raddle.engine.carrier import Carrier
from raddle.engine.participant import Participant
from raddle.operation import Kind
from raddle.outcome import Outcome

if TYPE_CHECKING:
    from raddle.engine.engine import Engine


class World(ABC):
    """One kind of participant (thread, rank or task), as far as the engine needs to know about it."""

    letter: str  # capital letter with which participant labels begin; see `raddle.labels`

    def begin(self, engine: Engine, main: Carrier) -> None:  # noqa: B027 -- a world need not override it
        """Begin an execution whose first participant is `main`."""

    def end(  # noqa: B027 -- a world need not override it
        self, carriers: Sequence[Carrier], unbegun: Sequence[Carrier]
    ) -> None:
        """End the execution and clean up after its participants; those in `unbegun` never ran."""

    def awaited(self, participant: Participant) -> Participant | None:
        """Return the participant that must act before the pending operation of this one becomes possible.

        Return None if this participant does not wait for another, or if any of several participants could act.
        """
        return None

    def resource_name(self, kind: Kind, target: object) -> str:
        """Return the name of an operation's target in stories; "" for the name of its class, with a number."""
        return ""

    def shown_value(self, value: object) -> object:
        """Return the value that stories show for a value that an operation transfers."""
        return value

    @abstractmethod
    def explain_error(self, error: BaseException, me: Carrier) -> Outcome:
        """Return the outcome of an execution in which a participant did not catch `error`."""

    @abstractmethod
    def explain_stuck(self, waiting: Sequence[Carrier], engine: Engine) -> Outcome | None:
        """Return the outcome if the participants in `waiting` are blocked forever; None if that is not a failure."""
