"""Potential deadlocks, told by abstract locks and sites; the circles themselves are tested with the lock graph."""

from __future__ import annotations

from raddle.analysis import lock_graph
from raddle.checks.lock_cycles import LockCycles
from raddle.entities import AbstractObject, make_entities
from raddle.warning import POTENTIAL_DEADLOCK, ReportedWarning

ONE, OTHER = AbstractObject("Lock", "m.py:1"), AbstractObject("Lock", "m.py:2")
SITE = 70000


def warnings(*executions, resources=(ONE, OTHER)):
    check = LockCycles()
    for steps in executions:
        check.begin(make_entities(resources=resources))
        for step in steps:
            check.feed([step])
    return check.warnings()


def nested(thread, first, second, *, site):
    return [
        (thread, "acquire", first, SITE + site), (thread, "acquire", second, SITE + site + 1),
        (thread, "release", second, SITE + site + 1), (thread, "release", first, SITE + site),
    ]  # fmt: skip


STARTS = [(0, "start", 1, SITE), (0, "start", 2, SITE)]
CIRCLE = [*STARTS, *nested(1, 0, 1, site=10), *nested(2, 1, 0, site=20)]
EXPECTED = ReportedWarning(
    POTENTIAL_DEADLOCK,
    "the Lock made at m.py:1 -> the Lock made at m.py:2",
    (SITE + 10, SITE + 11, SITE + 20, SITE + 21),
)


def test_a_circle():
    assert warnings(CIRCLE) == [EXPECTED]


def test_it_is_told_once_whichever_threads_and_executions_showed_it():
    other_way = [*STARTS, *nested(1, 1, 0, site=20), *nested(2, 0, 1, site=10)]
    assert warnings(CIRCLE, other_way, CIRCLE + CIRCLE[2:]) == [EXPECTED]


def test_locks_of_different_executions_make_no_circle():
    assert warnings([*STARTS, *nested(1, 0, 1, site=10)], [*STARTS, *nested(2, 1, 0, site=20)]) == []


def test_locks_of_one_place_are_told_apart_within_an_execution():
    # Locks 0, 1, 2 were made in one place. 0 before 1 and 1 before 2 is no circle, although the names are the same.
    resources = (ONE, ONE, ONE)
    chain = [*STARTS, *nested(1, 0, 1, site=10), *nested(2, 1, 2, site=20)]
    assert warnings(chain, resources=resources) == []
    assert len(warnings([*chain, (0, "start", 3, SITE), *nested(3, 2, 0, site=30)], resources=resources)) == 1


def test_it_is_known_when_there_were_too_many(monkeypatch):
    monkeypatch.setattr(lock_graph, "MAX_EDGE_VISITS", 1)
    check = LockCycles()
    check.begin(make_entities(resources=[ONE, OTHER]))
    check.feed(CIRCLE)
    assert check.gave_up
