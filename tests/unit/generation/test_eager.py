import ast
import inspect

import pytest
import shared_classes
from fake_builder import make_workbench

from raddle.generation import eager, executions, maptest
from raddle.generation.eager import Eager
from raddle.generation.raw_patterns import RawPattern, patterns_in
from raddle.generation.sequential_accesses import SequentialAccesses
from raddle.linearizability.checker import Checker
from raddle.linearizability.concurrent_calls import ConcurrentCalls

X, Y = ("m.py:C", "x"), ("m.py:C", "y")


class FakeThread:
    """What a thread is about to do."""

    def __init__(self, index, kind="read", name="x", site=0, target=None):
        self.index, self.kind, self.name, self.site, self.target = index, kind, name, site, target


def begin(pattern, number=1):
    scheduler = Eager(seed=1)
    scheduler.aim(pattern)
    assert scheduler.begin(number, 0)
    return scheduler


def test_the_thread_that_is_about_to_perform_the_next_step_runs():
    pattern = RawPattern(4, X, ("", ""), (4, 9, 5))
    for number in range(1, 20):  # whatever the random numbers are
        scheduler = begin(pattern, number)
        obj = object()
        reader, writer = FakeThread(1, "read", site=4, target=obj), FakeThread(2, "write", site=9, target=obj)
        assert scheduler.choose([reader, writer], writer) is reader
        reader.site = 5
        assert scheduler.choose([reader, writer], reader) is writer
        writer.site = 0
        assert scheduler.choose([reader, writer], writer) is reader
        assert scheduler.covered


def test_no_thread_is_held_back():
    # Neither thread is about to read at 4, so a random one runs: the writer, too early, in some executions.
    pattern = RawPattern(4, X, ("", ""), (4, 9, 5))
    chosen = set()
    for number in range(1, 30):
        scheduler = begin(pattern, number)
        threads = [FakeThread(1, "acquire", "", 1), FakeThread(2, "write", site=9, target=None)]
        chosen.add(scheduler.choose(threads, None).index)
        assert scheduler.done == 0
    assert chosen == {1, 2}


def test_the_first_thread_is_the_one_that_performs_the_first_step():
    pattern = RawPattern(8, X, ("", ""), (9, 9, 9))
    scheduler, obj = begin(pattern), object()
    one, other = (FakeThread(index, "write", site=9, target=obj) for index in (1, 2))
    first = scheduler.choose([one, other], None)
    second = scheduler.choose([one, other], first)
    assert second is not first
    assert scheduler.choose([one, other], second) is first  # t_a again


def test_all_steps_on_a_variable_access_one_object():
    pattern = RawPattern(3, X, ("", ""), (9, 9))
    scheduler = begin(pattern)
    scheduler.choose([FakeThread(1, "write", site=9, target=object())], None)
    scheduler.choose([FakeThread(2, "write", site=9, target=object())], None)
    assert scheduler.done == 1


@pytest.mark.parametrize(
    "thread",
    [
        FakeThread(1, "write", "x", 4),
        FakeThread(1, "read", "y", 4),
        FakeThread(1, "read", "[]", 4),
        FakeThread(1, "read", "x", 5),
    ],
    ids=["kind", "variable", "content", "site"],
)
def test_another_operation_is_not_a_step(thread):
    scheduler = begin(RawPattern(1, X, ("", ""), (4, 9)))
    scheduler.choose([thread], None)
    assert scheduler.done == 0


def test_the_preparation_of_the_object_performs_no_step():
    # Thread 0 prepares the object. If its write counted, thread 1 could never perform the last step of pattern 8.
    scheduler, obj = begin(RawPattern(8, X, ("", ""), (9, 9, 9))), object()
    scheduler.choose([FakeThread(0, "write", site=9, target=obj)], None)
    assert scheduler.done == 0
    for index in (1, 2, 1):
        scheduler.choose([FakeThread(index, "write", site=9, target=obj)], None)
    assert scheduler.covered


