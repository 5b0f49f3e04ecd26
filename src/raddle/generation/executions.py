"""Runs single executions of a test, and builds tests from methods."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.execute.session import Execution
from raddle.generation.strategy import Prefix, TestBuilder
from raddle.generation.surface import Method
from raddle.generation.testcase import Call, TestCase
from raddle.linearizability.checker import Checker
from raddle.linearizability.legal import UnusableTestError
from raddle.operation import CALL
from raddle.schedulers.base import Scheduler, Thread


class InOrder(Scheduler):
    """Runs whole calls: the threads run one after the other, forwards or backwards."""

    def __init__(self, *, backwards: bool = False) -> None:
        self._backwards = backwards

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if enabled[0].index == 0:  # the thread that starts the others
            return enabled[0]
        if current is not None and current in enabled:
            return current
        return enabled[-1] if self._backwards else enabled[0]


def run_sequentially(checker: Checker, *, backwards: bool = False) -> Execution:
    """Run the calls of one thread after those of the other.

    Raises:
        UnusableTestError: If the execution cannot be controlled, or whole calls do not end in the same way again.
    """
    scheduler, points = InOrder(backwards=backwards), checker.session.known_points
    scheduler.begin(1, points.version)
    execution, failure = checker.run(scheduler)
    if failure is not None and CALL.point_if_observed not in points.kinds:
        # The calls may overlap because they begin with code without probes, see `Checker.search`.
        points.add_operation(CALL)
        execution, failure = checker.run(scheduler)
    if failure is not None and not checker.is_repeatable():
        raise UnusableTestError("the calls do not behave in the same way in every execution")
    return execution


def build_test(builder: TestBuilder, prefix: Prefix, threads: Sequence[Sequence[Method]]) -> TestCase | None:
    """Return a test whose threads call these methods; None if a call cannot be built."""
    built: list[tuple[Call, ...]] = []
    for methods in threads:
        calls = [builder.call(prefix, method) for method in methods]
        found = tuple(call for call in calls if call is not None)
        if len(found) < len(calls):
            return None
        built.append(found)
    return TestCase(prefix.calls, tuple(built))
