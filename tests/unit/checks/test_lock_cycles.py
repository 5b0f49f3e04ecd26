"""Warnings about potential deadlocks. The search for cycles is tested in `test_lock_graph.py`."""

from __future__ import annotations

from raddle.analysis import lock_graph
from raddle.checks.lock_cycles import LockCycles
from raddle.entities import AbstractObject, make_entities
from raddle.warning import POTENTIAL_DEADLOCK, ReportedWarning

FIRST, SECOND = AbstractObject("Lock", "m.py:1"), AbstractObject("Lock", "m.py:2")
SITE = 70000


def warnings(*executions, resources=(FIRST, SECOND)):
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
CYCLE = [*STARTS, *nested(1, 0, 1, site=10), *nested(2, 1, 0, site=20)]
EXPECTED = ReportedWarning(
    POTENTIAL_DEADLOCK,
    "the Lock made at m.py:1 -> the Lock made at m.py:2",
    (SITE + 10, SITE + 11, SITE + 20, SITE + 21),
)


def test_a_cycle_is_reported_with_its_locks_and_sites():
    assert warnings(CYCLE) == [EXPECTED]


def test_a_cycle_is_reported_once_for_all_threads_and_executions():
    other_way = [*STARTS, *nested(1, 1, 0, site=20), *nested(2, 0, 1, site=10)]
    assert warnings(CYCLE, other_way, CYCLE + CYCLE[2:]) == [EXPECTED]


def test_locks_of_different_executions_make_no_cycle():
    assert warnings([*STARTS, *nested(1, 0, 1, site=10)], [*STARTS, *nested(2, 1, 0, site=20)]) == []


def test_locks_created_at_one_line_are_distinguished_within_an_execution():
    # Locks 0, 1 and 2 were created at the same line. Acquiring 0 before 1 and 1 before 2 creates no cycle, although
    # the locks have the same description.
    resources = (FIRST, FIRST, FIRST)
    chain = [*STARTS, *nested(1, 0, 1, site=10), *nested(2, 1, 2, site=20)]
    assert warnings(chain, resources=resources) == []
    assert len(warnings([*chain, (0, "start", 3, SITE), *nested(3, 2, 0, site=30)], resources=resources)) == 1


def test_the_check_records_that_it_gave_up(monkeypatch):
    monkeypatch.setattr(lock_graph, "MAX_EDGE_VISITS", 1)
    check = LockCycles()
    check.begin(make_entities(resources=[FIRST, SECOND]))
    check.feed(CYCLE)
    assert check.gave_up
