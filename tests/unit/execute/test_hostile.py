"""Probes look at objects of the program without asking them anything: only the program's own accesses are recorded."""

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


def plainly(kind):
    hostile.LOG.clear()
    before, during = hostile.recorded(getattr(hostile, kind))
    assert before == []
    return during


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheduler", ["portfolio", "reachability", "twice:random"])
def test_under_control(kind, scheduler):
    expected, seen = plainly(kind), []

    def scenario():
        seen.append(hostile.recorded(getattr(hostile, kind)))

    result = raddle.explore(
        scenario, source=["hostile"], seed=1, executions=20, scheduler=scheduler, criteria="default", until="budget"
    )
    assert result.findings == ()
    assert all(one == ([], expected) for one in seen)
    assert hostile.LOG == []


@pytest.mark.parametrize("kind", KINDS)
def test_where_a_failure_is_told(kind):
    """The story names objects and shows values."""
    expected = plainly(kind)

    def scenario():
        before, during = hostile.recorded(getattr(hostile, kind))
        assert (before, during) != ([], expected)

    (finding,) = raddle.explore(scenario, source=["hostile", __file__], seed=1, executions=5).findings
    assert finding.kind == "assertion"
    assert hostile.LOG == []


class Discarding:
    """A sink for the steps of a native run."""

    def begin(self, entities):
        pass

    def feed(self, steps):
        pass

    def end(self):
        pass


@pytest.mark.parametrize("kind", KINDS)
def test_natively(kind, tmp_path, monkeypatch):
    expected = plainly(kind)
    shutil.copy(Path(hostile.__file__), tmp_path / "hostile_natively.py")
    monkeypatch.syspath_prepend(tmp_path)
    watch = Watch(lambda name, path: name == "hostile_natively", lambda names: Discarding())
    watch.start()
    try:
        module = importlib.import_module("hostile_natively")
        module.LOG.clear()  # the module's own definitions
        seen = [module.recorded(getattr(module, kind)) for _ in range(3)]
    finally:
        watch.stop()
        sys.modules.pop("hostile_natively", None)
    assert watch.stream.error is None
    assert all(one == ([], expected) for one in seen)
    assert module.LOG == []
