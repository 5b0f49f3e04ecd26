"""The criteria `avio` and `avio*`: the last access by another thread between two accesses by one thread."""

from __future__ import annotations

import itertools
import random

import pytest
from krena_variable_traces import (
    METRICS,
    VARIABLES,
    S,
    X,
    Y,
    accesses_to,
    actor_of,
    agrees,
    covered,
    small_entities,
    steps_of,
)

from raddle.site import Site

CASES = list(itertools.product(["read", "write"], repeat=3))


@pytest.mark.parametrize(("first", "between", "second"), CASES)
def test_all_eight_combinations_of_reads_and_writes_count(first, between, second):
    steps = steps_of(f"1 {first} 1", f"2 {between} 3", f"1 {second} 2")
    assert covered("avio", steps) == {(S + 1, S + 2, S + 3)}


def test_only_the_last_access_in_between_counts():
    steps = steps_of("1 read 1", "2 write 3", "3 read 4", "1 read 2")
    assert covered("avio", steps) == {(S + 1, S + 2, S + 4)}


def test_only_consecutive_accesses_of_a_thread_form_a_block():
    # Thread 1's block extends from site 2 to site 5. No block extends from site 1 to site 5, because thread 1's access
    # at site 2 lies in between.
    steps = steps_of("1 read 1", "1 write 2", "2 write 3", "1 read 5")
    assert covered("avio", steps) == {(S + 2, S + 5, S + 3)}


def test_a_block_without_an_access_in_between_is_not_covered():
    assert covered("avio", steps_of("1 read 1", "1 write 2", "2 read 3", "2 write 4")) == set()


def test_blocks_of_two_threads_may_overlap():
    # Access 2 lies within thread 1's block 1-3, and access 3 lies within thread 2's block 2-4.
    steps = steps_of("1 read 1", "2 read 2", "1 write 3", "2 write 4")
    assert covered("avio", steps) == {(S + 1, S + 3, S + 2), (S + 2, S + 4, S + 3)}


def test_accesses_to_another_variable_do_not_count_as_in_between():
    steps = [*steps_of("1 read 1"), *steps_of("2 write 3", "2 write 4", target=Y), *steps_of("1 write 2")]
    assert covered("avio", steps) == set()


def test_a_block_does_not_span_two_tasks_of_a_worker():
    entities = small_entities(["main", "task", "other", "task"])
    before, after = ["1 begin 1", "1 read 1", "2 write 3"], ["1 read 2"]
    assert len(covered("avio", steps_of(*before, *after), entities)) == 1
    assert covered("avio", steps_of(*before, "1 task 3", *after), entities) == set()


def test_the_starred_metric_names_the_variable_and_the_threads():
    entities = small_entities()
    steps = steps_of("1 begin 1", "2 begin 2", "1 read 1", "2 write 3", "1 write 2")
    key = (S + 1, S + 2, S + 3, VARIABLES[X], entities.thread(1), entities.thread(2))
    assert covered("avio*", steps, entities) == {key}


def test_explain_describes_the_three_accesses():
    sites = {
        S + 1: Site("log.py", 4, 0, "read", "th", "f", switchable=False),
        S + 2: Site("log.py", 5, 0, "write", "th", "f", switchable=False),
        S + 3: Site("log.py", 9, 0, "write", "th", "g", switchable=False),
    }
    avio, starred = METRICS["avio"](), METRICS["avio*"]()
    assert avio.explain((S + 1, S + 2, S + 3), sites) == (
        "thread A reads `th` at log.py:4 and next writes it at log.py:5, and the last access in between is by thread "
        "B, which writes it at log.py:9"
    )
    key = (S + 1, S + 2, 0, ("log.py:Appender", "", "th"), ("worker", "aa"), ("main", "bb"))
    assert starred.explain(key, sites) == (
        "thread A (worker#aa) reads `Appender.th` at log.py:4 and next writes it at log.py:5, and the last access in "
        "between is by thread B (main#bb), which accesses it in code without probes"
    )
    assert starred.home(key) == S + 1


def blocks(steps):
    """Yield each block as the indices (first, second, between), computed directly from the definition."""
    for variable in {step[2] for step in steps if step[1] in ("read", "write")}:
        accesses = accesses_to(steps, variable)
        for second in accesses:
            thread = steps[second][0]
            earlier = [i for i in accesses if i < second and steps[i][0] == thread]
            if earlier and actor_of(steps, earlier[-1]) == actor_of(steps, second):
                between = [i for i in accesses if earlier[-1] < i < second]
                if between:
                    yield earlier[-1], second, between[-1]


def plain(steps, entities):
    return {tuple(steps[i][3] for i in block) for block in blocks(steps)}


def starred(steps, entities):
    return {
        (
            *[steps[i][3] for i in (first, second, between)], entities.variables[steps[first][2]],
            entities.thread(actor_of(steps, first)), entities.thread(actor_of(steps, between)),
        )
        for first, second, between in blocks(steps)
    }  # fmt: skip


def test_avio_agrees_with_its_definition_on_random_executions():
    assert agrees("avio", plain, random.Random(1), executions=1000) > 5000
    assert agrees("avio*", starred, random.Random(2), executions=1000) > 10_000
