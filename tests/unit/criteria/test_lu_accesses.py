"""Labels of threads, names of accesses, and the record of observed accesses (`ObservedAccesses`)."""

from __future__ import annotations

import json
from random import Random

import pytest
from lu_programs import SITE, random_steps, random_trace_entities, variable, watch

from raddle.criteria import THREADS as NAMES
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


def test_threads_without_a_recorded_start_get_question_mark_labels():
    labels = Labels()
    labels.start(7, 9)  # the start of thread 7 was not recorded
    labels.start(0, 3)
    assert [labels.of(thread) for thread in (0, 3, 7, 9, 5)] == ["T0", "T1", None, None, None]
    labels.settle([5, 9, 3])
    assert [labels.of(thread) for thread in (5, 7, 9)] == ["T?1", "T?2", "T?2.1"]


def test_a_start_can_be_recorded_after_the_thread_has_started_others():
    labels = Labels()
    labels.start(2, 4)
    assert labels.of(4) is None
    labels.start(0, 1)
    labels.start(0, 2)
    assert labels.of(4) == "T2.1"


def test_labels_of_deeply_nested_threads_stay_short_and_unique():
    labels = Labels()
    for thread in range(3000):
        labels.start(thread, thread + 1)
    names = [labels.of(thread) for thread in reversed(range(3001))]
    assert max(map(len, names)) <= MAX_LABEL_LENGTH
    assert len(set(names)) == 3001


@pytest.mark.parametrize("name", FAMILY)
def test_observed_accesses_merge_and_survive_json(name):
    random = Random(11)
    executions = [random_steps(random) for _ in range(30)]
    whole, one, other = (FAMILY[name](occurrences=2) for _ in range(3))
    for index, steps in enumerate(executions):
        watch(whole, random_trace_entities(), steps)
        watch(one if index % 2 else other, random_trace_entities(), steps)
    data = json.loads(json.dumps(one.extra().as_json()))
    assert ObservedAccesses.from_json(data) == one.seen
    assert one.seen + other.seen == other.seen + one.seen == whole.seen
    assert ObservedAccesses.from_json(data).as_json() == data
    one.seen += other.seen
    assert one.seen_total() == whole.seen_total()
    assert one.seen_total().number > 0


def test_a_number_can_have_another_meaning_in_the_next_execution():
    # The criterion caches names across executions, so it must notice that variable 0 is x in the first execution and y
    # in the next, and that thread 2 is first T2 and then T1.1.
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


def test_an_unfinished_execution_does_not_affect_the_next():
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


def test_data_stored_by_earlier_versions_keeps_its_totals():
    # T1 reads and T2 writes. Old data does not contain the order imposed by starts and joins, so the formulas alone
    # give the totals: the read is local or remote, and the two accesses can come in two orders.
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
