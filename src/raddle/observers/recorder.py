"""The interface of a step recorder: the observer that makes the steps which criteria are shown.

What a step is about depends on the world: variables and locks for threads, messages for ranks. So each installation
chooses its recorder.
"""

from __future__ import annotations

from abc import abstractmethod

from raddle.engine.observer import Observer
from raddle.entities import Entities
from raddle.step import Step


class Recorder(Observer):
    """Makes the steps of the execution just run, and its cast."""

    def __init__(self) -> None:
        self.stream: list[Step] = []  # so far; one list for all executions, to which probes append accesses themselves

    @abstractmethod
    def observed(self) -> tuple[tuple[Step, ...], Entities]:
        """Return the steps of the execution just run, and who took part."""
