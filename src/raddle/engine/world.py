"""The interface of a world: what the participants of an execution are, and what the engine asks about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from raddle.engine.carrier import Carrier
from raddle.engine.participant import Participant
from raddle.outcome import Outcome

if TYPE_CHECKING:
    from raddle.engine.engine import Engine


class World(ABC):
    """Threads, ranks, tasks: one of them is at work in an execution."""

    letter: str  # a capital letter with which the labels of its participants begin; see `raddle.labels`

    def begin(self, engine: Engine, main: Carrier) -> None:  # noqa: B027 -- a world need not override it
        """Begin an execution, whose first participant is `main`."""

    def end(  # noqa: B027 -- a world need not override it
        self, carriers: Sequence[Carrier], unbegun: Sequence[Carrier]
    ) -> None:
        """End the execution and clean up after its participants; those `unbegun` never ran."""

    def awaited(self, participant: Participant) -> Participant | None:
        """Return the participant that has to act before the pending operation of this one can be done.

        None if it waits for none, or if any of several will do.
        """
        return None

    @abstractmethod
    def explain_error(self, error: BaseException, me: Carrier) -> Outcome:
        """Return the outcome of an execution in which `error` escaped from a participant."""

    @abstractmethod
    def explain_stuck(self, waiting: Sequence[Carrier], engine: Engine) -> Outcome | None:
        """Return the outcome if none of `waiting` can ever go on; None if that is no failure."""
