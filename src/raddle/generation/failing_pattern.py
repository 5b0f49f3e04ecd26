"""Finds the pattern that explains a failure.

An access that raises an exception is not recorded as a step, because steps are recorded after their operations. It is
often the last step of the pattern, as when an iteration finds that a dictionary has changed its size. So it is added to
the steps first: it is the operation for which the scheduler last chose the thread.
"""

from __future__ import annotations

from collections.abc import Set

from raddle.entities import Entities
from raddle.generation.eager import Eager
from raddle.generation.raw_patterns import RawPattern, patterns_in
from raddle.linearizability.harness import Harness
from raddle.linearizability.judgment import Oracle, Violation
from raddle.operation import ACCESSES, END, ENTER, KINDS, LEAVE, RELEASE
from raddle.step import Step

_UNWINDING = frozenset({LEAVE, RELEASE, END})


def explaining_pattern(
    harness: Harness,
    violation: Violation,
    observed: tuple[tuple[Step, ...], Entities],
    passed: Set[RawPattern],
    scheduler: Eager,
) -> RawPattern | None:
    """Return the smallest pattern of a failing execution that no passing execution of the test contains.

    If one call raises the exception, its thread must take part, with steps inside this call. None if there is no such
    pattern: the failure may be due to the values of arguments, or to locks.
    """
    steps, entities = observed
    thread = 0
    if violation.oracle is Oracle.EXCEPTIONS and not violation.is_observed and violation.calls:
        number, index = violation.calls[0]
        workers = [participant for participant in sorted({step[0] for step in steps}) if harness.is_worker(participant)]
        if number < len(workers):
            thread = workers[number]
            steps = with_failing_access(steps, scheduler, thread)
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


def with_failing_access(steps: tuple[Step, ...], scheduler: Eager, thread: int) -> tuple[Step, ...]:
    """Return the steps with the last access of a thread added, if the thread was chosen for it but did not complete it.

    >>> from raddle.generation.eager import Operation
    >>> scheduler = Eager(seed=1)
    >>> _ = scheduler.begin(1, 0)
    >>> scheduler.last[1] = Operation(1, "read", 70004)
    >>> scheduler.chosen[scheduler.last[1]] = 2
    >>> steps = (1, "read", 0, 70004), (2, "write", 0, 70009), (1, "leave", 0, 70005), (1, "end", 1, 0)
    >>> [step[:2] for step in with_failing_access(steps, scheduler, 1)]
    [(1, 'read'), (2, 'write'), (1, 'read'), (1, 'leave'), (1, 'end')]
    """
    last = scheduler.last.get(thread)
    if last is None or last.kind not in ACCESSES:
        return steps
    performed = sum((step[0], step[1], step[3]) == last for step in steps)
    variable = next((step[2] for step in steps if (step[1], step[3]) == last[1:]), None)
    if performed >= scheduler.chosen[last] or variable is None:
        return steps
    place = len(steps)  # before the steps with which the exception leaves the thread's functions
    for position in range(len(steps) - 1, -1, -1):
        if steps[position][0] == thread:
            if steps[position][1] not in _UNWINDING:
                break
            place = position
    return *steps[:place], (thread, KINDS[last.kind], variable, last.site), *steps[place:]
