"""If threads call code without probes, a search reports that code and does not claim to be exhausted."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections import namedtuple
from dataclasses import dataclass

import pytest

import raddle
from raddle.errors import NothingTestedError, UnwatchedWarning
from raddle.execute.callees import Callees, Profiling
from raddle.instrument import Selection
from raddle.result import Result
from raddle.site import SiteTable

LIBRARY = """
class Counter:
    def __init__(self):
        self.value = 0

    def increment(self):
        now = self.value
        pause()
        self.value = now + 1

    def run_beside(self, thread):
        thread.start()
        self.value = 7
        thread.join()


def pause():
    pass


def numbers():
    yield 1
    yield 2
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A module outside the project directory, like an installed package."""
    (tmp_path / "counting_library.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(tmp_path))
    import counting_library

    yield counting_library
    del sys.modules["counting_library"]


def side_by_side(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def exhaust(scenario, **options) -> Result:
    return raddle.explore(scenario, scheduler="reachability", until="exhausted", source=[__file__], **options)


def unwatched(result):
    return [(refused.what, refused.source) for refused in result.not_instrumented]


def test_a_library_function_called_by_an_instrumented_thread_is_reported(library):
    def scenario():
        counter = library.Counter()
        side_by_side(lambda: counter.increment(), lambda: counter.increment())
        assert counter.value == 2

    result = exhaust(scenario)
    assert result.stopped_because == "exhausted-in-part"
    assert unwatched(result) == [("counting_library.Counter.increment (called by threads)", "counting_library")]
    # The advice in the note is right: if the library is instrumented, the search finds the lost update.
    watched = raddle.explore(scenario, scheduler="reachability", source=[__file__, "counting_library"])
    assert [finding.kind for finding in watched.findings] == ["assertion"]


def test_library_calls_in_child_processes_are_reported(library):
    def scenario():
        side_by_side(library.pause, library.pause)

    assert unwatched(exhaust(scenario, isolate="fork")) == [
        ("counting_library.pause (run by a thread)", "counting_library")
    ]


def test_library_calls_before_threads_start_and_after_they_are_joined_are_not_reported(library):
    class Box:
        value = 0

    def scenario():
        counter, box = library.Counter(), Box()
        counter.increment()

        def work():
            box.value += 1

        side_by_side(work, work)
        counter.increment()

    result = exhaust(scenario)
    assert (result.stopped_because, result.not_instrumented) == ("exhausted", ())


def test_a_library_call_before_the_join_is_reported(library):
    """Without preemption T1 ends before T0 wakes up. In other orders T0 calls the library while T1 is running."""
    shared = library.Counter()

    def scenario():
        done = threading.Event()
        shared.value = 0

        def work():
            done.set()
            shared.value += 1

        thread = threading.Thread(target=work)
        thread.start()
        done.wait()
        shared.increment()
        thread.join()

    result = exhaust(scenario)
    assert result.stopped_because == "exhausted-in-part"
    assert unwatched(result) == [("counting_library.Counter.increment (called by threads)", "counting_library")]


def test_a_library_function_that_starts_a_thread_is_reported(library):
    """The call begins while there is only one thread, but the function then runs concurrently with the new thread."""

    def scenario():
        counter = library.Counter()
        counter.run_beside(threading.Thread(target=lambda: counter.value))

    assert unwatched(exhaust(scenario)) == [
        ("counting_library.Counter.run_beside (called by threads)", "counting_library")
    ]


def test_a_library_generator_created_before_the_threads_and_resumed_by_one_is_reported(library):
    def scenario():
        numbers = library.numbers()
        next(numbers)
        side_by_side(lambda: next(numbers), lambda: None)

    assert unwatched(exhaust(scenario)) == [("counting_library.numbers (called by threads)", "counting_library")]


def test_a_library_call_that_happens_in_only_some_orders_is_reported(library):
    """The call does not happen in the rehearsal, where T1 ends before T2 begins and T2 reads what T1 wrote."""

    class Box:
        full = False

    def scenario():
        box = Box()

        def fill():
            box.full = True

        def take():
            if not box.full:
                library.pause()

        side_by_side(fill, take)

    assert unwatched(exhaust(scenario)) == [("counting_library.pause (called by threads)", "counting_library")]


def test_the_standard_library_test_tools_and_constructors_are_not_reported():
    @dataclass
    class Point:
        x: int

    Pair = namedtuple("Pair", "left right")

    def work():
        with pytest.raises(ZeroDivisionError):
            Point(1 // 0)
        textwrap.dedent("  text")
        Pair(1, 2)

    result = exhaust(lambda: side_by_side(work, work))
    assert (result.stopped_because, result.not_instrumented) == ("exhausted", ())


def test_code_run_by_an_import_or_a_class_definition_is_not_reported(library, tmp_path):
    (tmp_path / "imported_by_a_thread.py").write_text("import counting_library\\ncounting_library.pause()\\n")

    def work():
        import imported_by_a_thread  # noqa: F401

        dataclass(type("Point", (), {"__annotations__": {"x": int}}))
        namedtuple("Pair", "left right")

    result = exhaust(lambda: side_by_side(work))
    sys.modules.pop("imported_by_a_thread", None)
    assert result.not_instrumented == ()


def test_generated_code_that_accesses_shared_data_is_reported():
    namespace = {}
    exec("def add(box): box.value += 1", namespace)

    class Box:
        value = 0

    def scenario():
        box = Box()
        side_by_side(lambda: namespace["add"](box), lambda: namespace["add"](box))

    result = exhaust(scenario)
    assert result.stopped_because == "exhausted-in-part"
    assert [(refused.why, refused.source, refused.unwatchable_target) for refused in result.not_instrumented] == [
        ("no source found for <string>", "", False)
    ]


def test_check_rejects_a_thread_whose_target_cannot_be_instrumented():
    namespace = {"side_by_side": side_by_side}
    exec("def work(): pass\ndef scenario(): side_by_side(work, work)", namespace)
    with pytest.raises(
        NothingTestedError, match=r"work \(run by a thread\) cannot be instrumented \(no source found for"
    ):
        raddle.check(namespace["scenario"], source=[__file__])


def test_check_warns_about_a_package_without_probes(library):
    def scenario():
        side_by_side(library.pause, library.pause)

    with pytest.warns(UnwatchedWarning, match="threads call counting_library, which is not instrumented: add --source"):
        result = raddle.check(scenario, source=[__file__])
    assert not result.findings


@pytest.mark.parametrize("how", [["-"], ["-c"]])
def test_check_fails_in_a_program_without_a_file(how, tmp_path):
    program = textwrap.dedent("""
        import threading, raddle

        def work():
            pass

        def scenario():
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()

        raddle.check(scenario)
    """)
    given = {"input": program} if how == ["-"] else {}
    command = [sys.executable, *how, *([] if given else [program])]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, **given)
    assert ended.returncode == 1
    message = "nothing was tested: __main__.work (run by a thread) cannot be instrumented"
    assert f"NothingTestedError: {message}" in ended.stderr


def test_an_active_profiler_is_not_replaced():
    """If an interpreter supports only one profiler, raddle reports the conflict and keeps the program's profiler."""
    refused = []
    profiling = Profiling(Callees(Selection(), SiteTable(), refused))

    def profiler(frame, event, arg):
        return None

    before = sys.getprofile()
    sys.setprofile(profiler)
    try:
        assert profiling.run(sys.getprofile) is profiler
    finally:
        sys.setprofile(before)
    reason = "calls cannot be observed: another profiler is active, and this interpreter supports only one"
    assert [entry.why for entry in refused] == [reason]


def test_a_long_search_profiles_a_sample_of_its_executions():
    profiling = Profiling(Callees(Selection(), SiteTable(), []))
    wanted = [number for number in range(1, 101) if profiling.wants(complete=True)]
    assert wanted == [*range(1, 65), 80, 96]
    assert not profiling.wants(complete=False)
