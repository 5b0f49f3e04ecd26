"""Reachability testing of random programs visits each partial order once and finds every outcome.

The expected outcomes come from the model in `tests/differential`, which is independent of raddle and tries every
interleaving. The expected partial orders come from a brute-force search that runs every interleaving in raddle.

`RADDLE_REACHABILITY=5000` sets the number of generated programs, and `RADDLE_REACHABILITY_SEED` the random seed.
"""

from __future__ import annotations

import importlib
import itertools
import os
import random
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import brute_force
import explorer
import partial_orders
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from small_programs import Draw, Program, render

from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.outcome import Outcome

PROGRAMS = int(os.environ.get("RADDLE_REACHABILITY", "100"))
SEED = int(os.environ.get("RADDLE_REACHABILITY_SEED", "1"))
CHUNKS = max(1, PROGRAMS // 50)  # number of tests into which the programs are split, so that tests can run in parallel
MAX_INTERLEAVINGS = 120 if PROGRAMS <= 200 else 1_500  # brute force runs at most this many
MAX_STATES = 5_000 if PROGRAMS <= 200 else 30_000


class Stage:
    """Runs all programs in one session, because setting up a session takes longer than most programs."""

    def __init__(self, folder: Path, compared: Counter[str]) -> None:
        self.folder = folder
        self.compared = compared
        self.session = Session(
            lambda: self.module.scenario(),
            Threads(Selection(root=str(folder))).install(),
            setup=lambda: self.notebook.clear(),
            step_limit=5_000,
        )
        self._numbers = itertools.count(1)
        self.module = ModuleType("nothing")
        self.notebook = explorer.Notebook(0)

    def enter(self, program: Program) -> None:
        name = f"reached{next(self._numbers)}"
        (self.folder / f"{name}.py").write_text(render(program))
        importlib.invalidate_caches()
        self.module = importlib.import_module(name)
        self.notebook = explorer.Notebook(len(program.bodies))
        self.module.begin = self.notebook.begin  # type: ignore[attr-defined]
        for number, notes in enumerate(self.notebook.notes):
            setattr(self.module, f"note{number}", notes.append)
        known_points = self.session.known_points
        known_points.sites.clear()
        known_points.kinds.clear()
        known_points.version += 1
        self.session.rehearse()
        self.session.rehearse()

    def leave(self) -> None:
        del sys.modules[self.module.__name__]

    def ending(self, outcome: Outcome) -> tuple:
        if outcome.error is not None:
            return ("error", (explorer._thread_of(outcome.error, self.module), type(outcome.error).__name__))
        return ("passed" if outcome.kind == "passed" else "stuck", *self.notebook.visible())

    def compare(self, program: Program) -> None:
        ends: set[tuple] = set()
        visiting = partial_orders.Visiting()
        found = partial_orders.explore(
            self.session, visiting, max_executions=400, ended=lambda outcome: ends.add(self.ending(outcome))
        )
        assert not visiting.cut, str(program)
        assert visiting.redundant == 0, str(program)
        assert set(found.orders.values()) == {1}, str(program)
        self.compared["visited"] += len(found.orders)
        self._compare_orders(program, found)
        self._compare_outcomes(program, found, ends)

    def _compare_orders(self, program: Program, found: partial_orders.Found) -> None:
        if not found.complete:
            return
        every = partial_orders.explore(self.session, partial_orders.BruteForce(), max_executions=MAX_INTERLEAVINGS)
        assert found.orders.keys() >= every.orders.keys(), str(program)
        if every.complete:
            self.compared["orders"] += 1
            assert found.orders.keys() == every.orders.keys(), str(program)

    def _compare_outcomes(self, program: Program, found: partial_orders.Found, ends: set[tuple]) -> None:
        try:
            expected = brute_force.outcomes(program, MAX_STATES)
        except brute_force.TooManyStatesError:
            return
        missed, invented = explorer.difference(expected, ends)
        assert not invented, str(program)
        if found.complete:
            self.compared["outcomes"] += 1
            assert not missed, str(program)


def drawn(chance: random.Random) -> Program:
    draw = Draw(0)
    draw._random = chance
    return draw.program()


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_programs_agree_with_brute_force(chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = PROGRAMS // CHUNKS
    monkeypatch.syspath_prepend(str(tmp_path))
    stage = Stage(tmp_path, Counter())

    @seed(SEED * 1_000 + chunk)
    @settings(max_examples=programs, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.randoms(use_true_random=False))
    def run(chance: random.Random) -> None:
        program = drawn(chance)
        stage.enter(program)
        try:
            stage.compare(program)
        finally:
            stage.leave()

    # When a thread runs its first test, Hypothesis registers a random number generator. It warns if `gc.get_referrers`
    # finds no reference to that generator. A session freezes all objects, which hides the dictionary that holds the
    # reference: since 3.14 the collector tracks every dictionary from the start, so this one is frozen too. Running a
    # first test here avoids the warning.
    given(st.none())(lambda _: None)()
    with stage.session:
        run()
    assert stage.compared["outcomes"] > programs // 2
    assert stage.compared["orders"] > programs // 2
    assert stage.compared["visited"] > 2 * programs  # fewer would mean that nothing was instrumented
