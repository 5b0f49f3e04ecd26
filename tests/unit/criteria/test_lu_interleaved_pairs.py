"""The criteria `pinv` and `lr-inv`: accesses that interleave with two consecutive accesses of a thread."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from lu_programs import SITE, VARIABLE_NAMES, compare_on_random_traces, program_entities, program_steps, variable, watch

from raddle.criteria.interleaved_pairs import LocalOrRemoteInterleave, PairInterleave
from raddle.entities import AbstractVariable, make_entities
from raddle.pruning_facts import PruningFacts
from raddle.site import Site
from raddle.static_model import StaticModel

X = variable("x")
FIRST, SECOND, OTHER = ("T1", "read", SITE + 100, 1), ("T1", "write", SITE + 101, 1), ("T2", "write", SITE + 200, 1)
PROGRAM = [[("read", "x"), ("write", "x")], [("write", "x")]]

# The kinds of the first local access, the remote access and the second local access in the paper's cases (from AVIO).
UNSERIALIZABLE = {
    ("read", "write", "read"),
    ("write", "write", "read"),
    ("write", "read", "write"),
    ("read", "write", "write"),
}


def covered(criterion, program, order):
    return watch(criterion, program_entities(program), program_steps(program, order))


def test_a_pair_is_covered_with_the_access_in_between_or_with_none():
    assert covered(PairInterleave(), PROGRAM, [(0, 0), (1, 0), (0, 1)]) == {(X, FIRST, SECOND, OTHER)}
    for order in ([(1, 0), (0, 0), (0, 1)], [(0, 0), (0, 1), (1, 0)]):
        assert covered(PairInterleave(), PROGRAM, order) == {(X, FIRST, SECOND, "none")}


def test_each_access_between_covers_its_triple():
    # T1 reads x, T2 writes x twice, T3 reads x, and T1 writes x. T2's pair has nothing in between.
    program = [[("read", "x"), ("write", "x")], [("write", "x"), ("write", "x")], [("read", "x")]]
    second_write, third = ("T2", "write", SITE + 201, 1), ("T3", "read", SITE + 300, 1)
    assert covered(PairInterleave(), program, [(0, 0), (1, 0), (1, 1), (2, 0), (0, 1)]) == {
        (X, FIRST, SECOND, OTHER),
        (X, FIRST, SECOND, second_write),
        (X, FIRST, SECOND, third),
        (X, OTHER, second_write, "none"),
    }


def test_both_accesses_of_a_pair_are_to_one_variable():
    # T1 reads x, writes y, and writes x. Its accesses to x are consecutive, and T2's access to y does not count as an
    # access in between.
    program = [[("read", "x"), ("write", "y"), ("write", "x")], [("write", "y"), ("write", "x")]]
    pair = (X, FIRST, ("T1", "write", SITE + 102, 1))
    assert covered(PairInterleave(), program, [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1)]) == {(*pair, "none")}


def test_occurrences_beyond_the_limit_count_as_one():
    # T1 reads x at one site four times, and T2 writes it after the third read. With a limit of 2, the occurrences of
    # T1's accesses are 1, 2, 2, 2. So the pairs are (1, 2) and (2, 2). The latter occurs once with nothing in between
    # and once with T2's write.
    steps = [(0, "start", 1, SITE), (0, "start", 2, SITE), *[(1, "read", 0, SITE + 1)] * 3]
    steps += [(2, "write", 0, SITE + 2), (1, "read", 0, SITE + 1)]
    one, two, other = ("T1", "read", SITE + 1, 1), ("T1", "read", SITE + 1, 2), ("T2", "write", SITE + 2, 1)
    assert watch(PairInterleave(occurrences=2), make_entities(variables=[X]), steps) == {
        (X, one, two, "none"),
        (X, two, two, "none"),
        (X, two, two, other),
    }


@pytest.mark.parametrize(("first", "remote", "second"), list(product(["read", "write"], repeat=3)))
def test_lr_inv_distinguishes_unserializable_and_serializable_cases(first, remote, second):
    program = [[(first, "x"), (second, "x")], [(remote, "x")]]
    (key,) = covered(LocalOrRemoteInterleave(), program, [(0, 0), (1, 0), (0, 1)])
    case = "unserializable" if (first, remote, second) in UNSERIALIZABLE else "serializable"
    assert key == (X, ("T1", first, SITE + 100, 1), ("T1", second, SITE + 101, 1), case)


def test_no_access_between_is_serializable():
    assert covered(LocalOrRemoteInterleave(), PROGRAM, [(1, 0), (0, 0), (0, 1)]) == {(X, FIRST, SECOND, "serializable")}


def test_a_second_variable_of_the_same_name_repeats_no_key():
    starts = [(0, "start", 1, SITE), (0, "start", 2, SITE)]
    one = [(1, "read", 0, SITE + 100), (2, "write", 0, SITE + 200), (1, "write", 0, SITE + 101)]
    same = [(thread, kind, 1, site) for thread, kind, _, site in one]
    entities = make_entities(variables=[X, X])
    assert watch(PairInterleave(), entities, [*starts, *one, *same], chunks=[5]) == {(X, FIRST, SECOND, OTHER)}


def test_the_covered_keys_behave_like_a_set():
    criterion = PairInterleave()
    steps = program_steps(PROGRAM, [(0, 0), (1, 0), (0, 1)])
    criterion.begin(program_entities(PROGRAM))
    criterion.feed(steps)
    found = criterion.collect(final=True)
    key = (X, FIRST, SECOND, OTHER)
    assert len(found) == 1
    assert key in found
    assert (X, FIRST, SECOND, "none") not in found
    assert found == {key} == found | set() == set() | found
    assert list(found) == list(found) == [key]  # the set can be iterated more than once


def test_the_total_counts_the_observed_accesses():
    # There is one pair, with either nothing or T2's write in between. That write makes the pair unserializable.
    pinv, lr_inv = PairInterleave(), LocalOrRemoteInterleave()
    for criterion in (pinv, lr_inv):
        covered(criterion, PROGRAM, [(0, 0), (0, 1), (1, 0)])
        assert criterion.seen_total().number == 2
    assert list(pinv.requirements(StaticModel(), PruningFacts())) == [
        (X, FIRST, SECOND, "none"),
        (X, FIRST, SECOND, OTHER),
    ]
    assert [key[3] for key in lr_inv.requirements(StaticModel(), PruningFacts())] == ["serializable", "unserializable"]


def pairs_by_definition(accesses):
    """Yield (variable, first, second, all accesses in between) for each consecutive pair."""
    for end, (number, thread, second) in enumerate(accesses):
        before = [place for place in range(end) if accesses[place][:2] == (number, thread)]
        if before:
            between = [other for which, _, other in accesses[before[-1] + 1 : end] if which == number]
            yield variable(VARIABLE_NAMES[number]), accesses[before[-1]][2], second, between


def pinv_by_definition(accesses):
    return {
        (where, first, second, other)
        for where, first, second, between in pairs_by_definition(accesses)
        for other in between or ["none"]
    }


def lr_inv_by_definition(accesses):
    keys = set()
    for where, first, second, between in pairs_by_definition(accesses):
        bad = any((first[1], other[1], second[1]) in UNSERIALIZABLE for other in between)
        keys.add((where, first, second, "unserializable" if bad else "serializable"))
    return keys


def check(make_criterion, reference, seed):
    criteria, found = compare_on_random_traces(Random(seed), make_criterion, reference, traces=3000)
    for occurrences, criterion in criteria.items():
        requirements = list(criterion.requirements(StaticModel(), PruningFacts()))
        assert len(requirements) == len(set(requirements)) == criterion.seen_total().number
        assert found[occurrences] <= set(requirements)


def test_pinv_agrees_with_its_definition():
    check(PairInterleave, pinv_by_definition, 3)


def test_lr_inv_agrees_with_its_definition():
    check(LocalOrRemoteInterleave, lr_inv_by_definition, 4)


def test_explain_names_the_pair_and_the_access_in_between():
    sites = {
        SITE + line: Site("log.py", line, 0, kind, "th", "f", switchable=True)
        for line, kind in ((4, "read"), (5, "write"), (9, "write"))
    }
    owner = tuple(AbstractVariable("log.py:AppenderSkeleton", "app.py:1", "th"))
    first, second, other = ("T1", "read", SITE + 4, 1), ("T1", "write", SITE + 5, 1), ("T2", "write", SITE + 9, 2)
    pair = "thread T1 reads `AppenderSkeleton.th` at log.py:4 and next writes it at log.py:5 "
    pinv, lr_inv = PairInterleave(), LocalOrRemoteInterleave()
    assert pinv.explain((owner, first, second, "none"), sites) == pair + "with no access by another thread in between"
    assert pinv.explain((owner, first, second, other), sites) == (
        "thread T2 writes `AppenderSkeleton.th` at log.py:9 (2nd time) between thread T1's read at log.py:4 "
        "and its next access, the write at log.py:5"
    )
    assert lr_inv.explain((owner, first, second, "unserializable"), sites) == (
        pair + "with a write by another thread in between (unserializable)"
    )
    assert lr_inv.explain((owner, first, second, "serializable"), sites) == (
        pair + "without a write by another thread in between (serializable)"
    )
