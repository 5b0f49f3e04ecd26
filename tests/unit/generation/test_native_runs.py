import os

import pytest
import shared_classes
from fake_builder import SELECTION, make_workbench

from raddle.criteria.method_pairs import MethodPairs
from raddle.generation.native_calls import recorded_calls
from raddle.generation.native_runs import NativeFailure, NativeSettings, judge_natively, run_natively
from raddle.linearizability.checker import Checker
from raddle.linearizability.concurrent_calls import ConcurrentCalls
from raddle.linearizability.history import EndingKind
from raddle.linearizability.judgment import Oracle
from raddle.linearizability.legal import LegalHistories, UnusableTestError
from raddle.operation import WRITE

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="native runs need os.fork")


@pytest.fixture
def workbench():
    with make_workbench() as entered:
        yield entered


def settings_of(workbench, **options):
    return NativeSettings(workbench.installation, SELECTION, **options)


def calls_on(cls, *threads):
    return ConcurrentCalls(cls, [[call] for call in threads])


def test_the_repetitions_end_with_the_first_exception(workbench):
    calls = calls_on(shared_classes.Exits, lambda obj: obj.fail(), lambda obj: obj.quiet())
    result = run_natively(calls, settings_of(workbench), repetitions=100)
    assert result.repetitions == 1
    ((ending,), (other,)) = result.history.threads
    assert (ending.kind, ending.value, other.kind) == (EndingKind.RAISED, "LookupError", EndingKind.RETURNED)


def test_an_exception_that_an_order_of_whole_calls_raises_is_no_failure(workbench):
    calls = calls_on(shared_classes.Exits, lambda obj: obj.fail(), lambda obj: obj.quiet())
    with Checker(workbench, calls) as checker:
        result = run_natively(calls, settings_of(workbench), repetitions=1)
        assert judge_natively(result, checker.legal) is None


def test_an_exception_that_no_order_of_whole_calls_raises_is_a_failure(workbench):
    calls = calls_on(shared_classes.Exits, lambda obj: obj.fail(), lambda obj: obj.quiet())
    quiet = calls_on(shared_classes.Exits, lambda obj: obj.quiet(), lambda obj: obj.quiet())
    with Checker(workbench, quiet) as checker:
        failure = judge_natively(run_natively(calls, settings_of(workbench), repetitions=1), checker.legal)
    assert isinstance(failure, NativeFailure)
    assert (failure.violation.oracle, failure.violation.exception) == (Oracle.EXCEPTIONS, "LookupError")
    assert (failure.repetition, failure.decisions) == (1, ())  # no schedule reproduces it


def test_calls_that_never_end_are_pending(workbench):
    calls = calls_on(shared_classes.Exits, lambda obj: obj.forever(), lambda obj: obj.quiet())
    result = run_natively(calls, settings_of(workbench, hang_seconds=0.3), repetitions=5)
    assert result.repetitions == 1
    assert result.history.pending == {(0, 0)}
    failure = judge_natively(result, lambda: LegalHistories(()))
    assert failure.violation.oracle is Oracle.HANGS


def test_a_test_without_exceptions_runs_all_repetitions(workbench, tmp_path):
    log = tmp_path / "resets"

    def reset():
        with log.open("a") as stream:
            stream.write("reset\n")

    calls = calls_on(shared_classes.Locked, lambda obj: obj.add(), lambda obj: obj.get())
    result = run_natively(calls, settings_of(workbench, reset=reset), repetitions=7)
    assert (result.repetitions, result.history) == (7, None)
    assert len(log.read_text().splitlines()) == 7  # before each repetition


def test_the_child_uses_real_threads_and_the_parent_stays_under_control(workbench, tmp_path):
    seen = tmp_path / "threads"

    def look(obj):
        import threading

        with seen.open("a") as stream:
            stream.write(f"{threading.Lock.__module__}\n")

    calls = calls_on(shared_classes.Exits, look, look)
    run_natively(calls, settings_of(workbench), repetitions=1)
    assert seen.read_text().splitlines() == ["_thread", "_thread"]
    with Checker(workbench, calls_on(shared_classes.Exits, lambda obj: obj.quiet())) as checker:
        assert len(checker.legal().histories) == 1


def test_calls_that_overlap_are_recorded_with_the_calls_that_they_make(workbench):
    calls = ConcurrentCalls(shared_classes.Exits, [[lambda obj: obj.nested()]])
    result = run_natively(calls, settings_of(workbench), repetitions=2, overlaps_of=shared_classes.Exits)
    expected = [("nested", True), ("quiet", True), ("quiet", False), ("nested", False)]
    assert [[(name, begins) for _, name, begins in events] for events in result.events] == [expected, expected]


def test_methods_are_put_back_after_recording():
    before = shared_classes.Exits.quiet
    with recorded_calls(shared_classes.Exits):
        assert shared_classes.Exits.quiet is not before
    assert shared_classes.Exits.quiet is before


def test_patterns_are_measured_on_native_threads(workbench):
    # Both threads write `left` and `right` and the interpreter runs one thread after the other, or not: in any case one
    # thread writes a field before the other one does (pattern 3), and the sites are those of the controlled model.
    calls = calls_on(shared_classes.Pair, lambda pair: pair.set_both(1), lambda pair: pair.set_both(2))
    result = run_natively(calls, settings_of(workbench), repetitions=1, patterns=True)
    threes = {pattern for pattern in result.patterns if pattern.number == 3}
    assert {pattern.x for pattern in threes} == {
        ("shared_classes.py:Pair", "left"),
        ("shared_classes.py:Pair", "right"),
    }
    variables = workbench.installation.model().variables
    assert all(set(pattern.sites) <= variables[pattern.x].writes for pattern in threes)


def test_criteria_can_measure_what_was_observed_on_native_threads(workbench):
    calls = calls_on(shared_classes.Meeting, lambda obj: obj.meet(), lambda obj: obj.meet())
    result = run_natively(calls, settings_of(workbench), repetitions=1, patterns=True)
    ((steps, entities),) = result.observed
    # The barrier lets no thread leave before both are in.
    assert [str(key).count("meet") for key in MethodPairs().cover(steps, entities)] == [2]
    assert run_natively(calls, settings_of(workbench), repetitions=1).observed == ()


def test_a_child_that_dies_is_reported(workbench):
    calls = calls_on(shared_classes.Exits, lambda obj: os._exit(3))
    with pytest.raises(UnusableTestError, match="without a result: the child ended with exit code 3"):
        run_natively(calls, settings_of(workbench), repetitions=1)


def test_a_setup_that_fails_natively_is_reported(workbench):
    def setup():
        raise ValueError("no object")

    with pytest.raises(UnusableTestError, match="no object"):
        run_natively(ConcurrentCalls(setup, [[len]]), settings_of(workbench), repetitions=1)


def test_patterns_are_measured_in_every_repetition(workbench):
    # Each repetition has six writes: the constructor of a new pair writes both fields, and then both threads do.
    calls = calls_on(shared_classes.Pair, lambda pair: pair.set_both(1), lambda pair: pair.set_both(2))
    result = run_natively(calls, settings_of(workbench), repetitions=3, patterns=True)
    assert len(result.observed) == 3
    writes = [[step for step in steps if step[1] == WRITE] for steps, _ in result.observed]
    assert [len(each) for each in writes] == [6, 6, 6]
