"""Tests of `raddle.generation.autocontest.predict`, `scenarios` and `assembler`."""

from __future__ import annotations

from auto_builder import Subject, workbench_for
from auto_figures import D1, D2, D3, M1, M2, M3, M6, M7, MODULE, NEW, accesses

from raddle.generation.autocontest.assembler import Assembler
from raddle.generation.autocontest.predict import CallAccesses, CallPair, Predictions
from raddle.generation.autocontest.scenarios import ATOMIC_SETS, ATOMIC_SETS_OF_HAMMER, SINGLE_VARIABLE
from raddle.generation.autocontest.scenarios import InterleavingCriterion as Criterion
from raddle.generation.autocontest.sequence_runner import SequenceRunner
from raddle.generation.testcase import Call

Sequence = tuple[Call, ...]
Names = set[tuple[int, str]]


def predict(
    one: Sequence, other: Sequence, *, module: str = MODULE, new: Call = NEW, criterion: Criterion = ATOMIC_SETS
) -> tuple[Predictions, Names, Names]:
    """Return the predictions for the last calls of two sequences, and the feasible and pruned ones by name."""
    with workbench_for(module) as workbench:
        runner = SequenceRunner(workbench, [new])
        calls = (CallAccesses(runner.record(sequence)[-1]) for sequence in (one, other))
        found = CallPair(*calls).predict(criterion)
        table = workbench.installation.table
        feasible, pruned = (
            {(requirement.pattern, accesses(table, requirement)) for requirement in requirements}
            for requirements in (found.feasible, found.pruned)
        )
        return found, feasible, pruned


def small(name: str, one: str, other: str, criterion: Criterion = ATOMIC_SETS) -> tuple[Predictions, Names, Names]:
    subject = Subject("auto_small", name)
    calls = [(subject.call(method, 1) if method == "put" else subject.call(method),) for method in (one, other)]
    return predict(*calls, module="auto_small", new=subject.new(), criterion=criterion)


def test_a_lock_around_all_three_accesses_prunes_an_interleaving():
    # Fig. 1: m7 reads and writes y in one critical section, and m2 writes y in another one.
    _, feasible, pruned = predict((M7,), (M2,))
    assert (feasible, pruned) == (set(), {(7, "a8 a2 a9")})


def test_the_lost_update_is_pruned_from_the_branch_with_the_lock_only():
    # m3 with z = 0 takes the lock; after m7 and m5, it does not.
    _, feasible, pruned = predict((M3,), (M1,))
    assert (feasible, pruned) == (set(), {(7, "a4 a1 a5")})
    _, feasible, pruned = predict(D3, (M1,))
    assert (feasible, pruned) == ({(7, "a4 a1 a5")}, set())


def test_a_read_between_two_writes_of_a_loop_is_feasible():
    # m5 with y = 1 writes z twice; m3 reads it. Two calls of m5 also match the pattern of three writes.
    assert (6, "a7 a3 a7") in predict(D2, D3)[1]
    assert (8, "a7 a7 a7") in predict(D2, D2)[1]
    assert predict(D1[:1], D3)[1] == set()  # with y = 0, m5 writes once


def test_a_lock_that_is_released_between_the_accesses_prunes_nothing():
    assert small("TwoSections", "change", "change_at_once")[1] == {(7, "n n n")}
    # change_at_once never lets the other call in between.
    assert small("TwoSections", "change_at_once", "change_at_once")[1:] == (set(), {(7, "n n n")})


def test_the_order_in_which_the_traces_were_recorded_does_not_matter():
    # Either call may be the outer one, although the first one was recorded completely before the second.
    assert predict((M1,), D3)[1] == predict(D3, (M1,))[1] == {(7, "a4 a1 a5")}


def test_two_variables_are_an_atomic_set():
    # put writes x and y; get reads x and y. put with get between its writes: 12. get with put between its reads: 14.
    assert small("Fields", "put", "get")[1] == {(12, "x x y y"), (14, "x x y y")}
    # Two puts: one between the writes of the other.
    assert small("Fields", "put", "put")[1] == {(9, "x x y y")}


def test_the_scenarios_of_hammer_are_an_option():
    # Pattern 11 is Wx (A) Wy (B) Wy (A) Wx (B), so it needs a call that writes y first. Pattern 16 and 17 likewise.
    assert {pattern.number for pattern in ATOMIC_SETS.patterns} == {4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15}
    added = set(ATOMIC_SETS_OF_HAMMER.patterns) - set(ATOMIC_SETS.patterns)
    assert {pattern.number for pattern in added} == {11, 16, 17}
    assert small("Fields", "put", "get", SINGLE_VARIABLE)[1] == set()


def test_objects_that_only_one_call_uses_have_no_requirements():
    assert small("Fields", "local", "local")[1:] == (set(), set())
    # m6 writes x of another object with the same instruction as m1, but the two objects are different variables.
    assert predict((M6,), (M1,))[1:] == (set(), set())
    assert predict((M6,), D3)[1:] == (set(), set())


def test_global_variables_are_shared():
    assert small("Global", "count", "count")[1] == {(7, "COUNTER[] COUNTER[] COUNTER[]")}


def test_requirements_keep_the_call_path():
    # The write of m3 happens in _m4, which m3 calls.
    found, _, _ = predict(D3, (M1,))
    [requirement] = found.feasible
    assert [len(access.path) for access in requirement.accesses] == [2, 1, 2]


def test_iteration_n_assembles_n_tests():
    # Fig. 4: t1 to t6.
    assembler: Assembler[str] = Assembler()
    tests = [test for name in ("d1", "d2", "d3") for test in assembler.add(name)]
    assert tests == [("d1", "d1"), ("d2", "d2"), ("d2", "d1"), ("d3", "d3"), ("d3", "d1"), ("d3", "d2")]