def test_a_deletion_is_a_write_and_the_content_of_a_container_has_its_own_name():
    scheduler = begin(RawPattern(3, ("m.py:C", "items[]"), ("", ""), (9, 9)))
    obj = object()
    scheduler.choose([FakeThread(1, "delete", "[]", 9, obj)], None)
    scheduler.choose([FakeThread(2, "write", "[]", 9, obj)], None)
    assert scheduler.covered


def two_calls(cls, one, other):
    return ConcurrentCalls(cls, [[one], [other]])


def attempts(checker, pattern, *, tries):
    """Return in how many of the first executions the pattern occurs."""
    scheduler = Eager(seed=1)
    scheduler.aim(pattern)
    for site in pattern.sites:
        checker.session.known_points.add_site(site)
    covered = 0
    for number in range(1, tries + 1):
        scheduler.begin(number, checker.session.known_points.version)
        execution, _ = checker.run(scheduler)
        found = pattern in patterns_in(*execution.observed)
        assert found or not scheduler.covered  # the scheduler never claims too much
        covered += scheduler.covered
    return covered


def names_and_sites(checker):
    """Return the sites at which each variable is read or written, in a sequential run."""
    run = executions.run_sequentially(checker)
    sequential = SequentialAccesses(*run.observed)
    return {
        (thread, kind, sequential.name(variable)): [access.site for access in found]
        for thread, accesses in sequential.threads.items()
        for (kind, variable), found in accesses.by_variable.items()
    }


def test_a_feasible_pattern_is_covered_by_running_ahead():
    th = ("shared_classes.py:Threshold", "th")
    priority = shared_classes.Priority(1)

    def prepared():
        obj = shared_classes.Threshold()
        obj.set_threshold(priority)
        return obj

    calls = ConcurrentCalls(
        prepared, [[lambda obj: obj.is_as_severe_as_threshold(priority)], [lambda obj: obj.set_threshold(priority)]]
    )
    with make_workbench() as workbench, Checker(workbench, calls, measuring=True) as checker:
        checker.legal()
        sites = names_and_sites(checker)
        s4, s5 = sites[1, "read", th]
        (s9,) = sites[2, "write", th]
        # Thread 1 is about to read at s4 whenever it is chosen first. If thread 2 writes first, nothing can be done: no
        # thread is held back. Both orders occur in 20 executions.
        assert attempts(checker, RawPattern(4, th, ("", ""), (s4, s9, s5)), tries=20) > 0
        # s5 comes after s4 in the only call of thread 1, so this order of the reads is infeasible.
        assert attempts(checker, RawPattern(4, th, ("", ""), (s5, s9, s4)), tries=20) == 0


def test_a_pattern_of_two_variables_is_reached():
    left, right = ("shared_classes.py:Pair", "left"), ("shared_classes.py:Pair", "right")
    calls = two_calls(shared_classes.Pair, lambda pair: pair.set_both(1), lambda pair: pair.set_both(2))
    with make_workbench() as workbench, Checker(workbench, calls, measuring=True) as checker:
        checker.legal()
        sites = names_and_sites(checker)
        (wl,), (wr,) = sites[1, "write", left], sites[1, "write", right]
        # 9: A left, B left, B right, A right. In Table I, pattern 10 needs B to write y before x: infeasible here.
        assert attempts(checker, RawPattern(9, left, right, (wl, wl, wr, wr)), tries=20) > 0
        assert attempts(checker, RawPattern(10, left, right, (wl, wr, wl, wr)), tries=20) == 0


def test_maptest_uses_no_other_scheduler():
    # Neither directed scheduling nor an exhaustive search may stand in for Algorithm 5.
    forbidden = {"directed", "deepening", "exhaustive", "portfolio", "policies"}
    for module in (maptest, eager, executions):
        imported = {
            node.module
            for node in ast.walk(ast.parse(inspect.getsource(module)))
            if isinstance(node, ast.ImportFrom) and node.module
        }
        assert forbidden.isdisjoint(name.rpartition(".")[2] for name in imported)
    assert "search(" not in inspect.getsource(maptest)  # Checker.search is exhaustive
