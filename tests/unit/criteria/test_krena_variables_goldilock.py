"""The criteria `goldilock` and `goldilock*`, which record the check that decides whether an access races."""

from __future__ import annotations

import random

import pytest
from krena_variable_traces import (
    LOCK,
    METRICS,
    QUEUE,
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

from raddle.analysis.goldilocks import CHECKS
from raddle.analysis.locksets import HeldLocks
from raddle.site import Site
from raddle.step import GIVES, TAKES

BEGIN = ("1 begin 1", "2 begin 2", "3 begin 3")


def test_short_circuits_name_no_lockset():
    steps = steps_of(
        *BEGIN,
        f"1 acquire {LOCK}", "1 write 1", "1 read 2", f"1 release {LOCK}",
        f"2 acquire {LOCK}", "2 read 3", "2 write 4", f"2 put {QUEUE}", f"2 release {LOCK}",
        f"3 get {QUEUE}", "3 write 5",
    )  # fmt: skip
    assert covered("goldilock", steps) == {
        (S + 1, "first", ()),
        (S + 2, "same thread", ()),
        (S + 3, "same lock", ()),
        (S + 4, "same lock", ()),
        (S + 5, "two threads", ()),
    }


def test_without_a_short_circuit_the_key_names_the_lockset():
    # Thread 1 synchronizes with thread 2, and thread 2 with thread 3. The lockset of the write is then {1, LOCK, 2,
    # QUEUE, 3}.
    entities = small_entities()
    synchronization = [f"1 release {LOCK}", f"2 acquire {LOCK}", f"2 put {QUEUE}", f"3 get {QUEUE}"]
    steps = steps_of(*BEGIN, "1 write 1", *synchronization, "3 read 2")
    resources = [("resource", RESOURCES[LOCK]), ("resource", RESOURCES[QUEUE])]
    threads = [("thread", entities.thread(actor)) for actor in (1, 3, 2)]  # sorted by type: "one", "three", "two"
    assert covered("goldilock", steps, entities) == {(S + 1, "first", ()), (S + 2, "lockset", (*resources, *threads))}


def test_a_race_names_the_lockset_that_does_not_contain_the_thread():
    entities = small_entities()
    steps = steps_of(*BEGIN, "1 write 1", f"1 put {QUEUE}", "2 write 2")
    lockset = (("resource", RESOURCES[QUEUE]), ("thread", entities.thread(1)))
    assert (S + 2, "race", lockset) in covered("goldilock", steps, entities)


def test_threads_are_named_by_their_actor_at_the_access():
    entities = small_entities(["main", "one", "two", "next"])
    steps = steps_of("1 begin 1", "2 begin 2", "1 write 1", "1 task 3", "2 write 2")
    assert (S + 2, "race", (("thread", entities.thread(3)),)) in covered("goldilock", steps, entities)


def test_only_shared_variables_count_including_accesses_before_they_were_shared():
    alone = steps_of("1 write 1", "1 read 2")
    assert covered("goldilock", alone) == set()
    assert covered("goldilock", [*alone, *steps_of("1 start 2", "2 read 3")]) == {
        (S + 1, "first", ()), (S + 2, "same thread", ()), (S + 3, "two threads", ()),
    }  # fmt: skip


def test_the_starred_metric_names_the_variable_and_the_thread():
    entities = small_entities()
    steps = steps_of(*BEGIN, "1 write 1", "1 start 2", "2 read 2")
    assert covered("goldilock*", steps, entities) == {
        (S + 1, VARIABLES[X], "first", (), entities.thread(1)),
        (S + 2, VARIABLES[X], "two threads", (), entities.thread(2)),
    }


@pytest.mark.parametrize("check", CHECKS)
def test_explain_names_every_check(check):
    sites = {S + 1: Site("log.py", 4, 0, "write", "th", "f", switchable=False)}
    goldilock = METRICS["goldilock"]()
    sentence = goldilock.explain((S + 1, check, ()), sites)
    assert sentence.startswith("thread A writes `th` at log.py:4 ")
    assert sentence.endswith(f"({check})")


def test_explain_names_the_access_and_the_lockset():
    sites = {S + 1: Site("log.py", 4, 0, "write", "th", "f", switchable=False)}
    goldilock, starred = METRICS["goldilock"](), METRICS["goldilock*"]()
    lockset = (("resource", ("Queue", "m.py:3")), ("thread", ("main", "aa")))
    assert goldilock.explain((S + 1, "lockset", lockset), sites) == (
        "thread A writes `th` at log.py:4 after a conflicting access whose lockset is the Queue made at m.py:3 and "
        "main#aa (lockset)"
    )
    assert starred.explain((S + 1, ("m.py:C", "", "th"), "same lock", (), ("worker", "aa")), sites) == (
        "thread A (worker#aa) writes `C.th` at log.py:4 while holding a lock that was also held at the last "
        "conflicting access (same lock)"
    )


def lockset_by_the_rules(steps, start, end, only=None):
    lockset = {("thread", steps[start][0])}
    for thread, kind, target, _ in steps[start + 1 : end]:
        if only is not None and thread not in only:
            continue
        if kind in GIVES and ("thread", thread) in lockset:
            lockset.add(("resource", target))
        elif kind in TAKES and ("resource", target) in lockset:
            lockset.add(("thread", thread))
        elif kind == "start" and ("thread", thread) in lockset:
            lockset.add(("thread", target))
    return lockset


def deciding_check(steps, start, end, held):
    thread, other = steps[end][0], steps[start][0]
    if thread == other:
        return "same thread"
    if ("thread", thread) not in lockset_by_the_rules(steps, start, end):
        return "race"
    if held[start] & held[end]:
        return "same lock"
    if ("thread", thread) in lockset_by_the_rules(steps, start, end, only={thread, other}):
        return "two threads"
    return "lockset"


def locks_at_each(steps):
    held, result = HeldLocks(), []
    for thread, kind, target, _ in steps:
        result.append(held.by(thread))
        if kind in ("acquire", "release"):
            (held.acquired if kind == "acquire" else held.released)(thread, target)
    return result


def found(steps, entities):
    """Yield (access, site, variable, check, lockset), computed directly from the definition."""
    held = locks_at_each(steps)
    for variable, accesses in shared_variables(steps):
        for index in accesses:
            writes = [i for i in accesses if i < index and steps[i][1] == "write"]
            rivals = writes[-1:]
            if steps[index][1] == "write":
                rivals += {steps[i][0]: i for i in accesses if i < index and not (rivals and i <= rivals[0])}.values()
            check, named = "first", ()
            if rivals:
                hardness, decisive = max((CHECKS.index(deciding_check(steps, i, index, held)), i) for i in rivals)
                check = CHECKS[hardness]
                if check in ("lockset", "race"):
                    named = names(lockset_by_the_rules(steps, decisive, index), steps, index, entities)
            yield index, steps[index][3], entities.variables[variable], check, named


def names(lockset, steps, index, entities):
    def actor(thread):
        turns = [step[2] for step in steps[:index] if step[0] == thread and step[1] in ("begin", "task")]
        return turns[-1] if turns else thread

    return tuple(
        sorted(
            {(kind, entities.resources[n] if kind == "resource" else entities.thread(actor(n))) for kind, n in lockset}
        )
    )


def plain(steps, entities):
    return {(site, check, lockset) for _, site, _, check, lockset in found(steps, entities)}


def starred(steps, entities):
    return {(*key, entities.thread(actor_of(steps, index))) for index, *key in found(steps, entities)}


def test_goldilock_agrees_with_its_definition_on_random_executions():
    assert agrees("goldilock", plain, random.Random(1), executions=400) > 4000
    assert agrees("goldilock*", starred, random.Random(2), executions=400) > 6000
