"""du-pairs and du-pairs*: which write's value a read got."""

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
    small_cast,
    steps_of,
)

from raddle.site import Site


def test_a_read_goes_with_the_last_write_by_whichever_thread():
    # Thread 2 reads what 1 wrote, then its own; thread 1 reads what 2 wrote.
    steps = steps_of("1 write 1", "2 read 2", "2 write 3", "2 read 4", "1 read 5")
    expected = {(S + 1, S + 2), (S + 3, S + 4), (S + 3, S + 5)}
    assert covered("du-pairs", steps) == {(*pair, VARIABLES[X]) for pair in expected}


def test_a_write_hides_the_one_before():
    steps = steps_of("1 write 1", "2 write 2", "1 read 3")
    assert covered("du-pairs", steps) == {(S + 2, S + 3, VARIABLES[X])}


def test_what_nobody_wrote_has_no_definition():
    assert covered("du-pairs", steps_of("1 read 1", "2 read 2", "1 write 3")) == set()


def test_only_shared_variables_count_but_these_from_the_beginning():
    alone = steps_of("1 write 1", "1 read 2")
    assert covered("du-pairs", alone) == set()
    # Thread 2 comes only with a write at the end.
    assert covered("du-pairs", [*alone, *steps_of("2 write 3")]) == {(S + 1, S + 2, VARIABLES[X])}
    assert covered("du-pairs", [*alone, *steps_of("2 write 3", target=Y)]) == set()


def test_what_is_kept_back_for_want_of_a_second_thread_is_told_once():
    criterion = METRICS["du-pairs"]()
    criterion.begin(small_cast())
    criterion.feed(steps_of("1 write 1", "1 read 2"))
    assert criterion.collect(final=False) == set()
    criterion.feed(steps_of("2 read 2"))
    assert criterion.collect(final=False) == {(S + 1, S + 2, VARIABLES[X])}
    criterion.feed(steps_of("1 read 2"))
    assert criterion.collect(final=True) == set()
    criterion.begin(small_cast())  # another execution
    assert criterion.collect(final=True) == set()


def test_the_starred_one_names_the_threads():
    entities = small_cast()
    steps = steps_of("1 begin 1", "2 begin 2", "1 write 1", "2 read 2", "1 read 2")
    one, two = entities.thread(1), entities.thread(2)
    assert covered("du-pairs*", steps, entities) == {
        (S + 1, S + 2, VARIABLES[X], one, two),
        (S + 1, S + 2, VARIABLES[X], one, one),
    }


def test_sentences():
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
    """Straight from the definition: (definition, use) as indices."""
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


def test_agree_with_their_definitions():
    assert agrees("du-pairs", plain, random.Random(1), executions=1000) > 5000
    assert agrees("du-pairs*", starred, random.Random(2), executions=1000) > 8000
