"""The interface of a step recorder: the observer that records steps for criteria.

The targets of steps depend on the world: variables and locks for threads, messages for ranks. Each installation
therefore provides its own recorder.
"""

from __future__ import annotations

from abc import abstractmethod

from raddle.engine.observer import Observer
from raddle.entities import Entities
from raddle.step import Step


class Recorder(Observer):
    """Records the steps and the entities of an execution."""

    def __init__(self) -> None:
        # The steps so far. All executions use the same list object, because probes append accesses to it directly.
        self.stream: list[Step] = []

    @abstractmethod
    def observed(self) -> tuple[tuple[Step, ...], Entities]:
        """Return the steps and the entities of the last execution."""
