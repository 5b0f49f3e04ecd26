"""Variables without conflicting accesses are dropped from executions with noise."""

from __future__ import annotations

import random
from collections.abc import Sequence

from raddle_lab.conflicts import without_private_accesses

from raddle.step import Step


def kept_variables(steps: Sequence[Step]) -> set[int]:
    return {target for _, kind, target, _ in without_private_accesses(steps) if kind in ("read", "write")}


def test_accesses_of_one_thread_are_private() -> None:
    assert kept_variables([(0, "write", 1, 11), (0, "read", 1, 12)]) == set()


def test_reads_do_not_conflict() -> None:
    assert kept_variables([(0, "start", 1, 10), (0, "read", 1, 11), (1, "read", 1, 12)]) == set()


def test_start_and_join_order_accesses() -> None:
    # Thread 0 writes variables 1 and 2 before it starts thread 1, which writes both. Thread 0 reads variable 2 before
    # the join and variable 1 after it.
    steps: list[Step] = [
        (0, "write", 1, 10),
        (0, "write", 2, 11),
        (0, "start", 1, 12),
        (1, "write", 1, 13),
        (1, "write", 2, 14),
        (0, "read", 2, 15),
        (0, "join", 1, 16),
        (0, "read", 1, 17),
    ]
    assert kept_variables(steps) == {2}
    # All steps other than accesses are kept, and the order does not change.
    assert without_private_accesses(steps) == tuple(
        step for step in steps if step[1] in ("start", "join") or step[2] == 2
    )


def test_the_result_agrees_with_a_computed_order() -> None:
    """Find conflicting accesses that the transitive closure of program order, starts and joins leaves unordered."""
    chance = random.Random(7)
    for _ in range(500):
        steps = random_steps(chance)
        later_steps = closure(steps)
        accesses = [(place, step) for place, step in enumerate(steps) if step[1] in ("read", "write")]
        expected = {
            first[2]
            for position, first in accesses
            for later_position, second in accesses
            if position < later_position
            and first[2] == second[2]
            and first[0] != second[0]
            and "write" in (first[1], second[1])
            and later_position not in later_steps[position]
        }
        assert kept_variables(steps) == expected


def random_steps(chance: random.Random) -> list[Step]:
    steps: list[Step] = []
    running, started = [0], 1
    for site in range(chance.randrange(5, 25)):
        thread = chance.choice(running)
        dice = chance.random()
        if dice < 0.15 and started < 5:
            steps.append((thread, "start", started, site))
            running.append(started)
            started += 1
        elif dice < 0.25 and len(running) > 1:
            other = chance.choice([candidate for candidate in running if candidate != thread])
            running.remove(other)
            steps.append((thread, "join", other, site))
        else:
            steps.append((thread, chance.choice(("read", "write")), chance.randrange(3), site))
    return steps


def closure(steps: Sequence[Step]) -> list[set[int]]:
    """Return, for each step, the positions of the steps that are ordered after it."""
    after: list[set[int]] = [set() for _ in steps]
    for position in reversed(range(len(steps))):
        thread, kind, target, _ = steps[position]
        for later_position in range(position + 1, len(steps)):
            other, other_kind, other_target, _ = steps[later_position]
            starts = kind == "start" and other == target
            joins = other_kind == "join" and other_target == thread
            if other == thread or starts or joins:
                after[position] |= {later_position} | after[later_position]
    return after
