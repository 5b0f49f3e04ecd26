"""Totals computed by formula, compared with the paper's numbers, its printed formulas, and the results of counting."""

from __future__ import annotations

from math import comb
from random import Random

import pytest
from lu_programs import interleavings, random_program

from raddle.criteria.observed_accesses import ObservedAccesses
from raddle.criteria.sizes import satisfied_by, sizes, total_seen
from raddle.tally import STATIC, UNKNOWN, Total

# Figure 2: four threads, four accesses each.
THREAD = [("read", "v"), ("read", "u"), ("write", "v"), ("write", "u")]
PAPER = [THREAD] * 4


def test_sizes_match_the_papers_example():
    found = sizes(PAPER)
    assert found["all"] == 63_063_000
    assert found["tpair"] == 420
    assert found["svar"] == 72
    assert found["def-use"] == 32
    assert found["pinv"] == 56
    # The paper gives a size between N^r = 8 and 16. The size is 16 because other threads write every variable that is
    # read. The same holds for the PN = 8 pairs (read, write).
    assert (found["lr-def"], found["lr-inv"]) == (16, 16)


def test_satisfied_by_matches_the_numbers_in_the_paper():
    # TPAIR: all accesses of thread 1, then all accesses of thread 2.
    assert satisfied_by(PAPER, [(thread, index) for thread in (0, 1) for index in range(4)]) == 900_900
    # SVAR: r_1^1, w_3^1, then thread 2's read and write of v. In figure 2, thread 2 accesses v before u.
    assert satisfied_by(PAPER, [(0, 0), (0, 2), (1, 0), (1, 2)]) == 4_504_500
    figure = [THREAD, [("read", "v"), ("write", "v"), ("read", "u"), ("write", "u")], THREAD, THREAD]
    assert satisfied_by(figure, [(0, 0), (0, 2), (1, 0), (1, 1)]) == 4_504_500


def test_no_interleaving_satisfies_an_order_that_contradicts_program_order():
    assert satisfied_by(PAPER, [(0, 1), (0, 0)]) == 0


def test_an_order_with_an_unshared_access_is_rejected():
    with pytest.raises(ValueError, match="access 1 of thread 0"):
        satisfied_by([[("read", "v"), ("read", "w")], [("read", "v")]], [(0, 1), (1, 0)])


def test_satisfied_by_agrees_with_counting_interleavings():
    random = Random(6)
    for _ in range(200):
        program = random_program(random, threads=random.choice([2, 3]), accesses=3, names="v")
        orders = interleavings(program)
        some = random.choice(orders)
        wanted = [access for access in some if random.random() < 0.6]
        counted = sum([access for access in order if access in wanted] == wanted for order in orders)
        assert satisfied_by(program, wanted) == counted


def formulas(program):
    """Evaluate the formulas as the paper prints them.

    The formulas hold for programs in which all threads access all variables. Return the sizes, the number of reads and
    the number of pairs.
    """
    threads, names = range(len(program)), sorted({name for line in program for _, name in line})
    couples = [(i, j) for i in threads for j in threads if i != j]

    def n(i, v=None, kind=None):
        return sum(v in (None, name) and kind in (None, actual) for actual, name in program[i])

    all_ = 1
    for i in threads:
        all_ *= comb(sum(n(j) for j in threads if j >= i), n(i))
    pairs = {(i, v): max(0, n(i, v) - 1) for i in threads for v in names}
    return {
        "all": all_,
        "tpair": sum(comb(n(i) + n(j), n(i)) for i, j in couples if i < j),
        "svar": sum(comb(n(i, v) + n(j, v), n(i, v)) for i, j in couples if i < j for v in names),
        "def-use": sum(n(i, kind="read") for i in threads)
        + sum(n(i, v, "read") * n(j, v, "write") for i, j in couples for v in names),
        "pinv": sum(pairs.values()) + sum(pairs[i, v] * n(j, v) for i, j in couples for v in names),
    }, sum(n(i, kind="read") for i in threads), sum(pairs.values())  # fmt: skip


def test_sizes_agree_with_the_papers_formulas():
    random = Random(7)
    checked = 0
    while checked < 300:
        program = random_program(random, threads=random.choice([2, 3, 4]), accesses=5, names="uv")
        if any({name for _, name in line} != {"u", "v"} for line in program):
            continue
        checked += 1
        expected, reads, pairs = formulas(program)
        found = sizes(program)
        assert {name: found[name] for name in expected} == expected
        assert reads <= found["lr-def"] <= 2 * reads
        assert pairs <= found["lr-inv"] <= 2 * pairs


def test_unshared_variables_do_not_count():
    # Only the first thread accesses w, and the third thread shares nothing. This leaves one read and one write of v, in
    # two possible orders. The read returns the initial value or the other thread's value. There are no pairs.
    program = [[("read", "v"), ("write", "w")], [("write", "v")], [("read", "z")]]
    assert sizes(program) == {
        "all": 2, "tpair": 2, "svar": 2, "def-use": 2, "pinv": 0, "lr-def": 2, "lr-inv": 0
    }  # fmt: skip


def test_programs_without_shared_variables_have_nothing_to_cover():
    for program in ([], [[]], [[("read", "v"), ("write", "v")]], [[("read", "u")], [("read", "v")]]):
        assert set(sizes(program).values()) == {0}


def test_only_some_pairs_can_be_unserializable():
    # Two reads are always serializable if the other thread only reads, and two writes if it only writes.
    assert sizes([[("read", "v"), ("read", "v")], [("read", "v")]])["lr-inv"] == 1
    assert sizes([[("write", "v"), ("write", "v")], [("write", "v")]])["lr-inv"] == 1
    assert sizes([[("write", "v"), ("write", "v")], [("read", "v")]])["lr-inv"] == 2
    # No other thread writes, so the first thread's read is local. The second thread's read returns the initial value or
    # the first thread's value. That makes 1 + 2.
    assert sizes([[("write", "v"), ("read", "v")], [("read", "v")]])["lr-def"] == 3


def test_an_unknown_kind_of_access_is_rejected():
    with pytest.raises(ValueError, match="'delete'"):
        sizes([[("delete", "v")], [("read", "v")]])


def test_the_total_is_unknown_before_the_first_execution():
    assert total_seen("all", ObservedAccesses()) == Total(None, UNKNOWN)
    assert total_seen("all", ObservedAccesses(executions=3)) == Total(0, STATIC)
