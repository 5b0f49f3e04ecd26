"""The interface of a strategy: the policy that decides which tests are tried, and how each one is executed.

The search loop (`raddle.generation.search`) owns the budget, the oracle and the findings. A strategy builds tests with
a `TestBuilder` and returns them as proposals. The loop opens a checker for each proposal, lets the proposal run its
executions, and hands the result back to the strategy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar, Protocol

from raddle.entities import Entities
from raddle.generation.surface import Method, Surface
from raddle.generation.testcase import SHARED, Call, TestCase
from raddle.linearizability.checker import Checker, Failure
from raddle.step import Step


@dataclass(frozen=True, slots=True)
class Prefix:
    """Calls that construct and prepare an object, and that raised no exception when they were run in order."""

    calls: tuple[Call, ...]
    types: Mapping[str, type]  # maps each variable to the class of its value
    passed: str = ""  # the variable that later calls pass to parameters that accept it; "" if any variable will do

    @property
    def instances(self) -> tuple[str, ...]:
        """The variables with instances of the class under test; the shared object comes first."""
        cls = self.types.get(SHARED)
        return (SHARED, *(name for name, kind in self.types.items() if kind is cls and name != SHARED))

    def followed_by(self, *calls: Call) -> Prefix:
        """Return the prefix with more calls, whose results have no names."""
        return replace(self, calls=(*self.calls, *calls))


Observed = tuple[Sequence[Step], Entities]  # the steps and entities of one execution


class TestBuilder(Protocol):
    """Builds the parts of tests for one class."""

    __test__: ClassVar[bool] = False

    surface: Surface
    random: Random  # the only source of random choices

    def prefix(self, *, max_calls: int = 5, preferred: Sequence[Method] = ()) -> Prefix | None:
        """Return a new prefix; None if no constructor works. About half of its calls are of the preferred methods."""

    def call(self, prefix: Prefix, method: Method, *, receiver: str = SHARED) -> Call | None:
        """Return a call of the method that raises no exception after the prefix; None if none was found.

        `receiver` is the variable on which the method is called.
        """

    def observe(self, prefix: Prefix, calls: Sequence[Call]) -> Observed | None:
        """Run the prefix and then the calls in one thread; return the steps of the calls, None if one raises.

        The steps of the prefix are not included.
        """

    def observe_whole(self, test: TestCase) -> Observed | None:
        """Run the threads of a test one after the other; return the steps of all, None if the execution fails.

        Calls may raise exceptions. The steps of the prefix are not included.
        """


# Runs the executions of one test: returns the failure if one was found. The checker counts the executions.
Plan = Callable[[Checker], Failure | None]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A test, and how to execute it."""

    test: TestCase
    plan: Plan
    measured: bool = False  # whether the plan needs the steps of its executions


class Strategy(ABC):
    """Decides which tests are tried."""

    name: ClassVar[str]
    is_controlled: ClassVar[bool] = True  # whether executions are controlled; native ones do not compare states
    # Tests without a new bug after which the search draws other arguments and restarts the strategy; None if the
    # strategy draws other arguments itself.
    restart_after: ClassVar[int | None] = 100

    def __init__(self, builder: TestBuilder) -> None:
        self.builder = builder

    @abstractmethod
    def propose(self) -> Proposal | None:
        """Return the next proposal; None if no test could be built this time."""

    def learn(self, proposal: Proposal, failure: Failure | None) -> None:  # noqa: B027 -- most strategies do not learn
        """Learn from the result of a proposal, after its executions."""

    def patterns_of_failure(self) -> tuple[int, int]:
        """Return the pattern that the last failing execution aimed at and the one that explains the failure.

        Patterns are given by their numbers in MAP-coverage's table; 0 means that there is none.
        """
        return 0, 0

    def restart(self) -> None:  # noqa: B027 -- most strategies have no state that depends on the pools
        """Forget everything that depends on the pools of arguments, which have been drawn again."""
