import os
import sys
import warnings
from dataclasses import replace

from argument_classes import Blocks, Exits, Fails, Keyed, Shop, Spins
from running import sequential_runner

from raddle.generation import sequential
from raddle.generation.expressions import Imported, Literal, TemporaryPath
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import SHARED, Call


def construct(cls, *arguments, **keywords):
    method = Method("", MethodKind.CONSTRUCTOR, Imported(cls.__module__, cls.__qualname__))
    return Call(
        method, tuple(map(Literal, arguments)), tuple((k, Literal(v)) for k, v in keywords.items()), result=SHARED
    )


def method(cls, name, *arguments, result=""):
    owner = Imported(cls.__module__, cls.__qualname__)
    return Call(Method(name, MethodKind.METHOD, owner), tuple(map(Literal, arguments)), result=result)


def test_the_result_has_the_classes_of_all_variables():
    calls = (construct(Shop, "a"), method(Shop, "put", "a", 1, result="handle"))
    with sequential_runner() as runner:
        result = runner.run(calls)
    assert result.works
    assert result.failed_call is None
    assert {name: kind.__name__ for name, kind in result.types.items()} == {SHARED: "Shop", "handle": "Handle"}


def test_the_first_exception_ends_the_calls():
    calls = (construct(Keyed), method(Keyed, "pop", "a"), method(Keyed, "put", "a"))
    with sequential_runner() as runner:
        result = runner.run(calls)
        again = runner.run(calls[:1])
    assert not result.works
    assert result.failed_call == calls[1]
    assert isinstance(result.error, KeyError)
    assert again.works  # nothing is left of the first execution


def test_exiting_is_an_exception():
    with sequential_runner() as runner:
        assert isinstance(runner.run((construct(Exits),)).error, SystemExit)
        assert isinstance(runner.run((construct(Fails, "a", port=1),)).error, OSError)


def test_blocking_stops_the_execution():
    with sequential_runner() as runner:
        result = runner.run((construct(Blocks),))
    assert (result.works, result.error, result.stopped) == (False, None, "the call blocks")


def test_an_endless_loop_is_stopped_when_the_time_is_over():
    with sequential_runner(seconds=0.05) as runner:
        result = runner.run((construct(Spins),))
        assert runner.run((construct(Keyed),)).works
    assert (result.works, result.error) == (False, None)
    assert result.stopped


def test_a_coroutine_does_not_count_as_a_result():
    with warnings.catch_warnings(), sequential_runner() as runner:
        warnings.simplefilter("error")
        result = runner.run((construct(Shop, "a"), method(Shop, "fetch")))
    assert isinstance(result.error, TypeError)


def test_state_is_reset_before_each_execution():
    resets = []
    with sequential_runner(reset=lambda: resets.append(1)) as runner:
        runner.run((construct(Keyed),))
        runner.run((construct(Keyed), method(Keyed, "put", "a")))
    assert len(resets) == runner.executions == 2


def test_the_same_calls_are_run_once():
    with sequential_runner() as runner:
        first = runner.run((construct(Keyed), method(Keyed, "pop", "a")))
        assert runner.run((construct(Keyed), method(Keyed, "pop", "a"))) is first
        assert runner.run((construct(Keyed), method(Keyed, "put", True))).works
        assert runner.run((construct(Keyed), method(Keyed, "put", 1))).works  # True == 1, but this is another call
    assert runner.executions == 3


def test_the_number_of_results_that_are_kept_is_limited(monkeypatch):
    monkeypatch.setattr(sequential, "MAX_REMEMBERED", 2)
    with sequential_runner() as runner:
        for key in ("a", "b", "c", "a"):
            assert runner.run((construct(Keyed), method(Keyed, "put", key))).works
    assert runner.executions == 4


def test_files_of_earlier_executions_are_gone():
    write = Call(Method("", MethodKind.CONSTRUCTOR, Imported("os", "mkdir")), (TemporaryPath("a"),), result=SHARED)
    with sequential_runner() as runner:
        assert runner.run((write,)).works
        assert runner.run((replace(write, result="folder"),)).works  # the folder does not exist any more
        assert isinstance(runner.run((write, write)).error, FileExistsError)


def test_the_working_directory_and_the_import_path_are_restored():
    before = os.getcwd(), list(sys.path)
    with sequential_runner():
        assert os.getcwd() != before[0]
    assert (os.getcwd(), sys.path) == before
