"""Bugs: distinct failures that generated tests have revealed."""

from __future__ import annotations

from dataclasses import dataclass, field

from raddle.generation.distinct import Identity
from raddle.generation.testcase import TestCase
from raddle.linearizability.checker import Failure
from raddle.linearizability.judgment import Oracle, Violation


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug, with the simplest test that was found for it."""

    identity: Identity
    test: TestCase
    violation: Violation
    sentence: str  # what goes wrong
    seconds: float  # when it was found
    tests: int  # number of tests until it was found
    executions: int  # number of executions until it was found
    original: TestCase = field(repr=False)  # the test before it was shrunk
    failure: Failure = field(repr=False, compare=False)
    aimed_at: int = 0  # the number of the pattern that MAPTest aimed at; 0 for other strategies
    unfinished: str = ""  # why the test could not be simplified; "" if it was
    explained_by: int = 0  # the number of the smallest pattern that explains the failure; 0 if there is none

    @property
    def oracle(self) -> Oracle:
        """What the failure violates."""
        return self.violation.oracle
