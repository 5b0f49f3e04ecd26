"""Warnings about variables, based on Eraser's race state and AVIO's unserializable cases."""

from __future__ import annotations

import itertools
import random

import pytest

from raddle.checks.warned_variables import WarnedVariables
from raddle.entities import AbstractObject, AbstractVariable, make_entities
from raddle.warning import LOCKSET, UNSERIALIZABLE, ReportedWarning

S = 70_000  # base for site numbers
SERIALIZABLE = {
    ("read", "read", "read"),
    ("read", "read", "write"),
    ("write", "read", "read"),
    ("write", "write", "write"),
}
CASES = list(itertools.product(["read", "write"], repeat=3))


def warnings(*texts, kind=None):
    """Return the warnings of one execution.

    Steps are texts such as "1 read 4" (thread, kind, site) or "1 acquire 0" (thread, kind, target).
    """
    check = WarnedVariables()
    watch(check, *texts)
    return [warning for warning in check.warnings() if kind in (None, warning.kind)]


def watch(check, *texts):
    variables = [AbstractVariable("m.py:C", "", "n")]
    resources = [AbstractObject("Lock", "m.py:1"), AbstractObject("Lock", "m.py:2"), AbstractObject("Queue", "m.py:3")]
    check.begin(make_entities(variables=variables, resources=resources, actors=["main", "one", "two"]))
    check.feed([as_step(text) for text in texts])


def as_step(text):
    thread, kind, number = text.split()
    access = kind in ("read", "write")
    return (int(thread), kind, 0 if access else int(number), S + int(number) if access else 0)


# -- AVIO ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "between", "second"), CASES)
def test_four_of_eight_cases_are_unserializable(first, between, second):
    # According to the paper, the unserializable cases are r/w/r, w/w/r, w/r/w and r/w/w.
    found = warnings(f"1 {first} 1", f"2 {between} 9", f"1 {second} 2", kind=UNSERIALIZABLE)
    assert bool(found) == ((first, between, second) not in SERIALIZABLE)


def test_an_unserializable_warning_has_three_sites_and_kinds():
    assert warnings("1 read 1", "2 write 9", "1 write 2", kind=UNSERIALIZABLE) == [
        ReportedWarning(UNSERIALIZABLE, "C.n", (S + 1, S + 9, S + 2), "read, written, written")
    ]


def test_an_access_in_between_counts_even_if_it_was_not_the_last():
    # The last access in between is a read. With that read alone, the block would be serializable.
    (found,) = warnings("1 read 1", "2 write 8", "2 read 9", "1 read 2", kind=UNSERIALIZABLE)
    assert found.sites == (S + 1, S + 8, S + 2)
    (found,) = warnings("1 write 1", "2 read 8", "3 write 9", "1 write 2", kind=UNSERIALIZABLE)
    assert found.sites == (S + 1, S + 8, S + 2)


def test_an_access_before_the_block_is_not_in_between():
    assert warnings("2 write 9", "1 read 1", "2 read 8", "1 read 2", kind=UNSERIALIZABLE) == []


def test_separately_locked_check_and_act_are_unserializable():
    def locked(text):
        return (f"{text[0]} acquire 0", text, f"{text[0]} release 0")

    steps = ("1 enter 0", *locked("1 read 1"), *locked("2 write 9"), *locked("1 write 2"), "1 leave 0")
    assert len(warnings(*steps, kind=UNSERIALIZABLE)) == 1
    assert warnings(*steps, kind=LOCKSET) == []


def test_two_calls_form_no_block():
    # The method is called twice, perhaps under a lock each time.
    calls = ("1 enter 0", "1 read 1", "1 leave 0", "2 write 9", "1 enter 0", "1 write 2", "1 leave 0")
    assert warnings(*calls, kind=UNSERIALIZABLE) == []
    # A nested call does not split a block of its caller.
    around = ("1 enter 0", "1 read 1", "1 enter 0", "1 leave 0", "2 write 9", "1 write 2", "1 leave 0")
    assert len(warnings(*around, kind=UNSERIALIZABLE)) == 1


