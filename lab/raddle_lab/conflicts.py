"""Leaves out of an execution what no two threads could be in each other's way at.

Under control, steps at such variables are left out (see `raddle.observers.steps`): most variables belong to one
thread, or are only read once other threads know them, and the paper's metrics are about shared variables. Executions
with noise are made of the same here, so that both kinds can be compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from raddle.engine.variables import Variable
from raddle.step import Step


def without_private(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Without the accesses to variables at which there is no conflict that start and join leave open.

    >>> started = [(0, "write", 5, 1), (0, "write", 6, 2), (0, "start", 1, 3)]  # thread 0 writes variables 5 and 6
    >>> without_private([*started, (1, "read", 5, 4), (1, "read", 6, 4), (0, "write", 6, 5)])
    ((0, 'write', 6, 2), (0, 'start', 1, 3), (1, 'read', 6, 4), (0, 'write', 6, 5))
    """
    segments: dict[int, int] = defaultdict(int)  # by thread: how many threads it started
    clocks: dict[int, dict[int, int]] = defaultdict(dict)  # by thread: the last segment of others that is before it
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
