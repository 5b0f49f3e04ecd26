"""The search survives classes that end the process, never return, print, or use files and sockets."""

from __future__ import annotations

import itertools
import os
import resource

import pytest
import robust_classes

from raddle.execute.fork import can_fork
from raddle.generation import class_search, process_guard, supervision
from raddle.generation.class_search import MAX_BUGS_OF_VARIABLE, ClassSearch
from raddle.generation.coverage_meter import MEASURED_EVERY
from raddle.generation.file_guard import REFUSED
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.inspect_class import inspect_class
from raddle.generation.search_end import SearchEnd
from raddle.generation.shrinking import shrink_test, without_unused_results
from raddle.generation.silence import Silence
from raddle.generation.supervision import Patience, Supervisor
from raddle.generation.unbuildable import UnbuildableError
from raddle.generation.watched_search import SearchRequest

ENDLESS = 100_000.0  # seconds: the searches are limited by tests, so that no result depends on the machine
pytestmark = pytest.mark.skipif(not can_fork(), reason="the search runs in child processes")


def search(cls, *, tests=60, workers=1, patience=None, private=False, **options):
    bugs = []
    settings = GenerationOptions(seconds=ENDLESS, max_tests=tests, private=private)
    supervisor = Supervisor(
        SearchRequest(cls, settings, **options),
        inspect_class(cls),
        workers=workers,
        on_bug=lambda bug, seconds: bugs.append(bug),
        patience=patience or Patience(alone=ENDLESS, concurrent=ENDLESS, idle=ENDLESS),
    )
    result = supervisor.run()
    assert tuple(bugs) == result.bugs
    return result


def methods_of_bugs(result):
    return {str(call.method) for bug in result.bugs for thread in bug.test.threads for call in thread}


def test_a_bug_is_found_and_everything_is_counted():
    result = search(robust_classes.Counter)
    assert result.why is SearchEnd.TESTS
    assert methods_of_bugs(result) == {"add"}
    assert result.counts.tests == 60
    assert result.counts.executions > 60
    assert "add" in result.counts.methods
    assert ("add", "add") in result.counts.pairs
    assert result.records["add"].returned > 0
    assert {row.name for row in result.coverage.criteria} == {"map", "method-pairs"}
    assert result.coverage.tests == 60 / MEASURED_EVERY


def test_the_same_seed_gives_the_same_bugs():
    first, second = search(robust_classes.Counter), search(robust_classes.Counter)
    assert [(bug.identity, bug.test, bug.executions) for bug in first.bugs] == [
        (bug.identity, bug.test, bug.executions) for bug in second.bugs
    ]
    assert first.counts == second.counts


def test_workers_share_the_tests_and_report_a_bug_once():
    result = search(robust_classes.Counter, workers=2, tests=61)
    assert result.counts.tests == 61
    identities = [bug.identity for bug in result.bugs]
    assert len(identities) == len(set(identities)) > 0


@pytest.mark.parametrize(
    ("cls", "method", "reason"),
    [
        (robust_classes.Crashes, "crash", "ends the process (killed by SIGSEGV)"),
        (robust_classes.ClosesFiles, "close_all", "ends the process (closes file descriptors that it did not open)"),
        (robust_classes.Accepts, "accept", "does not return: it blocks outside raddle's control or computes"),
    ],
)
def test_a_method_that_cannot_be_called_is_excluded(cls, method, reason):
    result = search(cls)
    assert result.refused[method].startswith(reason)
    assert "add" in methods_of_bugs(result)
    assert result.counts.tests == 60


@pytest.mark.parametrize(("cls", "method"), [(robust_classes.Computes, "match"), (robust_classes.Loops, "spin")])
def test_a_process_that_makes_no_progress_is_replaced(cls, method):
    # All other calls return within microseconds.
    result = search(cls, patience=Patience(alone=5.0, concurrent=ENDLESS, idle=ENDLESS))
    assert result.refused[method].startswith("does not return")
    assert method not in result.counts.methods
    assert result.counts.tests == 60


