"""Forces an execution to begin like a variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raddle.messages.choices import REFUSED, Choice, Outcome, choice_of
from raddle.messages.trace import MessageTrace
from raddle.mpi.completion import NOT_YET
from raddle.mpi.inbox import NOTHING
from raddle.mpi.message import Receive
from raddle.mpi.world import MpiWorld
from raddle.schedulers.base import Alternative, Scheduler, Thread


class Forcing(Scheduler):
    """Holds back each receive until the message that it has to take can be taken.

    All other operations proceed freely. If nothing else can proceed, a receive takes another message, so the execution
    differs from what was planned.
    """

    def __init__(self, world: MpiWorld) -> None:
        self._world = world
        self.outcomes: Mapping[Choice, Outcome] = {}  # how the next execution has to begin
        self.trace: MessageTrace | None = None  # of the last execution
        self.diverged = False  # True if the last execution did not begin as it had to

    @property
    def is_fair(self) -> bool:
        return False  # a forced switch could run a participant that is held back

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if current is not None and current in enabled and not self._is_held_back(current):
            return current
        return next((thread for thread in enabled if not self._is_held_back(thread)), enabled[0])

    def end(self) -> None:
        self.trace = MessageTrace(self._world.exchange)
        outcomes = self.trace.outcomes()
        self.diverged = any(outcomes.get(choice) != outcome for choice, outcome in self.outcomes.items())

    def _is_held_back(self, thread: Thread) -> bool:
        if thread.alternatives is None:
            return False
        outcome = self._outcome(thread)
        return outcome is not None and self._find(thread.target, outcome, thread.alternatives()) is None

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        outcome = self._outcome(thread)
        return 0 if outcome is None else self._find(thread.target, outcome, options) or 0

    def _outcome(self, thread: Thread) -> Outcome | None:
        """Return the outcome that a participant's pending operation has to have; None if any will do."""
        choice = choice_of(thread.kind, thread.target)  # type: ignore[arg-type]
        return None if choice is None else self.outcomes.get(choice)

    def _find(self, target: Any, outcome: Outcome, options: Sequence[Any]) -> int | None:
        """Return the index of the option that leads to an outcome; None if it is not possible now."""
        for at, option in enumerate(options):
            if option is NOTHING or option is NOT_YET:
                if outcome == REFUSED:
                    return at
            elif isinstance(target, Receive):
                if outcome and option.value == outcome[0]:
                    return at if self._next_message(target, outcome[0]) == outcome[1] else None
            elif option.value == outcome:
                return at
        return None

    def _next_message(self, receive: Receive, source: int) -> int:
        """Return the number of the message that a receive would take from this source now; -1 if there is none."""
        message = self._world.exchange.inbox(receive.rank, receive.context).candidate(receive, source)
        return -1 if message is None else message.number
