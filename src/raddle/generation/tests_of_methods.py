"""Builds tests whose threads call given methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raddle.generation.expressions import Variable
from raddle.generation.strategy import Prefix, TestBuilder
from raddle.generation.surface import Method
from raddle.generation.testcase import SHARED, Call, TestCase

CROSSED = 0.3  # share of the tests with several instances in which the threads call methods of different ones


def build_test(builder: TestBuilder, prefix: Prefix, threads: Sequence[Sequence[Method]]) -> TestCase | None:
    """Return a test whose threads call these methods; None if a call cannot be built."""
    crossed = crossed_test(builder, prefix, threads)
    if crossed is not None:
        return crossed
    built = [_calls(builder, prefix, methods, SHARED) for methods in threads]
    found = [calls for calls in built if calls is not None]
    return TestCase(prefix.calls, tuple(found)) if len(found) == len(built) else None


def crossed_test(
    builder: TestBuilder, prefix: Prefix, threads: Sequence[Sequence[Method]], *, share: float = CROSSED
) -> TestCase | None:
    """Return a test whose threads call these methods of different instances, in this share of the cases.

    The result is None in the other cases, and if there is only one instance or no call passes the other one.

    The calls pass the instance of the other thread, so they can use the locks of both objects in opposite orders.
    """
    if len(prefix.instances) < 2 or len(threads) < 2 or builder.random.random() >= share:
        return None
    other = builder.random.choice(prefix.instances[1:])
    one = _calls(builder, replace(prefix, passed=other), threads[0], SHARED)
    if one is None or not any(passes(call, other) for call in one):
        return None
    rest = [_calls(builder, replace(prefix, passed=SHARED), methods, other) for methods in threads[1:]]
    found = [one, *(calls for calls in rest if calls is not None)]
    return TestCase(prefix.calls, tuple(found)) if len(found) == len(threads) else None


def passes(call: Call, name: str) -> bool:
    """Return whether a call passes a variable itself as an argument."""
    return Variable(name) in (*call.arguments, *(value for _, value in call.keywords))


def _calls(builder: TestBuilder, prefix: Prefix, methods: Sequence[Method], receiver: str) -> tuple[Call, ...] | None:
    """Return the calls of a thread, which work when they run in order after the prefix; None if one does not."""
    calls: list[Call] = []
    for method in methods:
        call = builder.call(prefix.followed_by(*calls), method, receiver=receiver)
        if call is None:
            return None
        calls.append(call)
    return tuple(calls)