def test_two_iterations_of_a_loop_form_no_block():
    assert warnings("1 write 2", "2 write 9", "1 read 1", kind=UNSERIALIZABLE) == []
    assert warnings("1 read 1", "2 write 9", "1 read 1", kind=UNSERIALIZABLE) == []


def test_two_tasks_of_a_worker_form_no_block():
    assert warnings("1 read 1", "2 write 9", "1 task 2", "1 write 2", kind=UNSERIALIZABLE) == []


def test_an_access_that_synchronization_orders_in_between_is_not_reported():
    # A result is initialized, computed by a thread that is then joined, and read.
    steps = ["0 write 1", "0 start 1", "1 write 9", "1 end 1", "0 join 1", "0 read 2"]
    assert warnings(*steps, kind=UNSERIALIZABLE) == []
    # Messages in both directions have the same effect as a start and a join. One direction is not enough.
    there, back = ["0 put 2", "1 get 2"], ["1 put 2", "0 get 2"]
    assert warnings("0 write 1", *there, "1 write 9", *back, "0 read 2", kind=UNSERIALIZABLE) == []
    assert len(warnings("0 write 1", *there, "1 write 9", "0 read 2", kind=UNSERIALIZABLE)) == 1
    assert len(warnings("0 write 1", "1 write 9", *back, "0 read 2", kind=UNSERIALIZABLE)) == 1


def test_each_block_is_reported_once():
    block = ("1 read 1", "2 write 9", "1 write 2")
    assert len(warnings(*block, *block, "1 read 1", "3 write 8", "1 write 2", kind=UNSERIALIZABLE)) == 1


# -- Eraser -------------------------------------------------------------------------------------------


def test_a_variable_without_a_common_lock_is_reported():
    # The states are `virgin`, `exclusive`, `exclusive'`, `modified` (with lock 0) and finally `race`, because thread 2
    # reads under another lock.
    steps = ["1 write 1", "2 write 2", "1 acquire 0", "1 write 3", "1 release 0", "2 acquire 1", "2 read 4"]
    assert warnings(*steps, kind=LOCKSET) == [
        ReportedWarning(
            LOCKSET, "C.n", (S + 3, S + 4),
            "written under the Lock made at m.py:1, read under the Lock made at m.py:2",
        )
    ]  # fmt: skip


def test_the_other_site_is_the_last_access_of_another_thread():
    # Thread 1 reads again, which is not yet a race, and then writes. Thread 2's last access is at site 3.
    (found,) = warnings("1 write 1", "2 write 2", "2 read 3", "1 read 4", "1 write 5", kind=LOCKSET)
    assert found.sites == (S + 3, S + 5)


def locked(text, *locks):
    """Return a step together with the acquires before it and the releases after it."""
    thread = text[0]
    return (*(f"{thread} acquire {lock}" for lock in locks), text, *(f"{thread} release {lock}" for lock in locks))


def test_the_reported_accesses_have_no_lock_in_common():
    # Thread 1 reads without the lock. The race is detected only when thread 1 writes, with the lock. The two writes
    # share the lock, so the warning names the read.
    steps = [*locked("1 write 1", 0), *locked("2 write 2", 0), "1 read 3", *locked("1 write 4", 0)]
    assert warnings(*steps, kind=LOCKSET) == [
        ReportedWarning(LOCKSET, "C.n", (S + 2, S + 3), "written under the Lock made at m.py:1, read under no lock")
    ]


