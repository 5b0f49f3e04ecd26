"""Data races by happens-before: small handwritten executions, and random ones compared with the definition."""

from __future__ import annotations

import random

from raddle.checks.races import Races
from raddle.entities import AbstractVariable, make_entities
from raddle.step import GIVES, TAKES
from raddle.warning import DATA_RACE, ReportedWarning

X, Y = AbstractVariable("m.py:C", "m.py:1", "x"), AbstractVariable("m.py:C", "m.py:1", "y")
SITE = 70000


def races(*executions, variables=(X, Y)):
    check = Races()
    for steps in executions:
        check.begin(make_entities(variables=variables))
        for step in steps:
            check.feed([step])
    return check.warnings()


def pairs(*executions):
    return [(warning.subject, *warning.sites) for warning in races(*executions)]


START = (0, "start", 1, SITE)


def test_two_unordered_conflicting_accesses_race():
    steps = [START, (0, "read", 0, SITE + 1), (1, "write", 0, SITE + 2)]
    assert races(steps) == [ReportedWarning(DATA_RACE, "C.x", (SITE + 1, SITE + 2), "read, written")]


def test_two_reads_are_no_race():
    assert pairs([START, (0, "read", 0, SITE + 1), (1, "read", 0, SITE + 2)]) == []


def test_the_sites_of_a_race_are_sorted():
    steps = [START, (0, "write", 0, SITE + 2), (1, "read", 0, SITE + 1)]
    assert races(steps) == [ReportedWarning(DATA_RACE, "C.x", (SITE + 1, SITE + 2), "read, written")]


def test_accesses_ordered_by_start_and_join_do_not_race():
    steps = [
        (0, "write", 0, SITE + 1), START, (1, "begin", 1, 0), (1, "write", 0, SITE + 2), (1, "end", 1, 0),
        (0, "join", 1, SITE), (0, "write", 0, SITE + 3),
    ]  # fmt: skip
    assert pairs(steps) == []


def test_accesses_under_one_lock_do_not_race():
    def section(thread, site):
        return [(thread, "acquire", 0, site), (thread, "write", 0, site + 1), (thread, "release", 0, site)]

    assert pairs([START, *section(0, SITE + 1), *section(1, SITE + 10)]) == []
    # Thread 1's write after its release is not ordered before thread 0's critical section.
    late = [START, *section(1, SITE + 10), (1, "write", 0, SITE + 20), *section(0, SITE + 1)]
    assert pairs(late) == [("C.x", SITE + 2, SITE + 20)]


def test_all_pairs_are_found_not_only_the_first():
    # Thread 1 writes at sites 2 and 3, and thread 0 reads at site 4. Both pairs race.
    steps = [START, (1, "write", 0, SITE + 2), (1, "write", 0, SITE + 3), (0, "read", 0, SITE + 4)]
    assert pairs(steps) == [("C.x", SITE + 2, SITE + 4), ("C.x", SITE + 3, SITE + 4)]


def test_after_a_race_all_unordered_writes_are_compared():
    # The writes of threads 1 and 2 are unordered. Thread 0 synchronizes only with thread 2, so it still races with
    # thread 1.
    steps = [
        (0, "start", 1, SITE), (0, "start", 2, SITE), (1, "write", 0, SITE + 1), (2, "write", 0, SITE + 2),
        (2, "release", 0, SITE), (0, "acquire", 0, SITE), (0, "read", 0, SITE + 3),
    ]  # fmt: skip
    assert pairs(steps) == [("C.x", SITE + 1, SITE + 2), ("C.x", SITE + 1, SITE + 3)]


def test_one_site_can_race_with_itself():
    steps = [START, (0, "write", 0, SITE + 1), (1, "write", 0, SITE + 1)]
    assert races(steps) == [ReportedWarning(DATA_RACE, "C.x", (SITE + 1, SITE + 1), "written, written")]


def test_different_objects_of_one_class_are_different_variables():
    steps = [START, (0, "write", 0, SITE + 1), (1, "write", 1, SITE + 1)]
    assert races(steps, variables=(X, X)) == []


def test_each_pair_is_reported_once_for_all_executions():
    one = [START, (0, "read", 0, SITE + 1), (1, "write", 0, SITE + 2)]
    other = [START, (1, "write", 0, SITE + 2), (0, "read", 0, SITE + 1), (0, "read", 1, SITE + 3)]
    assert pairs(one, other, one) == [("C.x", SITE + 1, SITE + 2)]


def random_trace(rng):
    threads, steps, ended = [0, 1], [START], []
    sync = sorted(GIVES | TAKES)
    sites = rng.randrange(2, 6)
    for _ in range(rng.randrange(5, 45)):
        thread = rng.choice(threads)
        chance = rng.random()
        if chance < 0.55:
            kind = rng.choice(["read", "write"])
            steps.append((thread, kind, rng.randrange(2), SITE + 10 + rng.randrange(sites)))
        elif chance < 0.85:
            steps.append((thread, rng.choice(sync), rng.randrange(3), SITE))
        elif chance < 0.92 and len(threads) + len(ended) < 7:
            new = len(threads) + len(ended)
            steps += [(thread, "start", new, SITE), (new, "begin", new, 0)]
            threads.append(new)
        elif chance < 0.96 and len(threads) > 1:
            threads.remove(thread)
            ended.append(thread)
            steps.append((thread, "end", thread, 0))
        elif ended:
            steps.append((thread, "join", rng.choice(ended), SITE))
    return steps


def by_definition(steps):
    """Return the pairs of conflicting accesses that the transitive closure leaves unordered."""

    def is_ordered(one, other):
        return (
            one[0] == other[0]
            or (one[1] in GIVES and other[1] in TAKES and one[2] == other[2])
            or (one[1] == "start" and one[2] == other[0])
            or (one[1] == "end" and other[1] == "join" and one[0] == other[2])
        )

    before, found = [], set()
    for j, later in enumerate(steps):
        ordered = set()
        for i in range(j):
            if is_ordered(steps[i], later):
                ordered |= before[i] | {i}
        before.append(ordered)
        for i in range(j):
            kinds = {steps[i][1], later[1]}
            if i not in ordered and kinds <= {"read", "write"} and "write" in kinds and steps[i][2] == later[2]:
                name = ("C.x", "C.y")[later[2]]
                found.add((name, *sorted((steps[i][3], later[3]))))
    return sorted(found)


def test_races_agree_with_the_definition_on_random_traces():
    rng = random.Random(30)
    racy = 0
    for _ in range(3000):
        steps = random_trace(rng)
        expected = by_definition(steps)
        racy += bool(expected)
        assert pairs(steps) == expected, steps
    assert racy > 1000
