"""Warnings with the same cause are combined into one line."""

from __future__ import annotations

from raddle.report.warning_groups import group_warnings
from raddle.site import INDEX_BITS, Site
from raddle.warning import DATA_RACE, LOCKSET, POTENTIAL_DEADLOCK, UNSERIALIZABLE, ReportedWarning

BANK, SHOP = 4711 << INDEX_BITS, 4712 << INDEX_BITS
SITES = {
    base + line: Site(file, line, 0, "read", "n", "f", switchable=False)
    for base, file in ((BANK, "bank.py"), (SHOP, "shop.py"))
    for line in range(1, 10)
}
# The warnings that the checks give for `self.value += 1` on line 6 of bank.py, run by two threads.
LINE = BANK + 6
LOST_UPDATE = (
    ReportedWarning(DATA_RACE, "Counter.value", (LINE, LINE), "read, written"),
    ReportedWarning(DATA_RACE, "Counter.value", (LINE, LINE), "written, written"),
    ReportedWarning(LOCKSET, "Counter.value", (LINE, LINE), "read under no lock, written under no lock"),
    ReportedWarning(UNSERIALIZABLE, "Counter.value", (LINE, LINE, LINE), "read, written, written"),
)


def lines(*warnings):
    return [str(group) for group in group_warnings(warnings, SITES)]


def test_a_lost_update_is_one_line():
    # The race between the read and the write comes first. Warnings of other kinds precede the second race. The
    # warning about the unserializable access precedes the one about locks.
    race = (
        "`Counter.value` is read at bank.py:6 and written by another thread at "
        "bank.py:6, and no synchronization orders them; "
    )
    also = (
        "also: written at bank.py:6 between two accesses by another thread at bank.py:6; no lock is held; "
        "written at bank.py:6 by several threads"
    )
    assert lines(*LOST_UPDATE) == [race + also]
    assert lines(*reversed(LOST_UPDATE))[0].endswith(
        "no lock is held; " + ("read at bank.py:6 and written by another thread at bank.py:6")
    )


def test_warnings_on_different_variables_are_not_grouped():
    other = ReportedWarning(DATA_RACE, "Counter.limit", (LINE, LINE), "written, written")
    elsewhere = ReportedWarning(DATA_RACE, "Counter.value", (SHOP + 1, SHOP + 1), "written, written")
    assert lines(LOST_UPDATE[1], other, elsewhere) == [
        "`Counter.value` is written at bank.py:6 by several threads, and no synchronization orders these accesses",
        "`Counter.limit` is written at bank.py:6 by several threads, and no synchronization orders these accesses",
        "`Counter.value` is written at shop.py:1 by several threads, and no synchronization orders these accesses",
    ]


def test_warnings_on_one_variable_in_two_modules_are_grouped():
    across = ReportedWarning(DATA_RACE, "Counter.value", (LINE, SHOP + 2), "read, written")
    (line,) = lines(LOST_UPDATE[1], across)
    assert line.endswith("; also: read at bank.py:6 and written by another thread at shop.py:2")


def test_locks_that_are_held_are_named():
    note = "read under no lock, written under the Lock created at bank.py:2"
    guarded = ReportedWarning(LOCKSET, "Counter.value", (BANK + 4, BANK + 5), note)
    (line,) = lines(LOST_UPDATE[1], guarded)
    assert line.endswith(
        "; also: no single lock is held at every access (read at bank.py:4 under no lock, "
        "written at bank.py:5 under the Lock created at bank.py:2)"
    )


def test_a_block_on_two_lines_is_named_by_both():
    block = ReportedWarning(UNSERIALIZABLE, "Counter.value", (BANK + 4, BANK + 7, BANK + 5), "read, written, written")
    (line,) = lines(LOST_UPDATE[1], block)
    assert line.endswith(
        "; also: written at bank.py:7 between two accesses by another thread at bank.py:4 and at bank.py:5"
    )


def test_what_is_left_out_is_counted():
    # Six races, on lines 1 to 6: one is the main sentence, three are appended, and two are only counted.
    races = [ReportedWarning(DATA_RACE, "Counter.value", (BANK + n, BANK + n), "written, written") for n in range(1, 7)]
    (line,) = lines(*races)
    assert line.startswith("`Counter.value` is written at bank.py:1 by several threads")
    assert line.endswith("written at bank.py:4 by several threads; 2 more (-v lists them)")


def test_equal_sentences_for_one_line_appear_once():
    # Two reads on line 6 race with the same write, so the two warnings have the same text.
    sites = {**SITES, BANK + 60: SITES[LINE]}
    races = [ReportedWarning(DATA_RACE, "Counter.value", (site, LINE), "read, written") for site in (LINE, BANK + 60)]
    (group,) = group_warnings(races, sites)
    assert group.also == ()


def test_potential_deadlocks_are_not_grouped():
    locks = "the Lock created at bank.py:1 -> the Lock created at bank.py:2"
    cycles = [
        ReportedWarning(POTENTIAL_DEADLOCK, locks, (BANK + 3, BANK + 4, BANK + 5, last)) for last in (LINE, BANK + 7)
    ]
    assert len(lines(*cycles)) == 2


def test_unknown_kinds_of_warning_are_listed():
    later = ReportedWarning("of-a-later-version", "Counter.value", (LINE,))
    assert lines(LOST_UPDATE[1], later)[1] == "of-a-later-version of Counter.value at bank.py:6"
