"""The criteria `all`, `tpair` and `svar`, whose requirements are complete orders of accesses."""

from __future__ import annotations

from itertools import combinations
from random import Random

from lu_programs import (
    SITE,
    VARIABLE_NAMES,
    named_accesses,
    program_entities,
    program_steps,
    random_steps,
    random_trace_entities,
    variable,
    watch,
)

from raddle.criteria.orders import MAX_LISTED, All, SingleVariable, ThreadPair
from raddle.entities import AbstractVariable, make_entities
from raddle.site import Site

# T1 reads x and writes y. T2 writes x and y.
PROGRAM = [[("read", "x"), ("write", "y")], [("write", "x"), ("write", "y")]]


def covered(criterion, program, order):
    return watch(criterion, program_entities(program), program_steps(program, order))


def test_different_orders_have_different_keys():
    one, other = [(0, 0), (0, 1), (1, 0), (1, 1)], [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert covered(All(), PROGRAM, one) == covered(All(), PROGRAM, one)
    assert covered(All(), PROGRAM, one) != covered(All(), PROGRAM, other)
    assert covered(ThreadPair(), PROGRAM, one) != covered(ThreadPair(), PROGRAM, other)
    # The two orders differ only in whether T1 accesses y before T2 accesses x. In both, T1 is the first to access each
    # variable.
    assert covered(SingleVariable(), PROGRAM, one) == covered(SingleVariable(), PROGRAM, other)


def test_a_key_holds_a_digest_and_the_first_accesses():
    order = [(0, 0), (0, 1), (1, 0), (1, 1)]
    ((digest, beginning),) = covered(All(), PROGRAM, order)
    assert digest.startswith("4:")
    assert beginning == (
        ("T1", "read", "C.x", SITE + 100),
        ("T1", "write", "C.y", SITE + 101),
        ("T2", "write", "C.x", SITE + 200),
        ("T2", "write", "C.y", SITE + 201),
    )
    assert covered(ThreadPair(), PROGRAM, order) == {("T1", "T2", digest, beginning)}
    keys = {key[:3]: key[4] for key in covered(SingleVariable(), PROGRAM, order)}
    assert keys == {
        (variable("x"), "T1", "T2"): (beginning[0], beginning[2]),
        (variable("y"), "T1", "T2"): (beginning[1], beginning[3]),
    }


def test_only_shared_variables_count():
    # Only T1 accesses z, so the order is the same with and without that access.
    program = [[("read", "x"), ("write", "z"), ("write", "y")], PROGRAM[1]]
    (key,) = covered(All(), program, [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1)])
    assert key[0].startswith("4:")
    assert covered(All(), [[("read", "x")], [("write", "y")]], [(0, 0), (1, 0)]) == set()
    assert covered(SingleVariable(), program, [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1)]) == covered(
        SingleVariable(), [[("read", "x"), ("read", "x"), ("write", "y")], PROGRAM[1]], [(0, 0), (1, 0), (0, 2), (1, 1)]
    )


def test_nothing_is_covered_before_the_end_of_the_execution():
    criterion = All()
    criterion.begin(program_entities(PROGRAM))
    criterion.feed(program_steps(PROGRAM, [(0, 0), (0, 1), (1, 0), (1, 1)]))
    assert criterion.collect(final=False) == set()
    assert len(criterion.collect(final=True)) == 1


def test_long_orders_with_the_same_beginning_have_different_digests():
    # Each thread has 40 accesses. Only the last two accesses of the order are swapped.
    program = [[("read", "x")] * 40, [("write", "x")] * 40]
    order = [(thread, index) for index in range(40) for thread in (0, 1)]
    for criterion in (All(), ThreadPair(), SingleVariable()):
        (one,) = covered(criterion, program, order)
        (other,) = covered(criterion, program, [*order[:-2], order[-1], order[-2]])
        assert one[-1] == other[-1]
        assert len(one[-1]) == MAX_LISTED
        assert one[-2] != other[-2]


def test_the_total_counts_the_observed_accesses():
    # Two threads with two accesses each can interleave in C(4, 2) = 6 orders. For `svar`, each of the two variables
    # has one access per thread, which makes 2 + 2 orders.
    sizes = {All: 6, ThreadPair: 6, SingleVariable: 4}
    for make, size in sizes.items():
        criterion = make()
        assert criterion.seen_total().number is None
        covered(criterion, PROGRAM, [(0, 0), (0, 1), (1, 0), (1, 1)])
        assert criterion.seen_total().number == size


def test_a_branch_adds_sequences_of_accesses_to_the_total():
    # In the second execution, T1 only reads x, so only T2 accesses y. Over both executions, each thread has a sequence
    # of 2 accesses to shared variables and a sequence of 1 such access. Their combinations have C(4, 2) + C(3, 1) +
    # C(3, 1) + C(2, 1) = 14 interleavings.
    criterion = All()
    covered(criterion, PROGRAM, [(0, 0), (0, 1), (1, 0), (1, 1)])
    covered(criterion, PROGRAM, [(0, 0), (1, 0), (1, 1)])
    assert criterion.seen_total().number == 14


