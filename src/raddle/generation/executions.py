"""Runs the calls of one thread of a test after those of the other."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.execute.session import Execution
from raddle.linearizability.checker import Checker
from raddle.linearizability.history import History
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
    """Run the calls of one thread after those of the other. The history is not judged."""
    scheduler = InOrder(backwards=backwards)
    scheduler.begin(1, checker.session.known_points.version)
    return checker.execute(scheduler)


def require_legal(checker: Checker, history: History, *, backwards: bool = False) -> None:
    """Check the history of a sequential run.

    Raises:
        UnusableTestError: If whole calls do not end in the same way again.
    """
    points = checker.session.known_points
    if checker.judge(history) is None:
        return
    if CALL.point_if_observed not in points.kinds:
        # The calls may overlap because they begin with code without probes, see `Checker.search`.
        points.add_operation(CALL)
        run_sequentially(checker, backwards=backwards)
        if checker.judge() is None:
            return
    if not checker.is_repeatable():
        raise UnusableTestError("the calls do not behave in the same way in every execution")
