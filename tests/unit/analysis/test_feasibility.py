"""What is gathered about objects that threads share."""

from __future__ import annotations

import pytest

from raddle.analysis.feasibility import Feasibility
from raddle.entities import AbstractObject, AbstractVariable, Entities
from raddle.pruning_facts import PruningFacts

OWNER = "m.py:C"
A, B, C = 70001, 70002, 70003


def entities(*, objects=1):
    made = Entities()
    for number in range(objects):
        made.add_variable(AbstractVariable(OWNER, "m.py:9", "x"), number)
        made.add_resource(AbstractObject("Lock", "m.py:9"))
    return made


def seen_in(*executions, objects=1):
    watching = Feasibility()
    for steps in executions:
        watching.begin(entities(objects=objects))
        watching.feed(steps)
    return watching.facts()


def before(facts):
    """Pairs of sites: the first one can come before the second one."""
    known = facts.owners[OWNER]
    sites = [site for _, site in known.accesses]
    return {(sites[i], sites[j]) for i, row in enumerate(known.before) for j in range(len(sites)) if row >> j & 1}


def guards(facts):
    """For each lock: the sites that always have it, and the runs that it keeps together."""
    known = facts.owners[OWNER]
    sites, discipline = [site for _, site in known.accesses], known.discipline
    result = []
    for guard in discipline.guards:
        split = [*guard.split, *[0] * len(sites)]
        always = {site for place, site in enumerate(sites) if not guard.loose >> place & 1}
        kept = {
            (sites[i], sites[j])
            for i, row in enumerate(discipline.runs)
            for j in range(len(sites))
            if row >> j & 1 and not split[i] >> j & 1
        }
        result.append((always, kept))
    return result


def at(thread, *sites, kind="write", variable=0):
    return [(thread, kind, variable, site) for site in sites]


def locked(thread, *sites, lock=0, variable=0):
    return [(thread, "acquire", lock, 0), *at(thread, *sites, variable=variable), (thread, "release", lock, 0)]


def test_nothing_is_known_of_what_one_thread_has_for_itself():
    assert seen_in([*at(0, A), *locked(0, B)]) == PruningFacts()


def test_what_nothing_orders_can_come_in_both_orders():
    assert before(seen_in([(0, "start", 1, 0), *at(0, A), *at(1, B)])) == {(A, B), (B, A)}


@pytest.mark.parametrize(
    "handing_over",
    [[(0, "release", 0, 0), (1, "acquire", 0, 0)], [(0, "set", 0, 0), (1, "wait-set", 0, 0)]],
)
def test_what_locks_and_events_order_can_come_in_both_orders(handing_over):
    steps = [(0, "start", 1, 0), (0, "acquire", 0, 0), *at(0, A), *handing_over, *at(1, B)]
    assert before(seen_in(steps)) == {(A, B), (B, A)}


def test_what_is_before_a_start_stays_before_it():
    # C is done by T0 after the start: with B in any order, with A nothing (the same thread).
    steps = [*at(0, A), (0, "start", 1, 0), *at(1, B), *at(0, C)]
    assert before(seen_in(steps)) == {(A, B), (B, C), (C, B)}


def test_a_thread_hands_on_what_it_knows():
    # T0 before T1 before T2, by starts.
    steps = [*at(0, A), (0, "start", 1, 0), *at(1, B), (1, "start", 2, 0), *at(2, C)]
    assert before(seen_in(steps)) == {(A, B), (A, C), (B, C)}


def test_what_is_after_a_join_stays_after_it():
    steps = [(0, "start", 1, 0), *at(1, A), (1, "end", 1, 0), (0, "join", 1, 0), *at(0, B)]
    assert before(seen_in(steps)) == {(A, B)}


def test_a_later_occurrence_counts_as_well():
    # A before the start and once more after it.
    steps = [*at(0, A), (0, "start", 1, 0), *at(1, B), *at(0, A)]
    assert before(seen_in(steps)) == {(A, B), (B, A)}


def test_threads_one_after_the_other():
    # The same site in T1 and T2; T2 is started after T1 was joined.
    steps = [(0, "start", 1, 0), *at(1, A, B), (1, "end", 1, 0), (0, "join", 1, 0), (0, "start", 2, 0), *at(2, A)]
    assert before(seen_in(steps)) == {(A, A), (B, A)}


def test_different_objects_have_nothing_to_do_with_each_other():
    steps = [*at(0, A), *at(1, B, variable=1), *at(0, C), *at(1, C)]
    assert before(seen_in(steps, objects=2)) == {(A, C), (C, A), (C, C)}


def test_a_lock_keeps_a_run_together():
    assert guards(seen_in(locked(1, A, B) + locked(2, A, B))) == [({A, B}, {(A, B)})]


def test_the_second_time_it_is_another_section():
    # A B, A B by T1: B after A, but also after the A of the first section.
    facts = seen_in(locked(1, A, B) + locked(1, A, B) + locked(2, A))
    assert guards(facts) == [({A, B}, set())]


def test_a_loop_within_one_section():
    facts = seen_in(locked(1, A, B, A, B) + locked(2, A))
    assert guards(facts) == [({A, B}, {(A, A), (A, B), (B, A), (B, B)})]


def test_one_thread_without_the_lock_is_enough():
    facts = seen_in(locked(1, A, B) + at(2, A))
    assert guards(facts) == [({B}, {(A, B)})]
    assert guards(seen_in(at(2, A), locked(1, A, B) + at(2, A))) == [({B}, {(A, B)})]


def test_an_inner_lock_that_is_given_back_splits_the_run_an_outer_one_keeps():
    steps = [(1, "acquire", 0, 0), *locked(1, A, lock=1), *locked(1, B, lock=1), (1, "release", 0, 0), *at(2, C)]
    facts = seen_in(steps, objects=2)
    assert guards(facts) == [({A, B}, {(A, B)})]


def test_a_lock_that_another_thread_gives_back():
    # T2 releases T1's lock between A and B.
    steps = [(1, "acquire", 0, 0), *at(1, A), (2, "release", 0, 0), *at(1, B), *at(2, C)]
    assert guards(seen_in(steps)) == [({A}, set())]


def test_each_object_its_lock():
    steps = [step for thread in (1, 2) for step in locked(thread, A, B) + locked(thread, A, B, lock=1, variable=1)]
    assert guards(seen_in(steps, objects=2)) == [({A, B}, {(A, B)})]


def test_one_lock_for_each_thread_guards_nothing():
    steps = locked(1, A, B, lock=0) + locked(2, A, B, lock=1)
    assert guards(seen_in(steps, objects=2)) == []


def test_executions_add_up():
    one, other = locked(1, A, B) + locked(2, A, B), locked(1, A, B) + at(2, B)
    assert seen_in(one, other) == seen_in(one) + seen_in(other)
    assert guards(seen_in(one, other)) == [({A}, {(A, B)})]


def test_the_same_execution_again_changes_nothing():
    steps = [*at(0, A), (0, "start", 1, 0), *locked(1, A, B), *locked(0, B, C)]
    assert seen_in(steps, steps, steps) == seen_in(steps)


def test_steps_without_a_site_are_left_out():
    assert before(seen_in([*at(0, A), *at(1, 0), *at(1, B)])) == {(A, B), (B, A)}
