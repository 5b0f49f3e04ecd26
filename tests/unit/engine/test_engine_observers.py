"""An observer that fails is dropped. Its error is raised after the execution and never becomes a finding."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from raddle.engine.engine import Engine
from raddle.engine.observer import Observer
from raddle.engine.points import KnownPoints
from raddle.engine.step_limit import StepLimit
from raddle.schedulers.sequential import Sequential
from raddle.threads.patches import Patches
from raddle.threads.world import ThreadWorld


class Counting(Observer):
    def __init__(self) -> None:
        self.kinds: list[str] = []

    def happened(self, me: Any, kind: Any, target: Any, value: object = None) -> None:
        self.kinds.append(kind)


class Faulty(Observer):
    def __init__(self) -> None:
        self.calls = 0

    def happened(self, me: Any, kind: Any, target: Any, value: object = None) -> None:
        self.calls += 1
        raise KeyError("an error in the observer")


def scenario() -> None:
    lock = threading.Lock()
    with lock:
        pass
    with lock:
        pass


def run(*observers: Observer) -> Engine:
    engine = Engine(ThreadWorld(), KnownPoints(), step_limit=StepLimit(1_000), observers=observers)
    patches = Patches().install()
    try:
        engine.run(scenario, Sequential())
    finally:
        patches.remove()
    return engine


def test_observers_are_notified_of_operations_in_order() -> None:
    counting = Counting()
    run(counting)
    assert counting.kinds == ["acquire", "release", "acquire", "release", "end"]


def test_a_faulty_observer_is_dropped_and_the_others_stay() -> None:
    faulty, counting = Faulty(), Counting()
    with pytest.raises(KeyError, match="an error in the observer"):
        run(faulty, counting)
    assert faulty.calls == 1
    assert counting.kinds == ["acquire", "release", "acquire", "release", "end"]


def test_hooks_that_no_observer_overrides_are_not_called() -> None:
    engine = run(Counting())
    assert engine.observing
    assert not engine.measuring
    assert not engine.observers.accessed
