"""A test case: calls that prepare an object, and the calls that threads then make on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raddle.generation.expressions import Expression, constructions, size, variables_in
from raddle.generation.surface import Method
from raddle.linearizability.history import OBSERVERS, Position

SHARED = "shared"  # the variable that holds the object under test; exported tests use a name derived from its class


@dataclass(frozen=True, slots=True)
class Call:
    """One call. Its receiver is a variable of the test; constructors, static methods and functions have none."""

    method: Method
    arguments: tuple[Expression, ...] = ()  # for a FUNCTION, these include the shared object
    keywords: tuple[tuple[str, Expression], ...] = ()
    receiver: str = SHARED
    result: str = ""  # the variable that holds the result, "" if no later call uses it
    consumed: bool = False  # whether the result is an iterator, from which the call makes a list

    @property
    def variables(self) -> frozenset[str]:
        """The variables that the arguments use."""
        return frozenset().union(
            *map(variables_in, self.arguments), *(variables_in(value) for _, value in self.keywords)
        )

    @property
    def made_calls(self) -> int:
        """The number of calls that are made, including those that construct the arguments."""
        return 1 + sum(map(constructions, self.arguments)) + sum(constructions(value) for _, value in self.keywords)

    @property
    def size(self) -> int:
        """The number of parts of the call; smaller calls are simpler."""
        return 1 + sum(map(size, self.arguments)) + sum(size(value) for _, value in self.keywords)


@dataclass(frozen=True, slots=True)
class TestCase:
    """A concurrent test of a class.

    The first call of the prefix constructs the object under test (`result` is `SHARED`). A thread's calls may use the
    results of prefix calls and of earlier calls of the same thread. The observers run after the threads.
    """

    __test__ = False  # pytest must not collect this class

    prefix: tuple[Call, ...]
    threads: tuple[tuple[Call, ...], ...]
    observers: tuple[Call, ...] = ()

    def calls(self) -> Iterator[Call]:
        """Yield all calls, in the order of the source."""
        yield from self.prefix
        for thread in self.threads:
            yield from thread
        yield from self.observers

    def at(self, position: Position) -> Call:
        """Return a call of a thread, or an observer."""
        row, index = position
        return self.observers[index] if row == OBSERVERS else self.threads[row][index]

    @property
    def size(self) -> tuple[int, int]:
        """The number of calls and of their parts; smaller tests are simpler."""
        calls = list(self.calls())
        return len(calls), sum(call.size for call in calls)
