from __future__ import annotations

import free_threaded
import pytest
import unlocked

from raddle import env

needs_gil = pytest.mark.skipif(not env.gil_enabled(), reason="this interpreter runs without the GIL")
NAMES = [program.name for program in unlocked.PROGRAMS]


@needs_gil
@pytest.mark.parametrize("program", unlocked.PROGRAMS, ids=NAMES)
def test_a_finding_is_labeled_with_the_builds_it_needs(program):
    # Only the last program has a call between its accesses, where the GIL can be handed to another thread.
    expected = "any build" if program in unlocked.ON_ANY_BUILD else "only on free-threaded builds"
    assert free_threaded.label(program) == expected


@needs_gil
@pytest.mark.parametrize("program", unlocked.ONLY_WITHOUT_THE_GIL, ids=NAMES[:-1])
def test_with_the_gil_real_threads_never_fail(program):
    assert unlocked.count_failures(program, 20) == 0


def test_the_table_has_a_column_per_interpreter():
    wrong = [1200, *[0] * (len(NAMES) - 1)]
    runs = [
        {"version": "3.13.5", "gil": False, "wrong": wrong},
        {"version": "3.11.7", "gil": True, "wrong": wrong[::-1]},
    ]
    first, second, *_ = free_threaded.table(["any build"] * len(NAMES), 5000, *runs).splitlines()
    assert first.split() == ["program", "label", "3.13.5t", "3.11.7", "with", "the", "GIL"]
    assert second.split("  ")[-1].strip() == "0 of 5,000"
    assert "1,200 of 5,000" in second


def test_an_interpreter_with_the_gil_is_rejected():
    assert "--disable-gil" in free_threaded.refusal(None)
    assert free_threaded.refusal({"version": "3.13.0", "gil": True, "wrong": []}).startswith("Python 3.13.0 runs with")
    assert free_threaded.refusal({"version": "3.13.5", "gil": False, "wrong": []}) == ""
