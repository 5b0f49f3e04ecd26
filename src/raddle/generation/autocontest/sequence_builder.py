"""The interface of the builder that AutoConTest needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Protocol

from raddle.exploring.workbench import Workbench
from raddle.generation.strategy import Prefix, TestBuilder
from raddle.generation.testcase import Call


class SequenceBuilder(TestBuilder, Protocol):
    """A builder that can also extend sequences of calls, and that gives access to controlled executions."""

    workbench: Workbench  # has been entered, and knows the sites of generated tests
    reset: Callable[[], object] | None  # restores the state of modules and classes before an object is constructed
    folder: str  # the folder for temporary paths
    global_ids: Set[int]  # ids of the objects that can be reached from modules and classes

    def edges(self, prefix: Prefix) -> Sequence[Call]:
        """Return the calls with which any sequence may be extended, with newly drawn arguments.

        Each call has the shared object as its receiver or as an argument. Every parameter that accepts an instance of
        the class is bound to the shared object; other arguments are new in each call. The calls may raise exceptions.
        """
