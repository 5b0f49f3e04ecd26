"""Finds the pattern that explains a failure."""

from __future__ import annotations

from collections.abc import Set

from raddle.entities import Entities
from raddle.generation.raw_patterns import RawPattern, patterns_in
from raddle.linearizability.harness import Harness
from raddle.linearizability.judgment import Oracle, Violation
from raddle.operation import ENTER, LEAVE
from raddle.step import Step


def explaining_pattern(
    harness: Harness, violation: Violation, observed: tuple[tuple[Step, ...], Entities], passed: Set[RawPattern]
) -> RawPattern | None:
    """Return the smallest pattern of a failing execution that no passing execution of the test contains.

    If one call raises the exception, its thread must take part, with steps inside this call. None if there is no such
    pattern: the failure may be due to the values of arguments, or to locks.
    """
    steps, entities = observed
    thread = 0
    if violation.oracle is Oracle.EXCEPTIONS:
        number, index = violation.calls[0]
        workers = [participant for participant in sorted({step[0] for step in steps}) if harness.is_worker(participant)]
        if number < len(workers):
            thread = workers[number]
            if index:
                steps = _without_earlier_calls(steps, thread)
    found = patterns_in(steps, entities, thread=thread) - passed
    return min(found, default=None)


def _without_earlier_calls(steps: tuple[Step, ...], thread: int) -> tuple[Step, ...]:
    """Return the steps without those of a thread before its last call of a method with probes."""
    depth, start = 0, 0
    for position, (number, kind, _, _) in enumerate(steps):
        if number == thread:
            if kind == ENTER:
                if depth == 0:
                    start = position
                depth += 1
            elif kind == LEAVE:
                depth -= 1
    return tuple([step for position, step in enumerate(steps) if step[0] != thread or position >= start])
