"""In a native run, criteria receive the accesses to a variable only if some of them can conflict."""

from __future__ import annotations

import random

import pytest

from raddle.engine.variables import Variable
from raddle.native.conflict_filter import Batch, ConflictFilter
from raddle.native.start_join_order import StartJoinOrder
from raddle.step import Step

START, END = (0, "start", 1, 60), (1, "end", 1, 0)


def filtered(*batches: list[Step], max_held: int = 100) -> list[Step]:
    steps_filter = ConflictFilter(max_held)
    parts = [part for steps in batches for part in steps_filter.add(Batch(steps))]
    return [step for part in (*parts, *steps_filter.drain()) for step in part.batch.steps]


def accesses(steps: list[Step]) -> list[Step]:
    return [step for step in steps if step[1] in ("read", "write")]


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([(0, "write", 5, 70), START, (1, "read", 5, 71)], "the start orders them"),
        ([START, (1, "write", 5, 71), END, (0, "join", 1, 72), (0, "read", 5, 73)], "the join orders them"),
        ([START, (1, "read", 5, 71), (0, "read", 5, 72)], "no thread writes"),
        ([START, (0, "write", 5, 71), (0, "read", 5, 72)], "only one thread accesses it"),
    ],
)
def test_accesses_that_cannot_conflict_are_dropped(steps: list[Step], why: str) -> None:
    assert filtered(steps) == [step for step in steps if step[1] not in ("read", "write")], why


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([START, (0, "write", 5, 70), (1, "read", 5, 71)], "written after the start"),
        (
            [(0, "write", 5, 70), START, (1, "read", 5, 71), (0, "write", 5, 72)],
            "accesses before the conflict are included",
        ),
        ([(0, "start", 1, 60), (0, "start", 2, 60), (1, "write", 5, 71), (2, "write", 5, 71)], "siblings"),
    ],
)
def test_conflicting_accesses_are_kept(steps: list[Step], why: str) -> None:
    assert filtered(steps) == steps, why


def test_a_join_with_a_timeout_orders_nothing() -> None:
    """As in controlled executions, the timeout may have expired before the thread ended.

    Criteria receive the step as an ordinary join.
    """
    steps: list[Step] = [START, (1, "write", 5, 71), END, (0, "join-in-time", 1, 72), (0, "read", 5, 73)]
    assert filtered(steps) == [*steps[:3], (0, "join", 1, 72), steps[4]]


def test_steps_are_held_for_a_later_conflict_up_to_the_limit() -> None:
    first: list[Step] = [START, (1, "write", 5, 70)]
    fillers: list[Step] = [(0, "enter", 0, 60)] * 10
    last: list[Step] = [(0, "write", 5, 71)]
    assert accesses(filtered(first, fillers, last, max_held=13)) == [*first[1:], *last]
    # With a lower limit, the first batch leaves the filter before the conflict occurs, so the access in that batch is
    # dropped.
    assert accesses(filtered(first, fillers, last, max_held=11)) == last


def test_numbers_of_unreported_variables_are_freed_immediately() -> None:
    steps_filter = ConflictFilter()
    steps: list[Step] = [START, (0, "write", 5, 70), (0, "write", 6, 70), (1, "write", 6, 70)]
    parts = list(steps_filter.add(Batch(steps, [(1, [5, 6])], [3])))
    assert [(part.batch.steps, part.unreported) for part in parts] == [((), {5})]
    (last,) = steps_filter.drain()
    assert (last.batch.steps, last.forgotten, last.unreported) == ([steps[0], *steps[2:]], {6}, set())
    assert last.batch.discarded_resources == [3]


@pytest.mark.parametrize("seed", range(40))
def test_the_filter_agrees_with_the_rule_of_controlled_executions(seed: int) -> None:
    """In random programs, threads start other threads, join threads that have ended, and access four variables."""
    chance = random.Random(seed)
    variables = {number: Variable(None, "") for number in range(4)}
    clocks: dict[int, dict[int, int]] = {0: {}}
    segments, steps, alive, ended = {0: 0}, [], [0], []
    for _ in range(40):
        thread = chance.choice(alive)
        action = chance.randrange(8)
        if action == 0 and len(clocks) < 7:
            child = len(clocks)
            clocks[child], segments[child] = {**clocks[thread], thread: segments[thread]}, 0
            segments[thread] += 1
            alive.append(child)
            steps.append((thread, "start", child, 60))
        elif action == 1 and thread != 0:
            alive.remove(thread)
            ended.append(thread)
        elif action == 2 and ended:
            other = chance.choice(ended)
            for index, segment in clocks[other].items():
                if index != thread:
                    clocks[thread][index] = max(segment, clocks[thread].get(index, -1))
            clocks[thread][other] = segments[other]
            steps.append((thread, "join", other, 61))
        else:
            number, writes = chance.randrange(4), chance.random() < 0.3
            variables[number].conflicts((thread, segments[thread], 70 + len(steps)), clocks[thread], writes=writes)
            steps.append((thread, "write" if writes else "read", number, 70 + len(steps)))
    reported = {step[2] for step in accesses(filtered(steps))}
    touched = {step[2] for step in accesses(steps)}
    assert reported == {number for number in touched if variables[number].conflicted}


def test_sequential_threads_do_not_copy_their_predecessors() -> None:
    """Threads do not copy the sets of threads that precede them, because 20,000 such copies would not fit in memory."""
    order = StartJoinOrder()
    for child in range(1, 20_001):
        order.start(0, child)
        order.join(0, child)
    order.start(0, 20_001)
    assert order.last_ordered_segment(20_001, 1) == 0
    assert order.last_ordered_segment(20_000, 1) == 0
    assert order.last_ordered_segment(1, 20_000) == -1
