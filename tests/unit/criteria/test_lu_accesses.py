"""Names of threads and accesses, and what executions showed of them."""

from __future__ import annotations

import json
from random import Random

import pytest
from lu_programs import SITE, like_cast, random_steps, variable, watch

from raddle.criteria import NAMES
from raddle.criteria.definitions import DefUse, LocalOrRemoteDefinition
from raddle.criteria.descent import MAX_LABEL_LENGTH, Labels
from raddle.criteria.interleaved_pairs import LocalOrRemoteInterleave, PairInterleave
from raddle.criteria.observed_accesses import ObservedAccesses
from raddle.criteria.orders import All, SingleVariable, ThreadPair
from raddle.criteria.sizes import sizes_seen
from raddle.entities import make_entities

FAMILY = {
    "all": All,
    "tpair": ThreadPair,
    "svar": SingleVariable,
    "def-use": DefUse,
    "pinv": PairInterleave,
    "lr-def": LocalOrRemoteDefinition,
    "lr-inv": LocalOrRemoteInterleave,
}


def test_threads_that_nobody_started_and_their_children():
    labels = Labels()
    labels.start(7, 9)  # 7 was not seen started
    labels.start(0, 3)
    assert [labels.of(thread) for thread in (0, 3, 7, 9, 5)] == ["T0", "T1", None, None, None]
    labels.settle([5, 9, 3])
    assert [labels.of(thread) for thread in (5, 7, 9)] == ["T?1", "T?2", "T?2.1"]


def test_a_start_can_be_told_late():
    labels = Labels()
    labels.start(2, 4)
    assert labels.of(4) is None
    labels.start(0, 1)
    labels.start(0, 2)
    assert labels.of(4) == "T2.1"


def test_labels_of_a_long_line_of_threads_stay_short_and_differ():
    labels = Labels()
    for thread in range(3000):
        labels.start(thread, thread + 1)
    names = [labels.of(thread) for thread in reversed(range(3001))]
    assert max(map(len, names)) <= MAX_LABEL_LENGTH
    assert len(set(names)) == 3001


@pytest.mark.parametrize("name", FAMILY)
def test_what_was_seen_merges_and_survives_json(name):
    random = Random(11)
    executions = [random_steps(random) for _ in range(30)]
    whole, one, other = (FAMILY[name](occurrences=2) for _ in range(3))
    for index, steps in enumerate(executions):
        watch(whole, like_cast(), steps)
        watch(one if index % 2 else other, like_cast(), steps)
    data = json.loads(json.dumps(one.extra().as_json()))
    assert ObservedAccesses.from_json(data) == one.seen
    assert one.seen + other.seen == other.seen + one.seen == whole.seen
    assert ObservedAccesses.from_json(data).as_json() == data
    one.seen += other.seen
    assert one.seen_total() == whole.seen_total()
    assert one.seen_total().number > 0


def test_the_same_numbers_can_mean_something_else_in_the_next_execution():
    # Names are kept between executions; here variable 0 is x, then y, and thread 2 is T2, then T1.1.
    criterion = DefUse()
    accesses = [(1, "write", 0, SITE + 1), (2, "read", 0, SITE + 2)]
    for _ in range(2):
        first = watch(criterion, make_entities(variables=[variable("x")]), [*_starts((0, 1), (0, 2)), *accesses])
        assert first == {(variable("x"), ("T1", "write", SITE + 1, 1), ("T2", "read", SITE + 2, 1))}
        second = watch(criterion, make_entities(variables=[variable("y")]), [*_starts((0, 1), (0, 2)), *accesses])
        assert second == {(variable("y"), ("T1", "write", SITE + 1, 1), ("T2", "read", SITE + 2, 1))}
        third = watch(criterion, make_entities(variables=[variable("y")]), [*_starts((0, 1), (1, 2)), *accesses])
        assert third == {(variable("y"), ("T1", "write", SITE + 1, 1), ("T1.1", "read", SITE + 2, 1))}


def _starts(*couples):
    return [(starter, "start", started, SITE) for starter, started in couples]


def test_an_execution_that_was_never_finished_leaves_nothing():
    criterion = PairInterleave()
    entities = make_entities(variables=[variable("x")])
    criterion.begin(entities)
    criterion.feed([*_starts((0, 1), (0, 2)), (1, "read", 0, SITE + 1), (2, "read", 0, SITE + 2)])
    criterion.collect(final=False)
    assert watch(criterion, entities, [(1, "read", 0, SITE + 1)]) == set()


def test_occurrences_are_at_least_one():
    with pytest.raises(ValueError, match="must be at least 1, not 0"):
        DefUse(occurrences=0)


def test_every_criterion_of_the_family_describes_itself():
    assert set(FAMILY) <= set(NAMES)
    for name, criterion in FAMILY.items():
        assert (criterion.name, criterion.family) == (name, "Lu et al.")
        assert str(criterion.shape).startswith("(")
        assert criterion.summary
        assert (criterion.cost == "linear") == (name not in ("all", "tpair", "svar"))


def test_what_earlier_versions_stored_has_the_totals_of_then():
    # T1 reads, T2 writes: by the formulas alone, whatever starts and joins order. The read is local or remote.
    variable_, read, write = ["m.py", "", "x"], ["T1", "read", SITE, 1], ["T2", "write", SITE + 1, 1]
    lines = [[variable_, "T1", 1, "a"], [variable_, "T2", 1, "b"]]
    seen = ObservedAccesses.from_json(
        {
            "executions": 1,
            "accesses": [[variable_, read], [variable_, write]],
            "sources": [],
            "pairs": [],
            "lines": lines,
            "meetings": [["T1", "T2"]],
        }
    )
    assert sizes_seen(seen)["lr-def"] == 2
    assert sizes_seen(seen)["svar"] == 2
