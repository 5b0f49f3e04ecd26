"""What is left out of executions with noise: variables at which no conflict is open."""

from __future__ import annotations

import random
from collections.abc import Sequence

from raddle_lab.conflicts import without_private_accesses

from raddle.step import Step


def kept(steps: Sequence[Step]) -> set[int]:
    return {target for _, kind, target, _ in without_private_accesses(steps) if kind in ("read", "write")}


def test_what_one_thread_does_is_private() -> None:
    assert kept([(0, "write", 1, 11), (0, "read", 1, 12)]) == set()


def test_reads_are_in_nobody_s_way() -> None:
    assert kept([(0, "start", 1, 10), (0, "read", 1, 11), (1, "read", 1, 12)]) == set()


def test_order_by_start_and_join() -> None:
    # Thread 0 writes variables 1 and 2 before it starts thread 1, which writes both; after the join it reads 1,
    # before the join it reads 2.
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
    assert kept(steps) == {2}
    # Everything that is no access stays, in its place.
    assert without_private_accesses(steps) == tuple(
        step for step in steps if step[1] in ("start", "join") or step[2] == 2
    )


def test_against_the_order_itself() -> None:
    """The order by program, start and join, closed under transitivity; a variable stays if two accesses conflict."""
    chance = random.Random(7)
    for _ in range(500):
        steps = some_steps(chance)
        before = closure(steps)
        accesses = [(place, step) for place, step in enumerate(steps) if step[1] in ("read", "write")]
        expected = {
            one[2]
            for here, one in accesses
            for there, other in accesses
            if here < there
            and one[2] == other[2]
            and one[0] != other[0]
            and "write" in (one[1], other[1])
            and there not in before[here]
        }
        assert kept(steps) == expected


def some_steps(chance: random.Random) -> list[Step]:
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
            other = chance.choice([one for one in running if one != thread])
            running.remove(other)
            steps.append((thread, "join", other, site))
        else:
            steps.append((thread, chance.choice(("read", "write")), chance.randrange(3), site))
    return steps


def closure(steps: Sequence[Step]) -> list[set[int]]:
    """By place: the places that come after it by the order."""
    after: list[set[int]] = [set() for _ in steps]
    for here in reversed(range(len(steps))):
        thread, kind, target, _ = steps[here]
        for there in range(here + 1, len(steps)):
            other, other_kind, other_target, _ = steps[there]
            starts = kind == "start" and other == target
            joins = other_kind == "join" and other_target == thread
            if other == thread or starts or joins:
                after[here] |= {there} | after[there]
    return after
