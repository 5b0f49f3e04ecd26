"""Probes call no methods of the program's objects, so the objects in `hostile` record only the program's operations."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import hostile
import pytest

import raddle
from raddle.native.watch import Watch

KINDS = ["Hostile", "Proxy"]


def operations_without_raddle(kind):
    hostile.LOG.clear()
    before, during = hostile.recorded(getattr(hostile, kind))
    assert before == []
    return during


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheduler", ["portfolio", "reachability", "twice:random"])
def test_controlled_executions_perform_no_extra_operations_on_objects(kind, scheduler):
    expected, records = operations_without_raddle(kind), []

    def scenario():
        records.append(hostile.recorded(getattr(hostile, kind)))

    result = raddle.explore(
        scenario, source=["hostile"], seed=1, executions=20, scheduler=scheduler, criteria="default", until="budget"
    )
    assert result.findings == ()
    assert all(record == ([], expected) for record in records)
    assert hostile.LOG == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_story_of_a_failure_performs_no_extra_operations_on_objects(kind):
    """The story names objects and shows their values."""
    expected = operations_without_raddle(kind)

    def scenario():
        before, during = hostile.recorded(getattr(hostile, kind))
        assert (before, during) != ([], expected)

    (finding,) = raddle.explore(scenario, source=["hostile", __file__], seed=1, executions=5).findings
    assert finding.kind == "assertion"
    assert hostile.LOG == []


class Discarding:
    """A sink that discards the steps of a native run."""

    def begin(self, entities):
        pass

    def feed(self, steps):
        pass

    def end(self):
        pass


@pytest.mark.parametrize("kind", KINDS)
def test_native_executions_perform_no_extra_operations_on_objects(kind, tmp_path, monkeypatch):
    expected = operations_without_raddle(kind)
    shutil.copy(Path(hostile.__file__), tmp_path / "hostile_natively.py")
    monkeypatch.syspath_prepend(tmp_path)
    watch = Watch(lambda name, path: name == "hostile_natively", lambda names: Discarding())
    watch.start()
    try:
        module = importlib.import_module("hostile_natively")
        module.LOG.clear()  # discards the operations recorded during the import
        records = [module.recorded(getattr(module, kind)) for _ in range(3)]
    finally:
        watch.stop()
        sys.modules.pop("hostile_natively", None)
    assert watch.stream.error is None
    assert all(record == ([], expected) for record in records)
    assert module.LOG == []
