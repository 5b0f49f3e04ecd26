"""The criteria `def-use` and `lr-def`: the write whose value a read returns."""

from __future__ import annotations

from random import Random

from lu_programs import SITE, VARIABLE_NAMES, compare_on_random_traces, program_entities, program_steps, variable, watch

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
    return watch(criterion, program_entities(program), program_steps(program, order))


def test_a_read_returns_the_value_of_the_last_write():
    # T1 writes, T2 writes, and T1 reads T2's value.
    assert covered(DefUse(), PROGRAM, [(0, 0), (1, 0), (0, 1)]) == {(X, WRITE_2, READ_1)}
    # T2 writes first, so T1 reads its own value.
    assert covered(DefUse(), PROGRAM, [(1, 0), (0, 0), (0, 1)]) == {(X, WRITE_1, READ_1)}


def test_a_read_is_remote_if_another_thread_wrote_last():
    assert covered(LocalOrRemoteDefinition(), PROGRAM, [(0, 0), (1, 0), (0, 1)]) == {(X, READ_1, "remote")}
    assert covered(LocalOrRemoteDefinition(), PROGRAM, [(1, 0), (0, 0), (0, 1)]) == {(X, READ_1, "local")}


def test_a_value_that_no_thread_has_written_is_initial_and_local():
    program = [[("read", "x")], [("write", "x")]]
    read = ("T1", "read", SITE + 100, 1)
    assert covered(DefUse(), program, [(0, 0), (1, 0)]) == {(X, "initial", read)}
    assert covered(LocalOrRemoteDefinition(), program, [(0, 0), (1, 0)]) == {(X, read, "local")}


def test_a_variable_of_one_thread_does_not_count():
    assert covered(DefUse(), [[("write", "x"), ("read", "x")], [("read", "y")]], [(0, 0), (0, 1), (1, 0)]) == set()


def test_variables_with_equal_descriptions_are_distinguished():
    # Variables 0 and 1 are both called x. T1 writes variable 0. T2 reads variable 1, which no thread has written, and
    # variable 0. Then T1 reads variable 1. So both variables are shared.
    entities = make_entities(variables=[X, X])
    steps = [(1, "write", 0, SITE), (2, "read", 1, SITE + 1), (2, "read", 0, SITE + 2), (1, "read", 1, SITE + 3)]
    steps = [(0, "start", 1, SITE), (0, "start", 2, SITE), *steps]
    assert watch(DefUse(), entities, steps) == {
        (X, "initial", ("T2", "read", SITE + 1, 1)),
        (X, ("T1", "write", SITE, 1), ("T2", "read", SITE + 2, 1)),
        (X, "initial", ("T1", "read", SITE + 3, 1)),
    }


def test_keys_are_withheld_until_the_variable_is_shared_and_the_thread_has_a_label():
    # T1's read counts only after a second thread has accessed x.
    criterion = DefUse()
    criterion.begin(make_entities(variables=[X]))
    criterion.feed([(0, "start", 1, SITE), (1, "read", 0, SITE + 1)])
    assert criterion.collect(final=False) == set()
    criterion.feed([(2, "write", 0, SITE + 2), (2, "read", 0, SITE + 3)])
    # The start of thread 2 has not been recorded yet, so the thread has no label.
    assert criterion.collect(final=False) == {(X, "initial", ("T1", "read", SITE + 1, 1))}
    criterion.feed([(1, "start", 2, SITE)])
    # Thread 2 is the first thread that thread 1 starts.
    write, read = ("T1.1", "write", SITE + 2, 1), ("T1.1", "read", SITE + 3, 1)
    assert criterion.collect(final=False) == {(X, write, read)}
    assert criterion.collect(final=True) == set()


def test_the_total_counts_the_observed_accesses():
    # A single execution contains all accesses. The read can return the value written by its own thread or by the other
    # thread: 2 requirements.
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
            keys.add((variable(VARIABLE_NAMES[number]), writes[-1] if writes else "initial", read))
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


def test_explain_names_the_read_and_the_source_of_its_value():
    sites = {
        SITE + 1: Site("log.py", 4, 0, "read", "th", "AppenderSkeleton.is_as_severe", switchable=True),
        SITE + 2: Site("log.py", 9, 0, "write", "th", "AppenderSkeleton.set", switchable=True),
    }
    owner = tuple(AbstractVariable("log.py:AppenderSkeleton", "app.py:1", "th"))  # as read from the data file
    read, write = ("T1", "read", SITE + 1, 3), ("T2", "write", SITE + 2, 1)
    begin = "thread T1 reads `AppenderSkeleton.th` at log.py:4 (3rd time) and gets "
    assert DefUse().explain((owner, write, read), sites) == begin + "the value that thread T2 wrote at log.py:9"
    assert (
        DefUse().explain((owner, "initial", read), sites)
        == begin + "the initial value, from before any thread was started"
    )
    assert "(3rd time or later)" in DefUse(occurrences=3).explain((owner, "initial", read), sites)
    assert "in code without probes" in DefUse().explain((owner, "initial", ("T1", "read", 0, 1)), sites)
    remote = LocalOrRemoteDefinition().explain((owner, read, "remote"), sites)
    assert remote == begin + "a value that another thread wrote"
    local = LocalOrRemoteDefinition().explain((owner, read, "local"), sites)
    assert local == begin + "a value that no other thread wrote"
    assert DefUse().home((owner, "initial", read)) == SITE + 1
