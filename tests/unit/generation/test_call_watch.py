"""The watch records how calls end, and refuses calls."""

from __future__ import annotations

import itertools

import pytest
from sample_cases import SHELF, call, new, operator

import raddle
from raddle.engine.carrier import Abort, Carrier
from raddle.generation import call_watch
from raddle.generation.binding import make
from raddle.generation.call_watch import CallWatch, MethodRecord, Refusals, RefusedCallError, error_text, watching
from raddle.generation.expressions import Values
from raddle.generation.heartbeat import Heartbeat


def test_calls_are_recorded_by_how_they_end():
    watch, values = CallWatch(Heartbeat()), Values()
    with watching(watch):
        make(new(), values)
        make(call("put", "a", 1), values)
        make(call("take", "a"), values)
        with pytest.raises(KeyError):
            make(operator("__getitem__", "a"), values)
    assert call_watch.current is None
    assert watch.records()["put"] == MethodRecord(returned=1)
    assert watch.records()["take"] == MethodRecord(returned=1)
    assert watch.records()["__getitem__"] == MethodRecord(error="KeyError: 'a'")


def test_the_heartbeat_shows_the_calls_in_progress():
    heartbeat = Heartbeat()
    watch = CallWatch(heartbeat)
    first = watch.begin(call("put", "a", 1))
    second = watch.begin(call("take", "a"))
    assert set(heartbeat.calls()) == {call("put", "a", 1), call("take", "a")}
    watch.end(second, call("take", "a"), None)
    assert heartbeat.calls() == (call("put", "a", 1),)
    watch.end(first, call("put", "a", 1), Abort())
    assert heartbeat.calls() == ()
    assert heartbeat.count == 4
    assert watch.records()["put"] == MethodRecord(aborted=1)


def test_a_long_call_is_recorded_without_its_arguments():
    heartbeat = Heartbeat()
    CallWatch(heartbeat).begin(call("take", "a" * 10_000))
    assert heartbeat.calls() == (call("take"),)


def test_more_calls_than_there_is_room_for_are_not_recorded():
    heartbeat = Heartbeat()
    watch = CallWatch(heartbeat)
    slots = [watch.begin(call("take", str(number))) for number in range(20)]
    assert len(heartbeat.calls()) == 16
    for number, slot in enumerate(slots):
        watch.end(slot, call("take", str(number)), None)
    assert heartbeat.calls() == ()


def test_refused_calls_are_not_made():
    watch = CallWatch(refusals=Refusals(calls={call("take", "a"): "ends the process"}))
    with pytest.raises(RefusedCallError, match="ends the process"):
        watch.begin(call("take", "a"))
    watch.begin(call("take", "b"))


def test_the_text_of_an_exception_runs_no_code_of_the_program():
    class OddError(Exception):
        def __str__(self):
            raise AssertionError

        __repr__ = __str__
        args = property(__str__)

    assert error_text(OddError("why")) == "OddError: why"


@pytest.mark.parametrize(("ends_sometimes", "allowed"), [(False, 2), (True, 6)])
def test_a_method_whose_calls_take_too_long_is_refused_later_if_others_have_ended(monkeypatch, ends_sometimes, allowed):
    class Main(Carrier):
        """The thread that runs calls when no other one is running."""

        def __init__(self):
            self.index = 0

    main, times = Main(), itertools.count(step=10)  # 10 seconds pass between two looks at the clock
    monkeypatch.setattr(call_watch, "getcurrent", lambda: main)
    monkeypatch.setattr(call_watch, "_clock", lambda: next(times))
    watch, put = CallWatch(), call("put", "a", 1)
    if ends_sometimes:
        watch.end(watch.begin(put), put, None)
    for _ in range(allowed):
        assert not watch.refused
        watch.end(watch.begin(put), put, Abort())
    assert set(watch.refused) == {put.method}


def test_a_method_that_does_not_return_on_some_objects_is_refused_on_these(monkeypatch):
    now = iter(range(1_000))
    monkeypatch.setattr(call_watch, "_clock", lambda: next(now))  # each call takes a second
    small, large, take = new(), new(SHELF, 10), call("take", "a")

    def take_from(watch, constructor):
        watch.end(watch.begin(constructor), constructor, None)
        watch.end(watch.begin(take), take, Abort())

    def scenario():
        watch = CallWatch()
        take_from(watch, large)
        take_from(watch, large)
        with pytest.raises(RefusedCallError, match="does not return"):
            take_from(watch, large)
        take_from(watch, small)
        assert not watch.refused  # it may return on other objects
        take_from(watch, small)
        assert [str(method) for method in watch.refused] == ["take"]

    # Only calls in a controlled execution without other threads can be refused.
    assert raddle.explore(scenario, executions=1).outcome == "passed"
