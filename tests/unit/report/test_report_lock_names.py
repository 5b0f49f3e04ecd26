"""Locks in the lines that say who waits for whom, called as the steps call them."""

from __future__ import annotations

from found import contents

from raddle.checks.stuck import Waiter, describe
from raddle.event import Event
from raddle.report.lock_names import with_names
from raddle.report.stored import stored_findings


def taken(thread, lock, line, kind="acquire"):
    return Event(thread, kind, lock, 0, "m.py", line)


def waits(thread, lock, holder, place, *held):
    own = ", ".join(f"{name} (acquired at m.py:{line})" for name, line in held)
    return f"{thread} waits to acquire {lock}, held by {holder} (acquired at m.py:{place}) at m.py:50; holds {own}"


def test_by_holder_and_place():
    steps = [taken("T1", "Lock 3", 9), taken("T2", "Lock 1", 9), taken("T2", "RLock 1", 9)]
    assert with_names([waits("T1", "Lock", "T2", 9, ("Lock", 9))], steps) == (
        waits("T1", "Lock 1", "T2", 9, ("Lock 3", 9)),
    )


def test_what_was_released_is_not_meant():
    steps = [taken("T2", "Lock 1", 9), taken("T2", "Lock 1", 10, "release"), taken("T2", "Lock 2", 9)]
    steps += [taken("T1", "Lock 1", 7), taken("T3", "Lock 2", 8, "try-acquire")]  # T3 did not get it
    assert with_names([waits("T1", "Lock", "T2", 9, ("Lock", 7))], steps) == (
        waits("T1", "Lock 2", "T2", 9, ("Lock 1", 7)),
    )


def test_two_locks_of_one_line():
    """Which of them T1 waits for nobody can tell; T2 holds them in the order in which it took them."""
    steps = [taken("T2", "Lock 2", 9), taken("T2", "Lock 1", 9)]
    lines = [
        waits("T1", "Lock", "T2", 9, ("Lock", 30)),
        waits("T2", "Lock", "T1", 30, ("Lock", 9), ("Lock", 9)),
    ]
    assert with_names(lines, steps) == (lines[0], waits("T2", "Lock", "T1", 30, ("Lock 2", 9), ("Lock 1", 9)))


def test_a_condition_that_is_waited_for():
    line = "T1 waits for a notification of Condition at m.py:28"
    steps = [taken("T1", "Condition 2", 28, "wait"), taken("T2", "Condition 1", 30, "notify")]
    assert with_names([line], steps) == ("T1 waits for a notification of Condition 2 at m.py:28",)
    assert with_names([line], steps[1:]) == (line,)


def test_other_lines_stay_as_they_are():
    lines = ("Traceback (most recent call last):", "T0 waits for the end of T1 at m.py:13", "Lock 1", "")
    assert with_names(lines, [taken("T1", "Lock 1", 9)]) == lines


def test_lines_as_they_are_made():
    """`describe` makes them; what it makes of named locks is what is made of its lines."""

    class Lock:
        def __init__(self, name, place):
            self.name, self.taken_at = name, place

    first, second = Lock("Lock 1", "m.py:20"), Lock("Lock 2", "m.py:24")
    waiter = Waiter("T1", "acquire", second, (first,), "T2", lost=False, daemon=False, place="m.py:21")
    steps = [taken("T1", "Lock 1", 20), taken("T2", "Lock 2", 24)]
    assert with_names([describe(waiter, lambda lock: "Lock")], steps) == (describe(waiter, lambda lock: lock.name),)


def test_a_stored_story():
    steps = [
        {"thread": thread, "operation": "acquire", "variable": lock, "file": "m.py", "line": line}
        for thread, lock, line in (("T1", "Lock 1", 20), ("T2", "Lock 2", 24))
    ]
    found = {"kind": "deadlock", "steps": steps, "details": [waits("T1", "Lock", "T2", 24, ("Lock", 20))]}
    (one,) = stored_findings(contents(found))
    assert waits("T1", "Lock 2", "T2", 24, ("Lock 1", 20)) in one.story
