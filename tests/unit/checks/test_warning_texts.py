"""The sentences that describe warnings, and the removal of duplicate warnings."""

from __future__ import annotations

import itertools
import threading

import pytest

import raddle
from raddle.checks.warning_texts import warning_sentence
from raddle.site import Site
from raddle.store import read
from raddle.warning import DATA_RACE, KINDS, LOCKSET, POTENTIAL_DEADLOCK, UNSERIALIZABLE, ReportedWarning, deduplicated

SITES = {70000 + line: Site("bank.py", line, 0, "read", "n", "f", switchable=False) for line in range(1, 10)}
LOCKS = ("the Lock made at bank.py:1", "the RLock made at bank.py:2")


def test_a_data_race_names_both_accesses():
    warning = ReportedWarning(DATA_RACE, "Bank.sum", (70003, 70004), "read, written")
    assert warning_sentence(warning, SITES) == (
        "`Bank.sum` is read at bank.py:3 and written by another thread at bank.py:4, and no synchronization orders them"
    )


def test_a_race_of_a_site_with_itself_names_the_site_once():
    warning = ReportedWarning(DATA_RACE, "Bank.sum", (70004, 70004), "written, written")
    assert (
        warning_sentence(warning, SITES)
        == "`Bank.sum` is written at bank.py:4 by several threads, and no synchronization orders these accesses"
    )


def test_a_lockset_warning_names_both_accesses_and_their_locks():
    warning = ReportedWarning(LOCKSET, "Bank.sum", (70003, 70004), f"read under {LOCKS[0]}, written under no lock")
    assert warning_sentence(warning, SITES) == (
        "no single lock is held at every access to `Bank.sum`: "
        "it is read at bank.py:3 under the Lock made at bank.py:1, "
        "and written by another thread at bank.py:4 under no lock"
    )


def test_a_vague_lockset_warning_says_sometimes():
    note = f"sometimes read under no lock, sometimes written under {LOCKS[0]}"
    assert warning_sentence(ReportedWarning(LOCKSET, "Bank.sum", (70003, 70004), note), SITES) == (
        "no single lock is held at every access to `Bank.sum`: it is sometimes read at bank.py:3 under no lock, "
        "sometimes written at bank.py:4 under the Lock made at bank.py:1"
    )


def test_lockset_warnings_for_one_variable_are_reported_once_per_file():
    vague = ReportedWarning(LOCKSET, "Bank.sum", (70001,), "sometimes read under no lock")
    one, other = (ReportedWarning(LOCKSET, "Bank.sum", (70002, site), "read, written") for site in (70003, 70004))
    elsewhere = ReportedWarning(LOCKSET, "Bank.sum", (1 << 20, 1 << 20), "read, written")  # accesses in another file
    for order in itertools.permutations([vague, one, other, elsewhere]):
        assert set(deduplicated(order)) == {one, elsewhere}


def test_unserializable_warnings_are_distinguished_by_block_but_not_by_the_access_in_between():
    between = [ReportedWarning(UNSERIALIZABLE, "Bank.sum", (70001, site, 70003)) for site in (70007, 70008)]
    another = ReportedWarning(UNSERIALIZABLE, "Bank.sum", (70001, 70007, 70004))
    assert deduplicated([*between, another]) == (between[0], another)


def test_races_of_different_accesses_are_all_reported():
    races = tuple(ReportedWarning(DATA_RACE, "Bank.sum", (70001, site), "read, written") for site in (70002, 70003))
    assert deduplicated(races) == races


class Box:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0

    def add(self):
        with self.lock:
            self.n += 1

    def read_n(self):
        return self.n


def boxes():
    box = Box()
    threads = [threading.Thread(target=work) for work in (box.add, box.read_n, box.add, box.read_n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_several_processes_report_a_warning_once(tmp_path):
    for workers in (None, 2, 1):
        options = {"executions": 200, "until": "budget", "workers": workers, "data_file": tmp_path / "data"}
        result = raddle.explore(boxes, criteria="map", source=[__file__], **options)
        (found,) = [warning for warning in result.warnings if warning["kind"] == LOCKSET]
        assert "under no lock" in found["sentence"]
        assert "under the Lock" in found["sentence"]
        stored = [warning for warning in read(tmp_path / "data").warnings if warning.kind == LOCKSET]
        assert len(stored) == 1


def test_an_unserializable_warning_names_the_three_accesses():
    warning = ReportedWarning(UNSERIALIZABLE, "Bank.sum", (70003, 70008, 70004), "read, written, read")
    assert warning_sentence(warning, SITES) == (
        "`Bank.sum` was read at bank.py:3, then written by another thread at bank.py:8, then read at bank.py:4 by the "
        "first thread, whose two accesses may belong together"
    )


def test_a_potential_deadlock_names_the_locks_and_their_sites():
    warning = ReportedWarning(POTENTIAL_DEADLOCK, " -> ".join(LOCKS), (70003, 70004, 70005, 70006))
    assert warning_sentence(warning, SITES) == (
        "threads can deadlock: "
        "one holds the Lock made at bank.py:1, acquired at bank.py:3, and waits at bank.py:4 for the RLock made "
        "at bank.py:2; another holds the RLock made at bank.py:2, acquired at bank.py:5, and waits at bank.py:6 for "
        "the Lock made at bank.py:1"
    )


def test_locks_created_at_one_line_are_called_another_such_lock():
    warning = ReportedWarning(POTENTIAL_DEADLOCK, f"{LOCKS[0]} -> {LOCKS[0]}", (70003, 70004, 70003, 70004))
    part = "holds the Lock made at bank.py:1, acquired at bank.py:3, and waits at bank.py:4 for another such lock"
    assert warning_sentence(warning, SITES) == f"threads can deadlock: one {part}; another {part}"


def test_an_access_without_a_site_is_in_code_without_probes():
    warning = ReportedWarning(DATA_RACE, "Bank.sum", (0, 70004), "read, written")
    assert "is read in code without probes and written by another thread at bank.py:4" in warning_sentence(
        warning, SITES
    )


@pytest.mark.parametrize("kind", [*KINDS, "of-a-later-version"])
def test_a_warning_of_unknown_shape_gets_a_generic_sentence(kind):
    assert warning_sentence(ReportedWarning(kind, "Bank.sum", (70003,)), SITES) == f"{kind} of Bank.sum at bank.py:3"
