"""`switches="gil"` allows what CPython with the GIL can do, and not everything.

`RADDLE_INTERPRETERS` names further interpreters, separated as in PATH, on which the same is checked.
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

# What the two threads can leave behind. With the GIL a thread can be stopped where a function begins, where a
# loop goes round, and after a call, nowhere else.
KEPT, LOST = "(2, 0)", "(1, 0)"
WITH_GIL = {
    # Read and write, and nothing in between where a thread could be stopped.
    "bare_increment": {KEPT},
    "read_then_write": {KEPT},
    # It can be stopped after the call, between the read and the write.
    "call_in_between": {KEPT, LOST},
    "call_then_something_of_its_own": {KEPT, LOST},
    # Stopped between two rounds only, and each round adds one.
    "loop": {"(4, 0)"},
    # All four accesses in one go: the first leaves (1, 1), the second adds 1, and then 2: (2, 3).
    "two_variables": {"(2, 3)"},
    # No call, whether an exception could be raised or not.
    "in_try": {"(2, 2)"},
    # Entering the block is a call, between the read and the write.
    "in_with": {KEPT, LOST},
    # The property's functions begin between the read and the write.
    "through_a_property": {KEPT, LOST},
    # The value is read by one call and stored by another.
    "method_calls": {"(('a', 2),)", "(('a', 1),)"},
    # `in` and the item's assignment are no calls.
    "check_then_act": {"(('a', 2),)"},
    # After the call of get: both find nothing, the second puts 0 over the first one's 1.
    "checked_by_a_call": {"(('a', 2),)", "(('a', 1),)"},
    "list_item": {"(2,)"},
}
# Without the GIL any access can come between any others: the races above, and those below.
FREE_ONLY = {
    "bare_increment": {LOST},
    "read_then_write": {LOST},
    "loop": {"(3, 0)", "(2, 0)"},  # one of four lost, or two
    "in_try": {"(1, 2)", "(2, 1)", "(1, 1)"},  # either sum can lose one, or both
    "check_then_act": {"(('a', 1),)"},
    "list_item": {"(1,)"},
}


@pytest.fixture(scope="module", params=INTERPRETERS)
def told(request: pytest.FixtureRequest) -> dict[str, dict[str, list[str]]]:
    paths = os.pathsep.join([str(HERE.parent.parent / "src"), str(HERE)])
    done = processes.run(
        [request.param, str(HERE / "stress.py")],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", racy.PROGRAMS)
def test_real_threads_show_nothing_that_the_model_excludes(told: dict, name: str) -> None:
    assert set(told[name]["real"]) <= set(told[name]["gil"])


@pytest.mark.parametrize("name", WITH_GIL)
def test_what_is_possible_with_the_gil(told: dict, name: str) -> None:
    assert set(told[name]["gil"]) == WITH_GIL[name]


@pytest.mark.parametrize("name", racy.PROGRAMS)
def test_the_free_threaded_model_allows_more(told: dict, name: str) -> None:
    assert set(told[name]["gil"]) <= set(told[name]["free-threaded"])
    if name in FREE_ONLY:
        assert set(told[name]["free-threaded"]) - set(told[name]["gil"]) == FREE_ONLY[name]


@pytest.mark.parametrize("name", [n for n in WITH_GIL if n not in ("loop", "two_variables")])
def test_findings_say_where_they_are_possible(name: str) -> None:
    kept = {"in_try": "(2, 2)"}.get(name) or next(o for o in WITH_GIL[name] if o in (KEPT, "(('a', 2),)", "(2,)"))

    def note(outcome: object) -> None:
        assert repr(outcome) == kept

    result = raddle.explore(racy.tried(name, note), source=["racy"])
    possible_on = "this-interpreter" if len(WITH_GIL[name]) > 1 else "free-threaded-only"
    assert [(finding.kind, finding.possible_on) for finding in result.findings] == [("assertion", possible_on)]
    with_gil = raddle.explore(
        racy.tried(name, note), source=["racy"], switches="gil", scheduler="exhaustive", until="exhausted"
    )
    assert bool(with_gil.findings) == (possible_on == "this-interpreter")


def test_modules_that_an_execution_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows before the first execution where their code lets go."""
    (tmp_path / "imported_meanwhile.py").write_text(
        "def same(n):\n    return n\n\n"
        "class Box:\n    n = 0\n    def add(self):\n        before = self.n\n        self.n = same(before) + 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def scenario() -> None:
        from imported_meanwhile import Box

        box = Box()
        threads = [threading.Thread(target=box.add) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert box.n == 2

    for scheduler in ("exhaustive", "pos"):
        sys.modules.pop("imported_meanwhile", None)
        result = raddle.explore(
            scenario, source=[__file__, str(tmp_path)], switches="gil", scheduler=scheduler, executions=100, seed=1
        )
        assert result.outcome == "assertion", scheduler
    del sys.modules["imported_meanwhile"]
