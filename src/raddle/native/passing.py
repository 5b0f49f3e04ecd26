"""Objects that came and went between two times that steps were handed over, and that one thread alone touched.

Most objects of most programs are like that. No criterion is about them, so nobody is told: whoever watches would
remember something for each. What is left of their accesses is that a thread was at a site (the first and the last
of them in each thread, which some criteria look at), and which sites touch which variables, for the static model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from raddle.operation import ACCESSES, ALONE
from raddle.step import Step


class Left(NamedTuple):
    """What is left of some steps."""

    steps: list[Step]
    alone: set[tuple[str, int, int]]  # kind, variable and site of those that are left out
    unheard: set[int]  # the variables of these


def leave_out(steps: Sequence[Step], fresh: Iterable[tuple[int, int]], gone: set[int]) -> Left:
    """Leave out what is about objects that have gone and that one thread alone touched.

    `fresh` are the variables that nobody has heard of before, and the objects that they are of; `gone` the variables
    about which there will be no more steps.

    >>> leave_out([(1, "write", 5, 70001), (1, "read", 5, 70002), (2, "read", 6, 70001)], [(5, 1), (6, 2)], {5})
    Left(steps=[(1, 'alone', 0, 70001), (1, 'alone', 0, 70002), (2, 'read', 6, 70001)], alone=..., unheard={5})
    """
    objects: dict[int, int] = {}
    staying: set[int] = set()
    for variable, group in fresh:
        if variable in gone:
            objects[variable] = group
        else:
            staying.add(group)
    touched: dict[int, int] = {}  # by object: the thread
    for thread, kind, target, _ in steps:
        if target in objects and kind in ACCESSES and touched.setdefault(objects[target], thread) != thread:
            staying.add(objects[target])
    unheard = {variable for variable, group in objects.items() if group not in staying}
    if not unheard:
        return Left(list(steps), set(), set())
    return _without(steps, unheard)


def _without(steps: Sequence[Step], unheard: set[int]) -> Left:
    left: list[Step] = []
    alone: set[tuple[str, int, int]] = set()
    last: dict[int, int] = {}  # by thread: where in `left` its last one stands that is left out
    for step in steps:
        thread, kind, target, site = step
        if target not in unheard or kind not in ACCESSES:
            left.append(step)
            continue
        alone.add((kind, target, site))
        place = last.get(thread)
        if place is None:
            last[thread] = -1
        elif place < 0:
            last[thread] = len(left)
        else:
            left[place] = (thread, "", 0, 0)
            last[thread] = len(left)
        left.append((thread, ALONE, 0, site))
    return Left([step for step in left if step[1]], alone, unheard)