def test_threads_that_never_shared_a_variable_have_no_order():
    # T1 and T2 share x in one execution, and T2 and T3 share it in another. For each of these two pairs of threads,
    # there are C(2, 1) orders. T1 and T3 share nothing.
    criterion = ThreadPair()
    starts = [(0, "start", thread, SITE) for thread in (1, 2, 3)]
    for pair in ((1, 2), (2, 3)):
        accesses = [(thread, "write", 0, SITE + thread) for thread in pair]
        watch(criterion, make_entities(variables=[variable("x")]), starts + accesses)
    assert criterion.seen_total().number == 4


def test_sequences_of_equal_length_are_distinguished():
    # T1 reads x at one of two sites. Together with T2's only write, that makes 2 · C(2, 1) orders.
    for make in (All, ThreadPair, SingleVariable):
        criterion = make()
        for site in (SITE + 1, SITE + 2):
            steps = [(0, "start", 1, SITE), (0, "start", 2, SITE), (1, "read", 0, site), (2, "write", 0, SITE)]
            watch(criterion, make_entities(variables=[variable("x")]), steps)
        assert criterion.seen_total().number == 4


def test_a_total_with_too_many_digits_is_unknown():
    # C(20000, 10000) has more than 6000 digits. Two threads with 16 accesses each can interleave in C(32, 16) orders.
    steps = [(0, "start", 1, SITE), (0, "start", 2, SITE)]
    for length, number in ((16, 601080390), (10_000, None)):
        criterion = ThreadPair()
        accesses = [(thread, "write", 0, SITE) for thread in (1, 2) for _ in range(length)]
        watch(criterion, make_entities(variables=[variable("x")]), steps + accesses)
        assert criterion.seen_total().number == number


def orders_by_definition(name, steps, occurrences):
    """Return the complete orders, which the keys of the criterion contain only as digests."""
    accesses = [
        (variable(VARIABLE_NAMES[number]), number, access) for number, _, access in named_accesses(steps, occurrences)
    ]
    labels = sorted({access[0] for _, _, access in accesses})
    if name == "all":
        return {tuple((where, access) for where, _, access in accesses)} - {()}
    numbers = [None] if name == "tpair" else sorted({number for _, number, _ in accesses})
    orders = set()
    for number in numbers:
        relevant = [(where, access) for where, which, access in accesses if number in (None, which)]
        for pair in combinations(labels, 2):
            if set(pair) <= {access[0] for _, access in relevant}:
                orders.add(tuple((where, access) for where, access in relevant if access[0] in pair))
    return orders


def _summary(order):
    """Return the number of accesses in `order`, and the first MAX_LISTED of them in the form used in keys."""
    listed = ((label, kind, str(where), site) for where, (label, kind, site, _) in order[:MAX_LISTED])
    return str(len(order)), tuple(listed)


def test_keys_are_equal_exactly_when_orders_are_equal():
    random = Random(5)
    for make in (All, ThreadPair, SingleVariable):
        criterion = make(occurrences=3)
        key_of, order_of = {}, {}
        for _ in range(1500):
            steps = random_steps(random, length=random.choice([4, 5, 6, 12]))
            keys = watch(criterion, random_trace_entities(), steps, chunks=[3])
            orders = orders_by_definition(criterion.name, steps, 3)
            assert len(keys) == len(orders)
            assert {(key[-2].split(":")[0], key[-1]) for key in keys} == {_summary(order) for order in orders}
            if len(orders) == 1:
                (key,), (order,) = keys, orders
                assert key_of.setdefault(order, key) == key
                assert order_of.setdefault(key, order) == order
        assert 100 < len(key_of) < 1500
        assert criterion.seen_total().number >= len(key_of)


def test_explain_lists_the_first_accesses_of_the_order():
    sites = {SITE + line: Site("log.py", line, 0, "read", "th", "f", switchable=True) for line in (4, 9)}
    owner = tuple(AbstractVariable("log.py:AppenderSkeleton", "", "th"))
    beginning = (("T1", "read", "AppenderSkeleton.th", SITE + 4), ("T2", "write", "AppenderSkeleton.th", SITE + 9))
    listed = "T1 reads `AppenderSkeleton.th` at log.py:4, T2 writes `AppenderSkeleton.th` at log.py:9"
    assert All().explain(("2:0123456789", beginning), sites) == (
        f"all accesses to shared variables happen in this order: {listed} (order 01234567)"
    )
    assert ThreadPair().explain(("T1", "T2", "1002:0123456789", beginning), sites) == (
        "the accesses of threads T1 and T2 to shared variables happen in this order: "
        f"{listed}, and 1,000 more (order 01234567)"
    )
    key = (owner, "T1", "T2", "2:0123456789", beginning)
    assert SingleVariable().explain(key, sites) == (
        f"the accesses of threads T1 and T2 to `AppenderSkeleton.th` happen in this order: {listed} (order 01234567)"
    )
    assert (All().home(("2:0123456789", beginning)), SingleVariable().home(key)) == (0, SITE + 4)