def test_os_exit_does_not_end_the_search():
    result = search(robust_classes.EndsProcess)
    assert "add" in methods_of_bugs(result)
    assert "close" not in result.counts.methods


def test_constructor_calls_that_end_the_process_are_not_made_again():
    result = search(robust_classes.CrashesWithArgument)
    assert "CrashesWithArgument() ends the process (killed by SIGSEGV)" in result.notes


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (robust_classes.CrashesInConstructor, "RefusedCallError: ends the process (killed by SIGSEGV)"),
        (robust_classes.Exits, "SystemExit: 7"),
        (robust_classes.Raises, "RuntimeError: never"),
        (robust_classes.Connects, "ConnectionRefusedError: raddle generate allows no network connections"),
    ],
)
def test_a_constructor_that_never_works_is_explained(cls, reason):
    result = search(cls)
    assert result.why is SearchEnd.UNBUILDABLE
    assert isinstance(result.error, UnbuildableError)
    assert reason in str(result.error)
    assert "--with factory.py" in str(result.error)


def test_nothing_that_the_class_prints_is_shown(capfd):
    result = search(robust_classes.Prints)
    assert result.counts.tests == 60
    assert capfd.readouterr() == ("", "")


def test_files_of_the_user_are_not_touched(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    before = {name for name in os.listdir() if name != "__pycache__"}
    result = search(robust_classes.Writes)
    assert result.records["save"].returned > 0
    assert "FileNotFoundError" in result.records["remove"].error
    assert {name for name in os.listdir() if name != "__pycache__"} == before
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_files_at_a_fixed_place_are_not_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(robust_classes.Deletes, "FOLDER", str(tmp_path))
    (tmp_path / "notes.txt").write_text("mine")
    result = search(robust_classes.Deletes)
    for method in ("remove", "overwrite", "move_away", "remove_all", "leave"):
        assert result.records[method].returned == 0, method
        assert f"PermissionError: {REFUSED}" in result.records[method].error, method
    assert os.listdir(tmp_path) == ["notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert result.records["read"].returned > 0


def test_a_bug_is_not_lost_if_the_process_dies_while_its_test_is_simplified(monkeypatch):
    monkeypatch.setattr("raddle.generation.class_search.shrink_test", lambda *arguments, **options: os._exit(9))
    result = search(robust_classes.Counter)
    assert result.why is SearchEnd.PROCESS_DIES
    assert {bug.unfinished for bug in result.bugs} == {supervision.DIED}
    assert methods_of_bugs(result) == {"add"}


def test_a_bug_that_was_not_simplified_is_dropped_if_another_process_simplifies_it(monkeypatch):
    # Child processes inherit the list.
    starts = []
    start = supervision.SearchProcess.__init__

    def counted(self, *arguments):
        starts.append(self)
        start(self, *arguments)

    def dies_at_first(*arguments, **options):
        return os._exit(9) if len(starts) == 1 else shrink_test(*arguments, **options)

    monkeypatch.setattr(supervision.SearchProcess, "__init__", counted)
    monkeypatch.setattr("raddle.generation.class_search.shrink_test", dies_at_first)
    result = search(robust_classes.Counter)
    assert len(starts) == 2
    assert [(bug.identity.function, bug.unfinished) for bug in result.bugs] == [("Counter.add", "")]


def test_nothing_is_simplified_once_the_search_has_to_end():
    bugs, stopped = [], []
    search = ClassSearch(
        robust_classes.Counter,
        GenerationOptions(seconds=ENDLESS, max_tests=60),
        on_bug=bugs.append,
        on_suspect=stopped.append,
        is_stopping=lambda: bool(stopped),
    )
    with Silence():
        search.run()
    assert len(bugs) == len(stopped) == 1
    assert bugs[0].test == without_unused_results(stopped[0].test)


def test_threads_of_the_class_take_part():
    assert search(robust_classes.Starts, tests=20).counts.tests == 20


def test_a_class_with_200_methods_is_searched():
    result = search(robust_classes.Many)
    assert result.counts.tests == 60
    assert len(result.counts.methods) > 15  # most tests are about a few methods that access one variable
    assert not result.bugs


def test_failures_with_one_cause_are_one_bug():
    # `add` is not atomic, so it fails together with each of the ten methods that change the same attribute.
    result = search(robust_classes.Shared, tests=400)
    assert [(bug.identity.function, bug.identity.variable) for bug in result.bugs] == [("Shared.add", "Shared.n")]


def test_methods_that_can_be_interrupted_are_different_bugs_up_to_a_limit():
    # Nine methods read and write the same attribute in two steps.
    result = search(robust_classes.Unlocked, tests=1_000)
    assert len({bug.identity.function for bug in result.bugs}) == len(result.bugs) == MAX_BUGS_OF_VARIABLE
    (note,) = result.notes
    assert note.startswith("more methods can be interrupted while they use Unlocked.n (Unlocked.")


def test_a_method_that_never_works_is_recorded_with_its_last_exception():
    record = search(robust_classes.NeverWorks).records["broken"]
    assert (record.returned, record.error) == (0, "LookupError: no such thing")


def test_private_state_is_compared_only_on_request():
    assert not search(robust_classes.Private).bugs
    found = search(robust_classes.Private, private=True).bugs
    # One of two calls of `add` is lost: the total is 1 instead of 2.
    assert [bug.identity.function for bug in found] == ["Private.add"]


def test_tests_that_raise_coverage_are_reported():
    result = search(robust_classes.Locked, keeps_tests=True)
    assert 0 < len(result.tests) <= supervision.KEPT_TESTS


def test_the_search_ends_after_many_bugs(monkeypatch):
    monkeypatch.setattr(supervision, "MAX_BUGS", 1)
    result = search(robust_classes.Counter, tests=10_000)
    assert result.why is SearchEnd.MANY_BUGS
    assert len(result.bugs) == 1


def test_the_search_continues_while_a_test_is_written():
    tests = [0]

    def write(bug, seconds):
        while tests[-1] < 60:
            supervisor.attend()

    supervisor = Supervisor(
        SearchRequest(robust_classes.Counter, GenerationOptions(seconds=ENDLESS, max_tests=60)),
        inspect_class(robust_classes.Counter),
        on_bug=write,
        on_progress=lambda counts, seconds: tests.append(counts.tests),
    )
    assert supervisor.run().counts.tests == 60


def test_a_search_that_has_to_wait_reports_the_same_bugs(monkeypatch):
    everything = search(robust_classes.Unlocked, tests=300).bugs
    # The search must not run ahead, as if there was little time left to write tests.
    monkeypatch.setattr(supervision.Backlog, "fits", lambda backlog, seconds: not backlog)
    assert [bug.identity for bug in search(robust_classes.Unlocked, tests=300).bugs] == [
        bug.identity for bug in everything
    ]
    assert len(everything) > 2


def test_ctrl_c_writes_the_tests_of_all_bugs(monkeypatch):
    written = []

    def write(bug, seconds):
        while not written and len(supervisor._backlog) < 2:
            supervisor.attend()
        written.append(bug)
        if len(written) == 1:
            raise KeyboardInterrupt

    request = SearchRequest(robust_classes.Unlocked, GenerationOptions(seconds=ENDLESS))
    supervisor = Supervisor(request, inspect_class(robust_classes.Unlocked), on_bug=write)
    result = supervisor.run()
    assert result.why is SearchEnd.INTERRUPTED
    # Two more bugs were waiting when the first test was interrupted.
    assert len(written) > 2
    assert result.bugs == tuple(written)


def test_ctrl_c_keeps_what_was_found():
    bugs = []

    def interrupt(bug, seconds):
        bugs.append(bug)
        raise KeyboardInterrupt

    request = SearchRequest(robust_classes.Counter, GenerationOptions(seconds=ENDLESS))
    result = Supervisor(request, inspect_class(robust_classes.Counter), on_bug=interrupt).run()
    assert result.why is SearchEnd.INTERRUPTED
    assert result.bugs == tuple(bugs)
    # The child reports the coverage before it ends.
    assert result.coverage.executions > 0


def test_a_search_without_fork_runs_in_this_process(monkeypatch, capfd):
    monkeypatch.setattr(supervision, "can_fork", lambda: False)
    result = search(robust_classes.Prints, workers=2)
    assert "add" in methods_of_bugs(result)
    assert "this system cannot fork, so one process did all the work" in result.notes
    assert capfd.readouterr() == ("", "")


def test_an_internal_error_is_not_a_bug_of_the_class(monkeypatch):
    def broken(self):
        raise ZeroDivisionError

    monkeypatch.setattr("raddle.generation.class_search.ClassSearch.run", broken)
    result = search(robust_classes.Counter)
    assert result.why is SearchEnd.INTERNAL_ERROR
    assert "ZeroDivisionError" in result.traceback
    assert not result.bugs


def test_a_failure_that_a_second_search_does_not_find_gives_no_test(monkeypatch):
    monkeypatch.setattr("raddle.generation.class_search.ClassSearch._failure_of", lambda *arguments, **options: None)
    result = search(robust_classes.Counter)
    assert {bug.unfinished for bug in result.bugs} == {class_search.NOT_REPEATED}


def test_a_failure_that_its_own_decisions_do_not_repeat_is_not_a_bug(monkeypatch):
    answers = itertools.cycle([True, False])  # it fails again at once, and passes later
    monkeypatch.setattr("raddle.generation.class_search.ClassSearch._failure_of", lambda *arguments, **options: None)
    monkeypatch.setattr("raddle.linearizability.checker.Checker.confirmed", lambda *arguments: next(answers))
    result = search(robust_classes.Counter)
    assert not result.bugs


def test_no_other_process_gets_a_signal_and_no_program_is_started():
    for cls, methods in (
        (robust_classes.Signals, ("everyone", "parent", "own_group")),
        (robust_classes.Programs, ("shell", "program")),
    ):
        result = search(cls)
        for method in methods:
            assert result.records[method].returned == 0, method
            assert process_guard.REFUSED in result.records[method].error, method
        assert "add" in methods_of_bugs(result)
        if cls is robust_classes.Signals:
            assert result.records["itself"].returned > 0


def test_a_method_after_which_the_process_ends_twice_is_excluded():
    result = search(robust_classes.BreaksImports)
    assert result.why is SearchEnd.TESTS
    assert result.refused["forget"] == "ends the process (exit code 1)"
    assert result.notes == ("the process of the search ended (exit code 1) after forget()",) * 2
    assert "add" in methods_of_bugs(result)


@pytest.fixture
def few_files():
    """Allow this process, and therefore its children, only 400 more open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/dev/fd"))) + 400, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_bugs_are_found_when_too_many_files_are_open(few_files):
    result = search(robust_classes.KeepsFilesOpen)
    assert result.why is SearchEnd.TESTS
    assert not result.traceback
    assert not result.refused
    # Collecting garbage usually suffices, but a process with many other open files may have to be replaced.
    assert set(result.notes) <= {supervision.OUT_OF_FILES_NOTE}
    assert "add" in methods_of_bugs(result)


def test_new_processes_continue_when_too_many_files_are_open(few_files):
    result = search(robust_classes.NeverClosesFiles, tests=6)
    assert not result.traceback
    assert result.notes == (supervision.OUT_OF_FILES_NOTE,)
    assert not result.refused
