"""The switch model `gil` allows exactly the switches that CPython with the GIL can make.

`RADDLE_INTERPRETERS` lists more interpreters to check, separated as in PATH.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest
import racy

import processes
import raddle
from raddle import env

HERE = Path(__file__).parent
INTERPRETERS = [sys.executable, *filter(None, os.environ.get("RADDLE_INTERPRETERS", "").split(os.pathsep))]

pytestmark = pytest.mark.skipif(not env.gil_enabled(), reason="this interpreter runs without the GIL")

# The final states that two threads can reach. With the GIL, a thread can be preempted only at a function's entry, at
# the backward jump of a loop, and after a call.
KEPT, LOST = "(2, 0)", "(1, 0)"
WITH_GIL = {
    # There is no switch point between the read and the write.
    "bare_increment": {KEPT},
    "read_then_write": {KEPT},
    # A switch is possible after the call, between the read and the write.
    "call_in_between": {KEPT, LOST},
    "call_then_unshared_write": {KEPT, LOST},
    # A switch is possible only between two iterations, and each iteration adds one.
    "loop": {"(4, 0)"},
    # No switch is possible between the accesses. When the first thread has ended, (n, m) is (1, 1). The second thread
    # adds 1 to n, and then adds n, which is 2, to m.
    "two_variables": {"(2, 3)"},
    # There is no call in the `try` block, so no switch is possible in it either.
    "in_try": {"(2, 2)"},
    # Entering the block is a call between the read and the write.
    "in_with": {KEPT, LOST},
    # The setter is entered between the read and the write.
    "through_a_property": {KEPT, LOST},
    # The value is read by one call and stored by another.
    "method_calls": {"(('a', 2),)", "(('a', 1),)"},
    # Neither `in` nor an item assignment is a call.
    "check_then_act": {"(('a', 2),)"},
    # A switch is possible after the call to `get`. Then both threads find no item, and one of the two updates is lost.
    "check_by_call": {"(('a', 2),)", "(('a', 1),)"},
    "list_item": {"(2,)"},
}
# Without the GIL, a switch is possible before any access. These final states are possible in addition to those above.
FREE_ONLY = {
    "bare_increment": {LOST},
    "read_then_write": {LOST},
    "loop": {"(3, 0)", "(2, 0)"},  # one or two of four updates lost
    "in_try": {"(1, 2)", "(2, 1)", "(1, 1)"},  # a lost update of n, of m, or of both
    "check_then_act": {"(('a', 1),)"},
    "list_item": {"(1,)"},
}


@pytest.fixture(scope="module", params=INTERPRETERS)
def states(request: pytest.FixtureRequest) -> dict[str, dict[str, list[str]]]:
    paths = os.pathsep.join([str(HERE.parent.parent / "src"), str(HERE)])
    completed = processes.run(
        [request.param, str(HERE / "stress.py")],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert completed.returncode == 0, completed.stderr
    return json.loads(completed.stdout)


@pytest.mark.parametrize("name", racy.PROGRAMS)
def test_real_threads_reach_only_states_that_the_gil_model_allows(states: dict, name: str) -> None:
    assert set(states[name]["real"]) <= set(states[name]["gil"])


@pytest.mark.parametrize("name", WITH_GIL)
def test_the_gil_model_allows_exactly_the_expected_states(states: dict, name: str) -> None:
    assert set(states[name]["gil"]) == WITH_GIL[name]


@pytest.mark.parametrize("name", racy.PROGRAMS)
def test_the_free_threaded_model_allows_more_states(states: dict, name: str) -> None:
    assert set(states[name]["gil"]) <= set(states[name]["free-threaded"])
    if name in FREE_ONLY:
        assert set(states[name]["free-threaded"]) - set(states[name]["gil"]) == FREE_ONLY[name]


@pytest.mark.parametrize("name", [n for n in WITH_GIL if n not in ("loop", "two_variables")])
def test_findings_state_on_which_interpreters_they_are_possible(name: str) -> None:
    expected = {"in_try": "(2, 2)"}.get(name) or next(o for o in WITH_GIL[name] if o in (KEPT, "(('a', 2),)", "(2,)"))

    def check(state: object) -> None:
        assert repr(state) == expected

    result = raddle.explore(racy.recording_scenario(name, check), source=["racy"])
    possible_on = "this-interpreter" if len(WITH_GIL[name]) > 1 else "free-threaded-only"
    assert [(finding.kind, finding.possible_on) for finding in result.findings] == [("assertion", possible_on)]
    with_gil = raddle.explore(
        racy.recording_scenario(name, check), source=["racy"], switches="gil", scheduler="exhaustive", until="exhausted"
    )
    assert bool(with_gil.findings) == (possible_on == "this-interpreter")


def test_modules_imported_by_an_execution_have_switch_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the scenario imports a module, raddle learns its switch points only during the first execution."""
    (tmp_path / "imported_late.py").write_text(
        "def same(n):\n    return n\n\n"
        "class Box:\n    n = 0\n    def add(self):\n        before = self.n\n        self.n = same(before) + 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def scenario() -> None:
        from imported_late import Box

        box = Box()
        threads = [threading.Thread(target=box.add) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert box.n == 2

    for scheduler in ("exhaustive", "pos"):
        sys.modules.pop("imported_late", None)
        result = raddle.explore(
            scenario, source=[__file__, str(tmp_path)], switches="gil", scheduler=scheduler, executions=100, seed=1
        )
        assert result.outcome == "assertion", scheduler
    del sys.modules["imported_late"]
