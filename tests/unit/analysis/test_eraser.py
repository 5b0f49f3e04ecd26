"""Eraser's automaton, transition by transition."""

from __future__ import annotations

import random

import pytest

from raddle.analysis.eraser import EXCLUSIVE, EXCLUSIVE_PRIME, MODIFIED, RACE, SHARED, STATES, VIRGIN, Guarded


def after(*accesses):
    """Return the variable after accesses such as "1 read 7 8" (thread, kind, held locks)."""
    variable = Guarded()
    for access in accesses:
        thread, kind, *locks = access.split()
        variable.access(int(thread), write=kind == "write", held=frozenset(map(int, locks)))
    return variable


def test_there_are_six_states():
    assert STATES == ("virgin", "exclusive", "exclusive'", "shared", "modified", "race")


@pytest.mark.parametrize(
    ("accesses", "state"),
    [
        ((), VIRGIN),
        # a read or a write changes the state from `virgin` to `exclusive`
        (("1 read",), EXCLUSIVE),
        (("1 write",), EXCLUSIVE),
        # only an access by another thread ends the state `exclusive`
        (("1 write", "1 read", "1 write"), EXCLUSIVE),
        (("1 write", "2 read"), EXCLUSIVE_PRIME),
        (("1 read", "2 write"), EXCLUSIVE_PRIME),
        # an access by any thread but the second ends the state `exclusive'` (exclusive to the second thread)
        (("1 write", "2 write", "2 read", "2 write"), EXCLUSIVE_PRIME),
        (("1 write", "2 write", "1 read"), SHARED),
        (("1 write", "2 write", "3 read"), SHARED),
        (("1 write", "2 write", "1 write 7"), MODIFIED),
        (("1 write", "2 write", "3 write 7"), MODIFIED),
        (("1 write", "2 write", "3 write"), RACE),  # written without a lock
        # the state stays `shared` while the variable is only read, with or without locks
        (("1 write", "2 write", "1 read", "2 read", "3 read"), SHARED),
        (("1 write", "2 write", "1 read 7", "2 read 7", "1 write 7"), MODIFIED),
        (
            ("1 write", "2 write", "1 read 7", "2 read", "1 write 7"),
            RACE,
        ),  # the read without a lock removed lock 7 from the candidates
        # `modified` becomes `race` when no single lock was held at every access since the variable became shared
        (("1 write", "2 write", "1 write 7 8", "2 read 7 8", "3 write 7"), MODIFIED),
        (("1 write", "2 write", "1 write 7 8", "2 read 7", "3 write 8"), RACE),
        (("1 write", "2 write", "1 write 7", "2 read"), RACE),
        # `race` is a final state
        (("1 write", "2 write", "1 write", "2 write 7", "1 write 7", "3 read 7"), RACE),
    ],
)
def test_accesses_lead_to_the_expected_state(accesses, state):
    assert after(*accesses).state == state


def test_candidate_locks_count_from_when_the_variable_is_shared():
    # Locks that the first two threads held before the variable was shared do not matter.
    assert after("1 write", "2 write 9", "1 write 7 8").candidates == {7, 8}
    assert after("1 write", "2 write 9", "1 write 7 8", "2 write 8 9").candidates == {8}
    assert after("1 write 7", "2 write 7").candidates == set()  # there are no candidates yet


def by_definition(accesses):
    """Return the state after all `accesses`, computed from the definition rather than step by step."""
    if not accesses:
        return VIRGIN
    threads = [thread for thread, _, _ in accesses]
    second = next((i for i, thread in enumerate(threads) if thread != threads[0]), None)
    if second is None:
        return EXCLUSIVE
    third = next((i for i, thread in enumerate(threads) if i > second and thread != threads[second]), None)
    if third is None:
        return EXCLUSIVE_PRIME
    since = accesses[third:]
    for end in range(1, len(since) + 1):
        writes = any(write for _, write, _ in since[:end])
        if writes and not frozenset.intersection(*(held for _, _, held in since[:end])):
            return RACE
    return MODIFIED if any(write for _, write, _ in since) else SHARED


def test_the_automaton_agrees_with_the_definition_on_random_accesses():
    choose = random.Random(1)
    observed_states = set()
    for _ in range(3000):
        variable, accesses = Guarded(), []
        for _ in range(choose.randrange(12)):
            held = frozenset(lock for lock in (7, 8, 9) if choose.random() < 0.85)
            access = (choose.choice([1, 1, 2, 3]), choose.random() < 0.3, held)
            accesses.append(access)
            variable.access(access[0], write=access[1], held=held)
            assert variable.state == by_definition(accesses)
            observed_states.add(variable.state)
    assert observed_states == set(STATES) - {VIRGIN}
