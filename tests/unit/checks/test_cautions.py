"""The sentences of cautions."""

from __future__ import annotations

import pytest

from raddle.caution import DATA_RACE, KINDS, LOCKSET, POTENTIAL_DEADLOCK, UNSERIALIZABLE, Caution
from raddle.checks.cautions import say
from raddle.site import Site

SITES = {70000 + line: Site("bank.py", line, 0, "read", "n", "f", switchable=False) for line in range(1, 10)}
LOCKS = ("the Lock made at bank.py:1", "the RLock made at bank.py:2")


def test_data_race():
    caution = Caution(DATA_RACE, "Bank.sum", (70003, 70004), "read, written")
    assert say(caution, SITES) == (
        "`Bank.sum` is read at bank.py:3 and written by another thread at bank.py:4, and nothing orders the two"
    )


def test_a_race_of_a_site_with_itself():
    caution = Caution(DATA_RACE, "Bank.sum", (70004, 70004), "written, written")
    assert say(caution, SITES) == "`Bank.sum` is written at bank.py:4 by several threads, and nothing orders them"


def test_lockset():
    caution = Caution(LOCKSET, "Bank.sum", (70003, 70004), f"read under {LOCKS[0]}, written under no lock")
    assert say(caution, SITES) == (
        "no lock is held at every access to `Bank.sum`: it is read under the Lock made at bank.py:1 at bank.py:3, "
        "and written under no lock by another thread at bank.py:4"
    )


def test_unserializable():
    caution = Caution(UNSERIALIZABLE, "Bank.sum", (70003, 70008, 70004), "read, written, read")
    assert say(caution, SITES) == (
        "`Bank.sum` was read at bank.py:3, then written by another thread at bank.py:8, then read at bank.py:4 by the "
        "first one, whose two accesses may belong together"
    )


def test_potential_deadlock():
    caution = Caution(POTENTIAL_DEADLOCK, " -> ".join(LOCKS), (70003, 70004, 70005, 70006))
    assert say(caution, SITES) == (
        "threads can wait for each other for ever: "
        "one holds the Lock made at bank.py:1, acquired at bank.py:3, and asks for the RLock made at bank.py:2 at "
        "bank.py:4; another holds the RLock made at bank.py:2, acquired at bank.py:5, and asks for the Lock made at "
        "bank.py:1 at bank.py:6"
    )


def test_locks_of_one_place():
    caution = Caution(POTENTIAL_DEADLOCK, f"{LOCKS[0]} -> {LOCKS[0]}", (70003, 70004, 70003, 70004))
    part = "holds the Lock made at bank.py:1, acquired at bank.py:3, and asks for another such lock at bank.py:4"
    assert say(caution, SITES) == f"threads can wait for each other for ever: one {part}; another {part}"


def test_code_without_probes():
    caution = Caution(DATA_RACE, "Bank.sum", (0, 70004), "read, written")
    assert "is read in code without probes and written by another thread at bank.py:4" in say(caution, SITES)


@pytest.mark.parametrize("kind", [*KINDS, "of-a-later-version"])
def test_a_caution_of_another_shape_is_said_all_the_same(kind):
    assert say(Caution(kind, "Bank.sum", (70003,)), SITES) == f"{kind} of Bank.sum at bank.py:3"
