"""The arguments of observers: those that the calls of the same test pass.

If both threads call `add("a")`, then `total("a")` shows what they did, and `total("b")` does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from raddle.generation.expressions import Expression, variables_in
from raddle.generation.pools import arguments_of
from raddle.generation.surface import Method, Parameter
from raddle.generation.testcase import SHARED, Call, TestCase


class Pools(Protocol):
    """What the arguments of observers need to know about parameters."""

    def required(self, method: Method) -> Sequence[Parameter]:
        """Return the parameters for which every call of a method passes an argument."""

    def pool(self, method: Method, parameter: Parameter) -> Sequence[Expression]:
        """Return the expressions that suit a parameter."""

    def call_with(self, method: Method, values: Mapping[str, Expression]) -> Call:
        """Return a call that passes these arguments."""


def observing_calls(method: Method, test: TestCase, pools: Pools) -> tuple[Call, ...]:
    """Return calls of a method that can observe the state at the end of a test.

    There is one for each call of the threads whose arguments it can pass, and one if it can pass none of them. The
    result is empty if nothing suits a parameter.
    """
    required = pools.required(method)
    made = {call.result for call in test.prefix} - {""}
    receivers = _receivers(test, made)
    if not required:
        return tuple(_on(pools.call_with(method, {}), receivers))
    threads = [call for thread in test.threads for call in thread]
    found: dict[Call, None] = {}
    for first in threads:
        values = {}
        for parameter in required:
            suitable = _suitable(method, parameter, [first, *threads, *test.prefix], pools)
            value = next((one for one in suitable if variables_in(one) <= made), None)
            if value is not None:
                values[parameter.name] = value
        if len(values) == len(required):
            found.update(dict.fromkeys(_on(pools.call_with(method, values), receivers)))
    return tuple(found)


def _receivers(test: TestCase, made: Collection[str]) -> list[str]:
    """Return the variables on which the threads make calls; the shared object if there are none."""
    used = dict.fromkeys(call.receiver for thread in test.threads for call in thread)
    return [name for name in used if name in made] or [SHARED]


def _on(call: Call, receivers: Sequence[str]) -> Iterator[Call]:
    for receiver in receivers:
        yield replace(call, receiver=receiver)


def _suitable(method: Method, parameter: Parameter, calls: Sequence[Call], pools: Pools) -> Iterator[Expression]:
    """Yield expressions for a parameter, the best one first.

    Of each call, first come those that it passes for a parameter of the same name, and then those in the pool of the
    parameter: different parameters have expressions in common if their values have the same purpose.
    """
    pool = pools.pool(method, parameter)
    for call in calls:
        passed = list(arguments_of(call))
        yield from (value for other, value in passed if other.name == parameter.name)
        yield from (value for _, value in passed if value in pool)
    yield from pool
