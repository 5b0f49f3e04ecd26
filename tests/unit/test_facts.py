"""Facts: what is left standing when executions are put together."""

from __future__ import annotations

import json
import random

from raddle.pruning_facts import MAX_GUARDS, Guard, LockDiscipline, OwnerFacts, PruningFacts, trimmed

A, B, C = ("x", 70001), ("x", 70002), ("y", 70003)


def owner(accesses, *, before=(), runs=(), guards=()):
    return OwnerFacts.make(accesses, before, LockDiscipline.make((1 << len(accesses)) - 1, runs, guards))


def test_accesses_are_put_in_order_and_the_masks_with_them():
    # B before A (place 0 before place 1), and a run from A to B that the lock splits; B is loose.
    facts = owner([B, A], before=(0b10,), runs=(0, 0b01), guards=[Guard(0b01, (0, 0b01), "a Lock")])
    assert facts.accesses == (A, B)
    assert facts.before == (0, 0b01)
    assert facts.discipline == LockDiscipline(0b11, (0b10,), (Guard(0b10, (0b10,)),))


def test_accesses_that_were_not_seen_are_left_out():
    facts = OwnerFacts.make([A, B], (), LockDiscipline(seen=0b10))
    assert facts.accesses == (B,)
    assert facts.discipline.seen == 1


def test_orders_and_runs_of_both_are_seen():
    one = owner([A, B], before=(0b10,), runs=(0b10,))
    other = owner([B, C], before=(0b10,), runs=(0, 0b01))
    both = one + other
    assert both.accesses == (A, B, C)
    assert both.before == (0b010, 0b100)
    assert both.discipline.runs == (0b010, 0, 0b010)


def test_a_guard_fails_at_what_either_saw():
    one = owner([A, B], runs=(0b10,), guards=[Guard(0b01, (), "a Lock")])
    other = owner([A, B], runs=(0b10,), guards=[Guard(0, (0b10,), "a Lock")])
    assert (one + other).discipline.guards == (Guard(0b01, (0b10,)),)


def test_a_guard_keeps_what_the_other_did_not_see():
    guarded = owner([A, B], runs=(0b10,), guards=[Guard(0, (), "a Lock")])
    assert (guarded + owner([C])).discipline.guards == (Guard(0b100, ()),)
    assert (guarded + owner([A])).discipline.guards == (Guard(0b001, ()),)


def test_two_locks_for_one_part_and_two_parts():
    # One object: the first lock guards A, the second one B. Another: its lock guards both. So each stays a guard.
    one = owner([A, B], guards=[Guard(0b10, (), "first"), Guard(0b01, (), "second")])
    other = owner([A, B], guards=[Guard(0, (), "third")])
    assert (one + other).discipline.guards == (Guard(0b01, ()), Guard(0b10, ()))


def test_guards_that_do_nothing_more_than_others_are_left_out():
    guards = [Guard(0b01, ()), Guard(0b01, (0b10,)), Guard(0b11, (0b10,))]
    assert owner([A, B], runs=(0b10,), guards=guards).discipline.guards == (Guard(0b01, ()),)


def test_there_are_never_too_many_guards():
    accesses = [("x", 70000 + number) for number in range(40)]
    guards = [Guard(1 << number, ()) for number in range(40)]
    assert len(owner(accesses, guards=guards).discipline.guards) == MAX_GUARDS


def random_facts(chance):
    owners = {}
    for name in chance.sample(["m.py:C", "m.py:D"], k=chance.randint(0, 2)):
        accesses = chance.sample([A, B, C, ("y", 70004)], k=chance.randint(1, 4))
        bits = len(accesses)
        runs, before, split = (trimmed(chance.getrandbits(bits) for _ in range(bits)) for _ in range(3))
        guards = [Guard(chance.getrandbits(bits), split, f"lock {number}") for number in range(chance.randint(0, 2))]
        owners[name] = owner(accesses, before=before, runs=runs, guards=guards)
    return PruningFacts(owners)


def test_the_order_of_adding_does_not_matter():
    chance = random.Random(8)
    for _ in range(500):
        one, two, three = (random_facts(chance) for _ in range(3))
        assert one + two == two + one
        assert (one + two) + three == one + (two + three)
        assert one + one == one
        assert one + PruningFacts() == PruningFacts() + one == one


def test_the_data_file_gives_back_what_it_got():
    chance = random.Random(9)
    for _ in range(200):
        facts = random_facts(chance) + random_facts(chance)
        again = PruningFacts.from_json(json.loads(json.dumps(facts.as_json())))
        assert again == facts
        assert again.as_json() == facts.as_json()  # the names of locks as well


def test_an_empty_data_file_has_no_facts():
    assert PruningFacts.from_json({}) == PruningFacts()
