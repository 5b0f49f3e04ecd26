"""Repeating a program until its coverage saturates, with runs that are made up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from raddle.tally import Covered, Tally
from raddle.tuning import repetition
from raddle.tuning.repetition import Limits, Repeated, RepetitionEnd, repeat
from raddle.tuning.search import Measured, SearchEnd


def covering(runs: Sequence[str], *, processes: int = 1) -> Callable[[int, float | None], Measured]:
    """Runs that cover these letters, one word for each run; the last word is repeated."""

    def run(number: int, seconds: float | None) -> Measured:
        word = runs[min(number, len(runs)) - 1]
        covered = {"sync": {(letter,): Covered(processes, 1) for letter in word}}
        return Measured(Tally.of(covered, executions=processes), failed="!" in word)

    return run


def silent(so_far: Repeated) -> None:
    """Show nothing."""


def test_saturated_after_as_many_quiet_runs_as_asked_for() -> None:
    # The second run brings b, the third and every later one nothing: three quiet runs are the third to the fifth. By
    # then half of all and more are quiet, and each letter was covered more than once.
    repeated = repeat(covering(["a", "ab"]), Limits(saturation=3), silent)
    assert (repeated.runs, repeated.stopped_because, repeated.quiet) == (5, RepetitionEnd.SATURATED, 3)
    assert repeated.sentence == "saturated: no new coverage in the last 3 runs"
    assert repeated.tally.growth == {"sync": [(1, 1), (2, 2)]}


def test_half_of_all_runs_have_to_be_quiet() -> None:
    # d comes with the sixth run, so three quiet runs are not enough: it takes as many as there were until then.
    repeated = repeat(covering(["a", "a", "a", "a", "a", "ad"]), Limits(saturation=3, runs=100), silent)
    assert repeated.runs == 4  # a settles long before d could come
    repeated = repeat(covering(["a", "b", "ac", "ab", "bc", "abcd"]), Limits(saturation=3, runs=100), silent)
    assert repeated.runs == 12


def test_what_one_run_alone_covered_keeps_it_going() -> None:
    # b is covered by the first run and never again: it is rare, so others like it may be left.
    repeated = repeat(covering(["ab", "a"]), Limits(saturation=3, runs=50), silent)
    assert (repeated.runs, repeated.stopped_because) == (50, RepetitionEnd.RUNS)


def test_a_run_counts_once_however_many_processes_it_has() -> None:
    repeated = repeat(covering(["a"], processes=7), Limits(saturation=3), silent)
    # The first run covers a, three more are quiet; and a is covered by 4 runs.
    assert repeated.runs == repeated.tally.executions == 4
    assert repeated.tally.covered["sync"][("a",)] == Covered(4, 1)


def test_without_saturation_the_budget_is_spent() -> None:
    shown: list[int] = []
    repeated = repeat(covering(["a!", "a"]), Limits(runs=6), lambda so_far: shown.append(so_far.runs))
    assert (repeated.runs, repeated.failed, repeated.stopped_because) == (6, 1, RepetitionEnd.RUNS)
    assert shown == [1, 2, 3, 4, 5]


def test_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0, 0, 4, 4, 9, 9, 12])  # at the start; then before and after each run
    monkeypatch.setattr(repetition, "_monotonic", lambda: next(clock))
    left: list[float | None] = []

    def run(number: int, seconds: float | None) -> Measured:
        left.append(seconds)
        return covering(["a"])(number, seconds)

    repeated = repeat(run, Limits(seconds=10), silent)
    assert (repeated.runs, repeated.stopped_because) == (3, RepetitionEnd.SECONDS)
    assert left == [10, 6, 1]


@pytest.mark.parametrize(("stored", "runs"), [(True, 3), (False, 2)])
def test_an_interrupt_keeps_what_was_covered(stored: bool, runs: int) -> None:
    def run(number: int, seconds: float | None) -> Measured:
        if number < 3:
            return covering(["a"])(number, seconds)
        tally = covering(["ab"])(number, seconds).tally if stored else Tally()
        return Measured(tally, ended=SearchEnd.INTERRUPTED)

    repeated = repeat(run, Limits(runs=100), silent)
    assert (repeated.runs, repeated.stopped_because) == (runs, RepetitionEnd.INTERRUPTED)
    assert len(repeated.tally.covered["sync"]) == 1 + stored