def test_accesses_that_share_locks_only_pairwise_get_a_vague_warning():
    # The accesses use three sets of locks. Any two of these sets share a lock, but no lock is in all three.
    steps = [
        *locked("1 write 1", 0, 1), *locked("2 write 2", 1, 2), *locked("3 write 3", 0, 2), *locked("1 write 4", 0, 1),
    ]  # fmt: skip
    assert warnings(*steps, kind=LOCKSET) == []  # lock 0 was held at every access since the variable became shared
    one, two, three = "the Lock made at m.py:1", "the Lock made at m.py:2", "the Queue made at m.py:3"
    (found,) = warnings(*steps, *locked("2 read 5", 1, 2), kind=LOCKSET)
    assert found.sites == (S + 3, S + 4, S + 5)
    assert found.note == (
        f"sometimes written under {one} and {three}, sometimes written under {one} and {two}, "
        f"sometimes read under {two} and {three}"
    )
    # If two conflicting accesses without a common lock follow, a precise warning replaces the vague one.
    (found,) = warnings(*steps, *locked("2 read 5", 1, 2), *locked("3 read 6", 2), kind=LOCKSET)
    assert (found.sites, found.is_vague) == ((S + 4, S + 6), False)


def test_an_unlocked_read_by_the_only_writer_gets_a_vague_warning():
    # Thread 1 reads without a lock and is the only writer. Thread 2 only reads, with the lock.
    steps = [*locked("1 write 1", 0), *locked("2 read 2", 0), "1 read 3", *locked("1 write 4", 0)]
    (found,) = warnings(*steps, kind=LOCKSET)
    assert (found.sites, found.note) == ((S + 3,), "sometimes read under no lock")


def test_lockset_warnings_are_accurate_on_random_executions():
    choose = random.Random(5)
    counts = {True: 0, False: 0}
    for _ in range(1500):
        accesses = [
            (choose.randrange(3), choose.choice(["read", "write"]), choose.sample(range(3), choose.randrange(3)))
            for _ in range(choose.randrange(12))
        ]
        steps = [locked(f"{thread} {kind} {at}", *locks) for at, (thread, kind, locks) in enumerate(accesses)]
        for warning in warnings(*itertools.chain(*steps), kind=LOCKSET):
            named = [accesses[site - S] for site in warning.sites]
            assert not set.intersection(*(set(locks) for _, _, locks in named))
            if not warning.is_vague:
                (thread, kind, _), (other_thread, other_kind, _) = named
                assert thread != other_thread
                assert "write" in (kind, other_kind)
            counts[warning.is_vague] += 1
    assert min(counts.values()) > 5


def test_each_variable_is_reported_once_for_all_executions():
    check = WarnedVariables()
    for site in (4, 5):
        watch(check, "1 write 1", "2 write 2", f"1 write {site}", "2 write 6")
    assert [warning.sites for warning in check.warnings() if warning.kind == LOCKSET] == [(S + 2, S + 4)]


def test_state_is_not_carried_from_one_execution_to_the_next():
    check = WarnedVariables()
    watch(check, "1 read 1", "2 write 9")
    watch(check, "1 write 2")
    assert check.warnings() == []


# -- comparison with the definition ---------------------------------------------------------------------------


def unserializable_blocks(steps):
    """Yield the site pairs of unserializable blocks as defined by AVIO, ignoring calls and happens-before."""
    for second, (thread, kind, _, site) in enumerate(steps):
        earlier = [i for i in range(second) if steps[i][0] == thread]
        if earlier and steps[earlier[-1]][3] < site:
            first = earlier[-1]
            if any((steps[first][1], steps[i][1], kind) not in SERIALIZABLE for i in range(first + 1, second)):
                yield steps[first][3], site


def test_unserializable_blocks_agree_with_the_definition():
    choose = random.Random(3)
    number = 0
    for _ in range(1500):
        texts = [
            f"{choose.randrange(3)} {choose.choice(['read', 'write'])} {choose.randrange(1, 6)}"
            for _ in range(choose.randrange(20))
        ]
        expected = set(unserializable_blocks([as_step(text) for text in texts]))
        found = {(warning.sites[0], warning.sites[2]) for warning in warnings(*texts, kind=UNSERIALIZABLE)}
        assert found == expected
        number += len(found)
    assert number > 1000
