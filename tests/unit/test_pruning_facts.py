"""When the pruning facts of executions are combined, only facts that hold in every execution are kept."""

from __future__ import annotations

import json
import random

from raddle.pruning_facts import MAX_GUARDS, Guard, LockDiscipline, OwnerFacts, PruningFacts, trimmed

A, B, C = ("x", 70001), ("x", 70002), ("y", 70003)


def owner(accesses, *, before=(), runs=(), guards=()):
    return OwnerFacts.make(accesses, before, LockDiscipline.make((1 << len(accesses)) - 1, runs, guards))


def test_accesses_are_sorted_and_the_masks_permuted_accordingly():
    # B (index 0) comes before A (index 1). The steps from A to B do not all lie in one critical section. B is also
    # performed without the lock.
    facts = owner([B, A], before=(0b10,), runs=(0, 0b01), guards=[Guard(0b01, (0, 0b01), "a Lock")])
    assert facts.accesses == (A, B)
    assert facts.before == (0, 0b01)
    assert facts.discipline == LockDiscipline(0b11, (0b10,), (Guard(0b10, (0b10,)),))


def test_accesses_that_were_not_observed_are_omitted():
    facts = OwnerFacts.make([A, B], (), LockDiscipline(seen=0b10))
    assert facts.accesses == (B,)
    assert facts.discipline.seen == 1


def test_the_sum_contains_the_orders_and_runs_of_both_operands():
    one = owner([A, B], before=(0b10,), runs=(0b10,))
    other = owner([B, C], before=(0b10,), runs=(0, 0b01))
    both = one + other
    assert both.accesses == (A, B, C)
    assert both.before == (0b010, 0b100)
    assert both.discipline.runs == (0b010, 0, 0b010)


def test_a_guard_fails_where_it_failed_in_either_set_of_facts():
    one = owner([A, B], runs=(0b10,), guards=[Guard(0b01, (), "a Lock")])
    other = owner([A, B], runs=(0b10,), guards=[Guard(0, (0b10,), "a Lock")])
    assert (one + other).discipline.guards == (Guard(0b01, (0b10,)),)


def test_a_guard_still_holds_for_accesses_that_the_other_facts_do_not_contain():
    guarded = owner([A, B], runs=(0b10,), guards=[Guard(0, (), "a Lock")])
    assert (guarded + owner([C])).discipline.guards == (Guard(0b100, ()),)
    assert (guarded + owner([A])).discipline.guards == (Guard(0b001, ()),)


def test_two_locks_and_one_lock_for_the_same_accesses_leave_two_guards():
    # For one object, the first lock guards A and the second guards B. For another object, one lock guards both A and B.
    one = owner([A, B], guards=[Guard(0b10, (), "first"), Guard(0b01, (), "second")])
    other = owner([A, B], guards=[Guard(0, (), "third")])
    assert (one + other).discipline.guards == (Guard(0b01, ()), Guard(0b10, ()))


def test_guards_that_are_weaker_than_others_are_omitted():
    guards = [Guard(0b01, ()), Guard(0b01, (0b10,)), Guard(0b11, (0b10,))]
    assert owner([A, B], runs=(0b10,), guards=guards).discipline.guards == (Guard(0b01, ()),)


def test_the_number_of_guards_is_limited():
    accesses = [("x", 70000 + number) for number in range(40)]
    guards = [Guard(1 << number, ()) for number in range(40)]
    assert len(owner(accesses, guards=guards).discipline.guards) == MAX_GUARDS


def test_facts_about_some_variables_keep_what_relates_their_accesses():
    # Objects of C have an own x (site 70001), and inherit y from B (site 70002) and z from A (site 70003).
    x, y, z = ("x", 70001), ("m.py:B.y", 70002), ("m.py:A.z", 70003)
    # Each access can come before the next one in this order. One thread performed x and then y, under a lock that does
    # not protect z.
    facts = owner([x, y, z], before=(0b010, 0b100), runs=(0b010,), guards=[Guard(0b100, (), "lock")])
    some = facts.about({"m.py:C", "m.py:B"}, cls="m.py:C", reference="m.py:B")
    # In sorted order: C.x, then y, as seen from B.
    assert some == owner([("m.py:C.x", 70001), ("y", 70002)], before=(0b10,), runs=(0b10,), guards=[Guard(0, ())])


def random_facts(chance):
    owners = {}
    for name in chance.sample(["m.py:C", "m.py:D"], k=chance.randint(0, 2)):
        accesses = chance.sample([A, B, C, ("y", 70004)], k=chance.randint(1, 4))
        bits = len(accesses)
        runs, before, split = (trimmed(chance.getrandbits(bits) for _ in range(bits)) for _ in range(3))
        guards = [Guard(chance.getrandbits(bits), split, f"lock {number}") for number in range(chance.randint(0, 2))]
        owners[name] = owner(accesses, before=before, runs=runs, guards=guards)
    return PruningFacts(owners)


def test_addition_is_commutative_associative_and_idempotent():
    chance = random.Random(8)
    for _ in range(500):
        one, two, three = (random_facts(chance) for _ in range(3))
        assert one + two == two + one
        assert (one + two) + three == one + (two + three)
        assert one + one == one
        assert one + PruningFacts() == PruningFacts() + one == one


def test_facts_survive_a_json_round_trip():
    chance = random.Random(9)
    for _ in range(200):
        facts = random_facts(chance) + random_facts(chance)
        restored = PruningFacts.from_json(json.loads(json.dumps(facts.as_json())))
        assert restored == facts
        assert restored.as_json() == facts.as_json()  # also compares the names of locks, which `==` ignores


def test_an_empty_data_file_has_no_facts():
    assert PruningFacts.from_json({}) == PruningFacts()
