"""`first_difference`, which compares traces up to the order of steps that commute."""

from __future__ import annotations

import itertools

from raddle.analysis.equivalence import first_difference
from raddle.event import Event
from raddle.trace import Trace


def trace(*steps):
    """Build a trace from steps such as 'T1 write x'. Variables are numbered in order of appearance."""
    numbers = {}
    events = []
    for step in steps:
        thread, kind, name = step.split()
        events.append(Event(thread, kind, name, numbers.setdefault(name, len(numbers) + 1), "p.py", 1))
    return Trace(tuple(events))


def same(one, other):
    return first_difference(one, other) is None


def test_steps_on_different_variables_commute():
    assert same(trace("T1 write x", "T2 write y"), trace("T2 write y", "T1 write x"))


def test_reads_commute_and_writes_do_not():
    assert same(trace("T1 read x", "T2 read x"), trace("T2 read x", "T1 read x"))
    assert not same(trace("T1 read x", "T2 write x"), trace("T2 write x", "T1 read x"))
    assert not same(trace("T1 write x", "T2 write x"), trace("T2 write x", "T1 write x"))


def test_traces_differ_if_a_thread_has_fewer_steps():
    one, other = trace("T1 read x", "T1 read y"), trace("T1 read x")
    left, right = first_difference(one, other)
    assert (left.variable, right) == ("y", None)


def test_traces_differ_if_objects_do_not_correspond():
    # T1 and T2 read the same object in one trace, and two different objects in the other.
    one = Trace(tuple(Event(t, "read", "C.n", 1, "p.py", 1) for t in ("T1", "T2")))
    other = Trace(tuple(Event(t, "read", "C.n", n, "p.py", 1) for n, t in enumerate(("T1", "T2"), 1)))
    assert not same(one, other)


def test_two_increments_have_four_equivalence_classes():
    # Two threads each read x and then write x. Their 6 interleavings fall into 4 classes, one per partial order.
    threads = {"T1": ["T1 read x", "T1 write x"], "T2": ["T2 read x", "T2 write x"]}
    classes = []
    for order in sorted(set(itertools.permutations(["T1", "T1", "T2", "T2"]))):
        left = {t: list(steps) for t, steps in threads.items()}
        one = trace(*[left[t].pop(0) for t in order])
        if not any(same(one, other) for other in classes):
            classes.append(one)
    assert len(classes) == 4
