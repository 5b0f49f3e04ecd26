"""The facts that `Feasibility` collects about shared objects."""

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


def facts_of(*executions, objects=1):
    feasibility = Feasibility()
    for steps in executions:
        feasibility.begin(entities(objects=objects))
        feasibility.feed(steps)
    return feasibility.facts()


def before(facts):
    """Return the pairs of sites whose first site can be executed before the second."""
    owner_facts = facts.owners[OWNER]
    sites = [site for _, site in owner_facts.accesses]
    return {(sites[i], sites[j]) for i, row in enumerate(owner_facts.before) for j in range(len(sites)) if row >> j & 1}


def guards(facts):
    """Return, for each lock, the sites at which it is always held and the pairs of sites with no release in between."""
    owner_facts = facts.owners[OWNER]
    sites, discipline = [site for _, site in owner_facts.accesses], owner_facts.discipline
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


def test_an_object_of_one_thread_has_no_facts():
    assert facts_of([*at(0, A), *locked(0, B)]) == PruningFacts()


def test_unordered_accesses_can_come_in_both_orders():
    assert before(facts_of([(0, "start", 1, 0), *at(0, A), *at(1, B)])) == {(A, B), (B, A)}


@pytest.mark.parametrize(
    "synchronization",
    [[(0, "release", 0, 0), (1, "acquire", 0, 0)], [(0, "set", 0, 0), (1, "wait-set", 0, 0)]],
)
def test_accesses_ordered_by_a_lock_or_event_can_come_in_both_orders(synchronization):
    steps = [(0, "start", 1, 0), (0, "acquire", 0, 0), *at(0, A), *synchronization, *at(1, B)]
    assert before(facts_of(steps)) == {(A, B), (B, A)}


def test_an_access_before_a_start_always_precedes_the_started_thread():
    # T0 performs C after the start. C and B can come in any order. C and A are in the same thread, so they do not form
    # a pair.
    steps = [*at(0, A), (0, "start", 1, 0), *at(1, B), *at(0, C)]
    assert before(facts_of(steps)) == {(A, B), (B, C), (C, B)}


def test_the_order_imposed_by_starts_is_transitive():
    # T0 performs A before it starts T1, and T1 performs B before it starts T2.
    steps = [*at(0, A), (0, "start", 1, 0), *at(1, B), (1, "start", 2, 0), *at(2, C)]
    assert before(facts_of(steps)) == {(A, B), (A, C), (B, C)}


def test_an_access_after_a_join_always_follows_the_joined_thread():
    steps = [(0, "start", 1, 0), *at(1, A), (1, "end", 1, 0), (0, "join", 1, 0), *at(0, B)]
    assert before(facts_of(steps)) == {(A, B)}


def test_every_occurrence_of_a_site_counts():
    # T0 performs A both before and after the start.
    steps = [*at(0, A), (0, "start", 1, 0), *at(1, B), *at(0, A)]
    assert before(facts_of(steps)) == {(A, B), (B, A)}


def test_threads_that_run_one_after_the_other_have_one_order():
    # T1 and T2 share a site. T2 starts after T1 has been joined.
    steps = [(0, "start", 1, 0), *at(1, A, B), (1, "end", 1, 0), (0, "join", 1, 0), (0, "start", 2, 0), *at(2, A)]
    assert before(facts_of(steps)) == {(A, A), (B, A)}


def test_accesses_to_different_objects_make_no_pair():
    steps = [*at(0, A), *at(1, B, variable=1), *at(0, C), *at(1, C)]
    assert before(facts_of(steps, objects=2)) == {(A, C), (C, A), (C, C)}


def test_a_lock_keeps_the_accesses_of_a_section_together():
    assert guards(facts_of(locked(1, A, B) + locked(2, A, B))) == [({A, B}, {(A, B)})]


def test_a_second_critical_section_splits_the_pair():
    # T1 runs A and B in each of two critical sections, so the second B also follows the first A.
    facts = facts_of(locked(1, A, B) + locked(1, A, B) + locked(2, A))
    assert guards(facts) == [({A, B}, set())]


def test_a_loop_within_one_section_stays_together():
    facts = facts_of(locked(1, A, B, A, B) + locked(2, A))
    assert guards(facts) == [({A, B}, {(A, A), (A, B), (B, A), (B, B)})]


def test_one_access_without_the_lock_makes_the_site_unguarded():
    facts = facts_of(locked(1, A, B) + at(2, A))
    assert guards(facts) == [({B}, {(A, B)})]
    assert guards(facts_of(at(2, A), locked(1, A, B) + at(2, A))) == [({B}, {(A, B)})]


def test_releasing_an_inner_lock_splits_only_the_inner_run():
    steps = [(1, "acquire", 0, 0), *locked(1, A, lock=1), *locked(1, B, lock=1), (1, "release", 0, 0), *at(2, C)]
    facts = facts_of(steps, objects=2)
    assert guards(facts) == [({A, B}, {(A, B)})]


def test_a_release_by_another_thread_ends_the_section():
    # T2 releases T1's lock between A and B.
    steps = [(1, "acquire", 0, 0), *at(1, A), (2, "release", 0, 0), *at(1, B), *at(2, C)]
    assert guards(facts_of(steps)) == [({A}, set())]


def test_each_object_may_have_its_own_lock():
    steps = [step for thread in (1, 2) for step in locked(thread, A, B) + locked(thread, A, B, lock=1, variable=1)]
    assert guards(facts_of(steps, objects=2)) == [({A, B}, {(A, B)})]


def test_a_different_lock_in_each_thread_guards_nothing():
    steps = locked(1, A, B, lock=0) + locked(2, A, B, lock=1)
    assert guards(facts_of(steps, objects=2)) == []


def test_facts_of_several_executions_add_up():
    one, other = locked(1, A, B) + locked(2, A, B), locked(1, A, B) + at(2, B)
    assert facts_of(one, other) == facts_of(one) + facts_of(other)
    assert guards(facts_of(one, other)) == [({A}, {(A, B)})]


def test_a_repeated_execution_changes_nothing():
    steps = [*at(0, A), (0, "start", 1, 0), *locked(1, A, B), *locked(0, B, C)]
    assert facts_of(steps, steps, steps) == facts_of(steps)


def test_steps_without_a_site_are_left_out():
    assert before(facts_of([*at(0, A), *at(1, 0), *at(1, B)])) == {(A, B), (B, A)}
