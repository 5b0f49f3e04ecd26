"""def-use and lr-def: who defined what a read reads."""

from __future__ import annotations

from random import Random

from lu_programs import LIKE, SITE, compare_on_random_traces, program_cast, program_steps, variable, watch

from raddle.criteria.definitions import DefUse, LocalOrRemoteDefinition
from raddle.entities import AbstractVariable, make_entities
from raddle.pruning_facts import PruningFacts
from raddle.site import Site
from raddle.static_model import StaticModel
from raddle.tally import STATIC, Total

X = variable("x")
PROGRAM = [[("write", "x"), ("read", "x")], [("write", "x")]]
WRITE_1, READ_1, WRITE_2 = ("T1", "write", SITE + 100, 1), ("T1", "read", SITE + 101, 1), ("T2", "write", SITE + 200, 1)


def covered(criterion, program, order):
    return watch(criterion, program_cast(program), program_steps(program, order))


def test_a_read_reads_the_last_write():
    # T1 writes, T2 writes, T1 reads: what T2 wrote.
    assert covered(DefUse(), PROGRAM, [(0, 0), (1, 0), (0, 1)]) == {(X, WRITE_2, READ_1)}
    # T2 first: T1 reads its own.
    assert covered(DefUse(), PROGRAM, [(1, 0), (0, 0), (0, 1)]) == {(X, WRITE_1, READ_1)}


def test_local_or_remote():
    assert covered(LocalOrRemoteDefinition(), PROGRAM, [(0, 0), (1, 0), (0, 1)]) == {(X, READ_1, "remote")}
    assert covered(LocalOrRemoteDefinition(), PROGRAM, [(1, 0), (0, 0), (0, 1)]) == {(X, READ_1, "local")}


def test_what_was_there_before_is_initial_and_local():
    program = [[("read", "x")], [("write", "x")]]
    read = ("T1", "read", SITE + 100, 1)
    assert covered(DefUse(), program, [(0, 0), (1, 0)]) == {(X, "initial", read)}
    assert covered(LocalOrRemoteDefinition(), program, [(0, 0), (1, 0)]) == {(X, read, "local")}


def test_a_variable_of_one_thread_does_not_count():
    assert covered(DefUse(), [[("write", "x"), ("read", "x")], [("read", "y")]], [(0, 0), (0, 1), (1, 0)]) == set()


def test_variables_that_look_alike_are_told_apart():
    # 0 and 1 are both x. T1 writes 0, T2 reads 1 before a thread wrote it, T2 reads 0 and T1 reads 1: shared, both.
    entities = make_entities(variables=[X, X])
    steps = [(1, "write", 0, SITE), (2, "read", 1, SITE + 1), (2, "read", 0, SITE + 2), (1, "read", 1, SITE + 3)]
    steps = [(0, "start", 1, SITE), (0, "start", 2, SITE), *steps]
    assert watch(DefUse(), entities, steps) == {
        (X, "initial", ("T2", "read", SITE + 1, 1)),
        (X, ("T1", "write", SITE, 1), ("T2", "read", SITE + 2, 1)),
        (X, "initial", ("T1", "read", SITE + 3, 1)),
    }


def test_what_is_kept_back():
    # T1's read counts only once T2 has touched x too.
    criterion = DefUse()
    criterion.begin(make_entities(variables=[X]))
    criterion.feed([(0, "start", 1, SITE), (1, "read", 0, SITE + 1)])
    assert criterion.collect(final=False) == set()
    criterion.feed([(2, "write", 0, SITE + 2), (2, "read", 0, SITE + 3)])
    # Thread 2 was not seen started yet: it has no name.
    assert criterion.collect(final=False) == {(X, "initial", ("T1", "read", SITE + 1, 1))}
    criterion.feed([(1, "start", 2, SITE)])
    # Thread 2 is the first that thread 1 started.
    write, read = ("T1.1", "write", SITE + 2, 1), ("T1.1", "read", SITE + 3, 1)
    assert criterion.collect(final=False) == {(X, write, read)}
    assert criterion.collect(final=True) == set()


def test_the_total_of_what_was_seen():
    # One execution shows all accesses: the read has its own thread's write and the other thread's, 2 requirements.
    def_use, local_or_remote = DefUse(), LocalOrRemoteDefinition()
    assert (def_use.seen_total().number, def_use.requirements(StaticModel(), PruningFacts())) == (None, None)
    covered(def_use, PROGRAM, [(0, 0), (1, 0), (0, 1)])
    covered(local_or_remote, PROGRAM, [(0, 0), (1, 0), (0, 1)])
    assert def_use.seen_total() == def_use.total(StaticModel(), PruningFacts()) == Total(2, STATIC)
    assert list(def_use.requirements(StaticModel(), PruningFacts())) == [(X, WRITE_1, READ_1), (X, WRITE_2, READ_1)]
    assert local_or_remote.seen_total() == Total(2, STATIC)
    assert list(local_or_remote.requirements(StaticModel(), PruningFacts())) == [
        (X, READ_1, "local"),
        (X, READ_1, "remote"),
    ]


def def_use_by_definition(accesses):
    keys = set()
    for place, (number, _, read) in enumerate(accesses):
        if read[1] == "read":
            writes = [other for which, _, other in accesses[:place] if which == number and other[1] == "write"]
            keys.add((variable(LIKE[number]), writes[-1] if writes else "initial", read))
    return keys


def local_or_remote_by_definition(accesses):
    return {
        (where, read, "local" if write == "initial" or write[0] == read[0] else "remote")
        for where, write, read in def_use_by_definition(accesses)
    }


def check(make_criterion, reference, seed):
    criteria, found = compare_on_random_traces(Random(seed), make_criterion, reference, traces=3000)
    for occurrences, criterion in criteria.items():
        requirements = list(criterion.requirements(StaticModel(), PruningFacts()))
        assert len(requirements) == len(set(requirements)) == criterion.seen_total().number
        assert found[occurrences] <= set(requirements)


def test_def_use_agrees_with_its_definition():
    check(DefUse, def_use_by_definition, 1)


def test_lr_def_agrees_with_its_definition():
    check(LocalOrRemoteDefinition, local_or_remote_by_definition, 2)


def test_the_sentences():
    sites = {
        SITE + 1: Site("log.py", 4, 0, "read", "th", "AppenderSkeleton.is_as_severe", switchable=True),
        SITE + 2: Site("log.py", 9, 0, "write", "th", "AppenderSkeleton.set", switchable=True),
    }
    owner = tuple(AbstractVariable("log.py:AppenderSkeleton", "app.py:1", "th"))  # as the data file gives it back
    read, write = ("T1", "read", SITE + 1, 3), ("T2", "write", SITE + 2, 1)
    begin = "thread T1 reads `AppenderSkeleton.th` at log.py:4 (3rd time) and gets "
    assert DefUse().explain((owner, write, read), sites) == begin + "the value that thread T2 wrote at log.py:9"
    assert DefUse().explain((owner, "initial", read), sites) == begin + "the value from before the first thread started"
    assert "(3rd time or later)" in DefUse(occurrences=3).explain((owner, "initial", read), sites)
    assert "in code without probes" in DefUse().explain((owner, "initial", ("T1", "read", 0, 1)), sites)
    remote = LocalOrRemoteDefinition().explain((owner, read, "remote"), sites)
    assert remote == begin + "a value that another thread wrote"
    local = LocalOrRemoteDefinition().explain((owner, read, "local"), sites)
    assert local == begin + "a value that no other thread wrote"
    assert DefUse().home((owner, "initial", read)) == SITE + 1
