"""The sentences of cautions."""

from __future__ import annotations

import itertools
import threading

import pytest

import raddle
from raddle.checks.warning_texts import say
from raddle.site import Site
from raddle.store import read
from raddle.warning import DATA_RACE, KINDS, LOCKSET, POTENTIAL_DEADLOCK, UNSERIALIZABLE, ReportedWarning, deduplicated

SITES = {70000 + line: Site("bank.py", line, 0, "read", "n", "f", switchable=False) for line in range(1, 10)}
LOCKS = ("the Lock made at bank.py:1", "the RLock made at bank.py:2")


def test_data_race():
    warning = ReportedWarning(DATA_RACE, "Bank.sum", (70003, 70004), "read, written")
    assert say(warning, SITES) == (
        "`Bank.sum` is read at bank.py:3 and written by another thread at bank.py:4, and nothing orders the two"
    )


def test_a_race_of_a_site_with_itself():
    warning = ReportedWarning(DATA_RACE, "Bank.sum", (70004, 70004), "written, written")
    assert say(warning, SITES) == "`Bank.sum` is written at bank.py:4 by several threads, and nothing orders them"


def test_lockset():
    warning = ReportedWarning(LOCKSET, "Bank.sum", (70003, 70004), f"read under {LOCKS[0]}, written under no lock")
    assert say(warning, SITES) == (
        "no lock is held at every access to `Bank.sum`: it is read under the Lock made at bank.py:1 at bank.py:3, "
        "and written under no lock by another thread at bank.py:4"
    )


def test_accesses_of_which_no_two_are_in_conflict():
    note = f"sometimes read under no lock, sometimes written under {LOCKS[0]}"
    assert say(ReportedWarning(LOCKSET, "Bank.sum", (70003, 70004), note), SITES) == (
        "no lock is held at every access to `Bank.sum`: it is sometimes read under no lock at bank.py:3, "
        "sometimes written under the Lock made at bank.py:1 at bank.py:4"
    )


def test_one_thing_is_said_once():
    vague = ReportedWarning(LOCKSET, "Bank.sum", (70001,), "sometimes read under no lock")
    one, other = (ReportedWarning(LOCKSET, "Bank.sum", (70002, site), "read, written") for site in (70003, 70004))
    elsewhere = ReportedWarning(LOCKSET, "Bank.sum", (1 << 20, 1 << 20), "read, written")  # of another file
    for order in itertools.permutations([vague, one, other, elsewhere]):
        assert set(deduplicated(order)) == {one, elsewhere}


def test_blocks_are_told_apart_and_what_comes_between_is_not():
    between = [ReportedWarning(UNSERIALIZABLE, "Bank.sum", (70001, site, 70003)) for site in (70007, 70008)]
    another = ReportedWarning(UNSERIALIZABLE, "Bank.sum", (70001, 70007, 70004))
    assert deduplicated([*between, another]) == (between[0], another)


def test_races_of_other_accesses_are_others():
    races = tuple(ReportedWarning(DATA_RACE, "Bank.sum", (70001, site), "read, written") for site in (70002, 70003))
    assert deduplicated(races) == races


class Box:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0

    def add(self):
        with self.lock:
            self.n += 1

    def look(self):
        return self.n


def boxes():
    box = Box()
    threads = [threading.Thread(target=work) for work in (box.add, box.look, box.add, box.look)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_several_processes_say_it_once(tmp_path):
    for workers in (None, 2, 1):
        options = {"executions": 200, "until": "budget", "workers": workers, "data_file": tmp_path / "data"}
        result = raddle.explore(boxes, criteria="map", source=[__file__], **options)
        (found,) = [warning for warning in result.warnings if warning["kind"] == LOCKSET]
        assert "under no lock" in found["sentence"]
        assert "under the Lock" in found["sentence"]
        stored = [warning for warning in read(tmp_path / "data").warnings if warning.kind == LOCKSET]
        assert len(stored) == 1


def test_unserializable():
    warning = ReportedWarning(UNSERIALIZABLE, "Bank.sum", (70003, 70008, 70004), "read, written, read")
    assert say(warning, SITES) == (
        "`Bank.sum` was read at bank.py:3, then written by another thread at bank.py:8, then read at bank.py:4 by the "
        "first one, whose two accesses may belong together"
    )


def test_potential_deadlock():
    warning = ReportedWarning(POTENTIAL_DEADLOCK, " -> ".join(LOCKS), (70003, 70004, 70005, 70006))
    assert say(warning, SITES) == (
        "threads can wait for each other for ever: "
        "one holds the Lock made at bank.py:1, acquired at bank.py:3, and asks for the RLock made at bank.py:2 at "
        "bank.py:4; another holds the RLock made at bank.py:2, acquired at bank.py:5, and asks for the Lock made at "
        "bank.py:1 at bank.py:6"
    )


def test_locks_of_one_place():
    warning = ReportedWarning(POTENTIAL_DEADLOCK, f"{LOCKS[0]} -> {LOCKS[0]}", (70003, 70004, 70003, 70004))
    part = "holds the Lock made at bank.py:1, acquired at bank.py:3, and asks for another such lock at bank.py:4"
    assert say(warning, SITES) == f"threads can wait for each other for ever: one {part}; another {part}"


def test_code_without_probes():
    warning = ReportedWarning(DATA_RACE, "Bank.sum", (0, 70004), "read, written")
    assert "is read in code without probes and written by another thread at bank.py:4" in say(warning, SITES)


@pytest.mark.parametrize("kind", [*KINDS, "of-a-later-version"])
def test_a_caution_of_another_shape_is_said_all_the_same(kind):
    assert say(ReportedWarning(kind, "Bank.sum", (70003,)), SITES) == f"{kind} of Bank.sum at bank.py:3"
