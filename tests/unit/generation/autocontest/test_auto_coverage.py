"""Tests of `raddle.generation.autocontest.coverage` and `recorder` on the sequences of Fig. 4 of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from auto_builder import workbench_for
from auto_figures import D1, D2, D3, M1, M2, MODULE, NEW, lock_sites, text

from raddle.generation.autocontest.coverage import Coverage, TraceEvent, coverage, gain, is_better, without_locking
from raddle.generation.autocontest.sequence_runner import SequenceRunner
from raddle.generation.testcase import Call


def coverages(*sequences: Sequence[Call], printed: bool = False) -> list[Coverage]:
    with workbench_for(MODULE) as workbench:
        runner = SequenceRunner(workbench, [NEW])
        table = workbench.installation.table
        found = []
        for calls in sequences:
            traces = [recorded.trace for recorded in runner.record(calls)]
            if printed:
                traces = [without_locking(trace, *lock_sites(table, trace)) for trace in traces]
            found.append(coverage(traces))
        if printed:
            return [frozenset(text(table, trace) for trace in traces) for traces in found]  # type: ignore[misc]
        return found


def test_the_coverage_of_d2_is_the_one_that_the_paper_prints():
    # Section 4.1: m3 with z = 0 takes the lock (l1, l2); m5 with y = 1 writes z twice.
    [found] = coverages(D2, printed=True)
    assert found == {">m3 a3 l1 >_m4 a4 a5 <_m4 l2 <m3", ">m7 a8 a9 <m7", ">m5 a6 a7 a7 <m5"}


def test_the_gain_of_d3_is_the_branch_without_the_lock():
    # After m7 and m5, z is 1, so m3 does not take the lock. The traces of m7 and m5 are those of d2.
    d1, d2, d3 = coverages(D1, D2, D3, printed=True)
    assert gain(d3, [d1, d2]) == {">m3 a3 >_m4 a4 a5 <_m4 <m3"}


def test_the_first_trace_of_m5_has_one_write_less():
    # In d1, y is 0 when m5 runs.
    [found] = coverages(D1, printed=True)
    assert found == {">m5 a6 a7 <m5", ">m1 a1 <m1", ">m2 a2 <m2", ">m7 a8 a9 <m7"}


def test_dropping_lock_events_does_not_change_which_traces_differ():
    d1, d2, d3 = coverages(D1, D2, D3)
    assert [len(traces) for traces in (d1, d2, d3, d1 | d2 | d3)] == [4, 3, 3, 7]


def test_the_order_of_outermost_calls_does_not_matter():
    one, other = coverages((M1, M2), (M2, M1))
    assert one == other


def test_locks_of_synchronized_methods_are_recorded():
    # m1: enter, read of the lock attribute, acquire, a1, release, leave. Acquire and release have the same site.
    [[trace]] = coverages((M1,))
    assert [event.kind for event in trace] == ["enter", "read", "acquire", "write", "release", "leave"]
    assert trace[2].site == trace[4].site


def test_a_larger_gain_is_better_and_then_a_shorter_sequence():
    assert is_better(3, 9, (2, 1))
    assert is_better(2, 1, (2, 2))
    assert not is_better(2, 2, (2, 2))
    assert not is_better(1, 1, (2, 9))


def test_values_and_repetitions_do_not_matter():
    trace = (TraceEvent("write", 70001),)
    assert coverage([trace, trace, ()]) == {trace}
