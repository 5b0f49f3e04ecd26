"""The criteria `eraser` and `eraser*`: the automaton's state and the protecting locks just before an access."""

from __future__ import annotations

import random

import pytest
from krena_variable_traces import (
    LOCK,
    METRICS,
    OTHER,
    RESOURCES,
    VARIABLES,
    S,
    X,
    actor_of,
    agrees,
    covered,
    shared_variables,
    small_entities,
    steps_of,
)  # fmt: skip

from raddle.analysis.eraser import STATES
from raddle.site import Site


def test_each_access_counts_with_the_state_before_it():
    # Thread 1 holds LOCK and OTHER when it makes the variable shared. After that, thread 2 holds only LOCK.
    steps = steps_of(
        "1 write 1", "1 read 2", "2 write 3", "2 read 4",
        f"1 acquire {LOCK}", f"1 acquire {OTHER}", "1 read 5", "1 write 6", f"1 release {OTHER}", f"1 release {LOCK}",
        f"2 acquire {LOCK}", "2 write 7", "2 read 8", f"2 release {LOCK}",
        "1 write 9", "2 read 10",
    )  # fmt: skip
    both, lock = tuple(sorted([RESOURCES[LOCK], RESOURCES[OTHER]])), (RESOURCES[LOCK],)
    assert covered("eraser", steps) == {
        (S + 1, "virgin", ()),
        (S + 2, "exclusive", ()),
        (S + 3, "exclusive", ()),  # the second thread's access changes `exclusive` to `exclusive'`
        (S + 4, "exclusive'", ()),
        (S + 5, "exclusive'", ()),
        (S + 6, "shared", both),
        (S + 7, "modified", both),
        (S + 8, "modified", lock),
        (S + 9, "modified", lock),  # no lock is held, so the state becomes `race`
        (S + 10, "race", ()),
    }


def test_only_shared_variables_count_including_accesses_before_they_were_shared():
    alone = steps_of("1 write 1", "1 read 2")
    assert covered("eraser", alone) == set()
    assert covered("eraser", [*alone, *steps_of("2 read 3")]) == {
        (S + 1, "virgin", ()), (S + 2, "exclusive", ()), (S + 3, "exclusive", ()),
    }  # fmt: skip


def test_locks_with_the_same_description_are_listed_once():
    entities = small_entities()
    same_description = entities.add_resource(RESOURCES[LOCK])
    steps = steps_of(
        "1 write 1", "2 write 2", f"1 acquire {LOCK}", f"1 acquire {same_description}", "1 write 3", "1 write 4"
    )
    assert (S + 4, "modified", (RESOURCES[LOCK],)) in covered("eraser", steps, entities)


def test_the_starred_metric_names_the_variable_and_the_thread():
    entities = small_entities()
    steps = steps_of("1 begin 1", "2 begin 2", "1 write 1", "2 write 2")
    assert covered("eraser*", steps, entities) == {
        (S + 1, VARIABLES[X], "virgin", (), entities.thread(1)),
        (S + 2, VARIABLES[X], "exclusive", (), entities.thread(2)),
    }


@pytest.mark.parametrize("state", STATES)
def test_explain_names_every_state(state):
    sites = {S + 1: Site("log.py", 4, 0, "write", "th", "f", switchable=False)}
    eraser = METRICS["eraser"]()
    sentence = eraser.explain((S + 1, state, ()), sites)
    assert sentence.startswith("thread A writes `th` at log.py:4 when ")
    assert f"Eraser state: {state})" in sentence


def test_explain_names_the_access_the_state_and_the_locks():
    sites = {S + 1: Site("log.py", 4, 0, "call", "self.items.append", "f", switchable=False)}
    eraser, starred = METRICS["eraser"](), METRICS["eraser*"]()
    assert eraser.explain((S + 1, "modified", (("Lock", "m.py:3"),)), sites) == (
        "thread A calls `self.items.append` at log.py:4 when several threads share it, and it has been "
        "written since it became shared (Eraser state: modified), protected by the Lock made at m.py:3"
    )
    assert starred.explain((S + 1, ("m.py:C", "", "items[]"), "shared", (), ("worker", "aa")), sites) == (
        "thread A (worker#aa) accesses `C.items[]` at log.py:4 when several threads share it, and "
        "it has only been read since it became shared (Eraser state: shared), protected by no common lock"
    )


def locks_at_each(steps):
    """Return, for each step, the locks that its thread holds."""
    last, result = {}, []
    for thread, kind, target, _ in steps:
        result.append({lock for lock, step in last.items() if step == (thread, "acquire")})
        if kind in ("acquire", "release"):
            last[target] = (thread, kind)
    return result


def state_found(steps, held, before):
    """Return the state and the locks after the accesses `before`, computed from the definition."""
    threads = [steps[i][0] for i in before]
    second = next((n for n, thread in enumerate(threads) if thread != threads[0]), None)
    if second is None:
        return ("exclusive" if before else "virgin"), set()
    third = next((n for n in range(second, len(threads)) if threads[n] != threads[second]), None)
    if third is None:
        return "exclusive'", set()
    since = before[third:]
    common = [set.intersection(*(held[i] for i in since[: n + 1])) for n in range(len(since))]
    written = [any(steps[i][1] == "write" for i in since[: n + 1]) for n in range(len(since))]
    if any(wrote and not locks for wrote, locks in zip(written, common, strict=True)):
        return "race", set()
    return ("modified" if written[-1] else "shared"), common[-1]


def found(steps, entities):
    held = locks_at_each(steps)
    for variable, accesses in shared_variables(steps):
        for position, index in enumerate(accesses):
            state, locks = state_found(steps, held, accesses[:position])
            named = tuple(sorted({entities.resources[lock] for lock in locks}))
            yield index, steps[index][3], entities.variables[variable], state, named


def plain(steps, entities):
    return {(site, state, locks) for _, site, _, state, locks in found(steps, entities)}


def starred(steps, entities):
    return {(*key, entities.thread(actor_of(steps, index))) for index, *key in found(steps, entities)}


def test_eraser_agrees_with_its_definition_on_random_executions():
    assert agrees("eraser", plain, random.Random(1), executions=500) > 5000
    assert agrees("eraser*", starred, random.Random(2), executions=500) > 8000
