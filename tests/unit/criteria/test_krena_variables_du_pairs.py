"""The criteria `du-pairs` and `du-pairs*`: the write that defines the value of each read."""

from __future__ import annotations

import random

from krena_variable_traces import (
    METRICS,
    VARIABLES,
    S,
    X,
    Y,
    actor_of,
    agrees,
    covered,
    shared_variables,
    small_entities,
    steps_of,
)

from raddle.site import Site


def test_a_read_pairs_with_the_last_write_by_any_thread():
    # Thread 2 reads thread 1's value, then its own value. Thread 1 reads thread 2's value.
    steps = steps_of("1 write 1", "2 read 2", "2 write 3", "2 read 4", "1 read 5")
    expected = {(S + 1, S + 2), (S + 3, S + 4), (S + 3, S + 5)}
    assert covered("du-pairs", steps) == {(*pair, VARIABLES[X]) for pair in expected}


def test_a_write_hides_the_write_before_it():
    steps = steps_of("1 write 1", "2 write 2", "1 read 3")
    assert covered("du-pairs", steps) == {(S + 2, S + 3, VARIABLES[X])}


def test_a_read_before_any_write_has_no_definition():
    assert covered("du-pairs", steps_of("1 read 1", "2 read 2", "1 write 3")) == set()


def test_only_shared_variables_count_including_accesses_before_they_were_shared():
    alone = steps_of("1 write 1", "1 read 2")
    assert covered("du-pairs", alone) == set()
    # Thread 2's only access is the write at the end.
    assert covered("du-pairs", [*alone, *steps_of("2 write 3")]) == {(S + 1, S + 2, VARIABLES[X])}
    assert covered("du-pairs", [*alone, *steps_of("2 write 3", target=Y)]) == set()


def test_a_pair_withheld_until_the_variable_is_shared_is_collected_once():
    criterion = METRICS["du-pairs"]()
    criterion.begin(small_entities())
    criterion.feed(steps_of("1 write 1", "1 read 2"))
    assert criterion.collect(final=False) == set()
    criterion.feed(steps_of("2 read 2"))
    assert criterion.collect(final=False) == {(S + 1, S + 2, VARIABLES[X])}
    criterion.feed(steps_of("1 read 2"))
    assert criterion.collect(final=True) == set()
    criterion.begin(small_entities())  # another execution
    assert criterion.collect(final=True) == set()


def test_the_starred_metric_names_the_threads():
    entities = small_entities()
    steps = steps_of("1 begin 1", "2 begin 2", "1 write 1", "2 read 2", "1 read 2")
    one, two = entities.thread(1), entities.thread(2)
    assert covered("du-pairs*", steps, entities) == {
        (S + 1, S + 2, VARIABLES[X], one, two),
        (S + 1, S + 2, VARIABLES[X], one, one),
    }


def test_explain_describes_the_write_and_the_read():
    sites = {
        S + 1: Site("log.py", 4, 0, "write", "th", "f", switchable=False),
        S + 2: Site("log.py", 9, 0, "read", "th", "g", switchable=False),
    }
    variable = ("log.py:Appender", "app.py:1", "th")
    pairs, starred = METRICS["du-pairs"](), METRICS["du-pairs*"]()
    assert pairs.explain((S + 1, S + 2, variable), sites) == (
        "a thread writes `Appender.th` at log.py:4 and then the same or another thread reads it at log.py:9, with no "
        "write in between"
    )
    assert starred.explain((S + 1, S + 2, variable, ("main", "aa"), ("worker", "bb")), sites) == (
        "thread A (main#aa) writes `Appender.th` at log.py:4 and then thread B (worker#bb) reads it at log.py:9, with "
        "no write in between"
    )
    assert "A, or another thread of the same kind, reads" in starred.explain(
        (S + 1, S + 2, variable, ("m", "a"), ("m", "a")), sites
    )


def pairs(steps):
    """Yield the indices (definition, use), computed directly from the definition."""
    for _, accesses in shared_variables(steps):
        for use in accesses:
            definitions = [i for i in accesses if i < use and steps[i][1] == "write"]
            if steps[use][1] == "read" and definitions:
                yield definitions[-1], use


def plain(steps, entities):
    return {(steps[d][3], steps[u][3], entities.variables[steps[u][2]]) for d, u in pairs(steps)}


def starred(steps, entities):
    def thread(index):
        return entities.thread(actor_of(steps, index))

    return {(steps[d][3], steps[u][3], entities.variables[steps[u][2]], thread(d), thread(u)) for d, u in pairs(steps)}


def test_du_pairs_agree_with_their_definition_on_random_executions():
    assert agrees("du-pairs", plain, random.Random(1), executions=1000) > 5000
    assert agrees("du-pairs*", starred, random.Random(2), executions=1000) > 8000
