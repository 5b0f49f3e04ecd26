"""Repeating a program until its coverage saturates, with simulated runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from raddle.tally import Covered, Tally
from raddle.tuning import repetition
from raddle.tuning.repetition import Limits, RepetitionEnd, RepetitionResult, repeat
from raddle.tuning.search import Measured, SearchEnd


def covering(runs: Sequence[str], *, processes: int = 1) -> Callable[[int, float | None], Measured]:
    """Return a function that simulates runs. Run n covers the letters of the n-th word; the last word is repeated."""

    def run(number: int, seconds: float | None) -> Measured:
        word = runs[min(number, len(runs)) - 1]
        covered = {"sync": {(letter,): Covered(processes, 1) for letter in word}}
        return Measured(Tally.of(covered, executions=processes), failed="!" in word)

    return run


def silent(so_far: RepetitionResult) -> None:
    """Ignore progress updates."""


def test_repetition_is_saturated_after_enough_runs_without_new_coverage() -> None:
    # The second run covers `b`, and runs 3 to 5 cover nothing new. By then, more than half of all runs have added no
    # coverage, and each letter has been covered more than once.
    repeated = repeat(covering(["a", "ab"]), Limits(saturation=3), silent)
    assert (repeated.runs, repeated.stopped_because, repeated.quiet) == (5, RepetitionEnd.SATURATED, 3)
    assert repeated.sentence == "saturated: no new coverage in the last 3 runs"
    assert repeated.tally.growth == {"sync": [(1, 1), (2, 2)]}


def test_half_of_all_runs_must_add_no_coverage() -> None:
    # In the second series, run 6 covers `d`. After that, three runs without new coverage are not enough: half of all
    # runs must add nothing, which is the case after 12 runs.
    repeated = repeat(covering(["a", "a", "a", "a", "a", "ad"]), Limits(saturation=3, runs=100), silent)
    assert repeated.runs == 4  # the repetition is saturated before run 6, which would cover `d`
    repeated = repeat(covering(["a", "b", "ac", "ab", "bc", "abcd"]), Limits(saturation=3, runs=100), silent)
    assert repeated.runs == 12


def test_a_requirement_covered_by_one_run_only_prevents_saturation() -> None:
    # Only the first run covers `b`. Such rare requirements suggest that others have not been covered yet.
    repeated = repeat(covering(["ab", "a"]), Limits(saturation=3, runs=50), silent)
    assert (repeated.runs, repeated.stopped_because) == (50, RepetitionEnd.RUNS)


def test_a_run_with_several_processes_counts_once() -> None:
    repeated = repeat(covering(["a"], processes=7), Limits(saturation=3), silent)
    # After the first run, three more runs cover nothing new. All four runs cover `a`.
    assert repeated.runs == repeated.tally.executions == 4
    assert repeated.tally.covered["sync"][("a",)] == Covered(4, 1)


def test_without_saturation_all_runs_of_the_budget_are_made() -> None:
    shown: list[int] = []
    repeated = repeat(covering(["a!", "a"]), Limits(runs=6), lambda so_far: shown.append(so_far.runs))
    assert (repeated.runs, repeated.failed, repeated.stopped_because) == (6, 1, RepetitionEnd.RUNS)
    assert shown == [1, 2, 3, 4, 5]


def test_each_run_receives_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0, 0, 4, 4, 9, 9, 12])  # readings at the start, then before and after each run
    monkeypatch.setattr(repetition, "_monotonic", lambda: next(clock))
    left: list[float | None] = []

    def run(number: int, seconds: float | None) -> Measured:
        left.append(seconds)
        return covering(["a"])(number, seconds)

    repeated = repeat(run, Limits(seconds=10), silent)
    assert (repeated.runs, repeated.stopped_because) == (3, RepetitionEnd.SECONDS)
    assert left == [10, 6, 1]


@pytest.mark.parametrize(("stored", "runs"), [(True, 3), (False, 2)])
def test_an_interrupt_keeps_the_coverage_so_far(stored: bool, runs: int) -> None:
    def run(number: int, seconds: float | None) -> Measured:
        if number < 3:
            return covering(["a"])(number, seconds)
        tally = covering(["ab"])(number, seconds).tally if stored else Tally()
        return Measured(tally, ended=SearchEnd.INTERRUPTED)

    repeated = repeat(run, Limits(runs=100), silent)
    assert (repeated.runs, repeated.stopped_because) == (runs, RepetitionEnd.INTERRUPTED)
    assert len(repeated.tally.covered["sync"]) == 1 + stored
