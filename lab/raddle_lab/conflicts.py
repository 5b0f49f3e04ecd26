"""Drops accesses to variables that have no conflicting accesses.

Controlled executions do not record such accesses (see `raddle.observers.steps`). Most variables are used by one thread
only, or are no longer written once other threads can reach them. The paper's metrics are about shared variables.
Applying the same filter to executions with noise makes both kinds of execution comparable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from raddle.engine.variables import Variable
from raddle.step import Step


def without_private_accesses(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps without the accesses to variables that have no conflicting accesses.

    >>> started = [(0, "write", 5, 1), (0, "write", 6, 2), (0, "start", 1, 3)]  # thread 0 writes variables 5 and 6
    >>> without_private_accesses([*started, (1, "read", 5, 4), (1, "read", 6, 4), (0, "write", 6, 5)])
    ((0, 'write', 6, 2), (0, 'start', 1, 3), (1, 'read', 6, 4), (0, 'write', 6, 5))
    """
    segments: dict[int, int] = defaultdict(int)  # maps each thread to the number of threads it has started
    # Maps each thread to its clock: for each other thread, the last segment that happens before the current step.
    clocks: dict[int, dict[int, int]] = defaultdict(dict)
    variables: dict[int, Variable] = {}
    for thread, kind, target, site in steps:
        if kind == "read" or kind == "write":
            variable = variables.get(target)
            if variable is None:
                variable = variables[target] = Variable(None, "")
            variable.conflicts((thread, segments[thread], site), clocks[thread], writes=kind == "write")
        elif kind == "start":
            clocks[target] = {**clocks[thread], thread: segments[thread]}
            segments[thread] += 1
        elif kind == "join":
            for other, segment in [*clocks[target].items(), (target, segments[target])]:
                clocks[thread][other] = max(segment, clocks[thread].get(other, -1))
    kept = {number for number, variable in variables.items() if variable.conflicted}
    return tuple([step for step in steps if step[1] not in ("read", "write") or step[2] in kept])
