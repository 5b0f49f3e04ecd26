"""The exhaustive search reports exactly the outcomes that brute force finds: none missed, none invented.

Set `RADDLE_DIFFERENTIAL=5000` to compare 5000 programs, and `RADDLE_DIFFERENTIAL_SEED` to choose other random programs.
"""

from __future__ import annotations

import os
from pathlib import Path

import brute_force
import explorer
import pytest
from small_programs import Draw

import raddle

PROGRAMS = int(os.environ.get("RADDLE_DIFFERENTIAL", "40"))
SEED = int(os.environ.get("RADDLE_DIFFERENTIAL_SEED", "1"))
CHUNKS = 8  # number of tests into which the programs are split, so that tests can run in parallel
REPORTED = 12 if PROGRAMS < 80 else 24  # number of programs explored through `raddle.explore`
MAX_EXECUTIONS = 2_000  # programs that need more are replaced by other random programs


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_outcomes_equal_those_of_brute_force(chunk: int, tmp_path: Path) -> None:
    draw = Draw(SEED * 1_000 + chunk)
    compared = 0
    while compared < PROGRAMS // CHUNKS:
        program = draw.program()
        try:
            expected = brute_force.outcomes(program)
        except brute_force.TooManyStatesError:
            continue
        found, complete, _ = explorer.outcomes(program, tmp_path, MAX_EXECUTIONS)
        missed, invented = explorer.difference(expected, found)
        assert not invented, f"impossible: {sorted(invented, key=repr)}\n{program}"
        if complete:
            compared += 1
            assert not missed, f"missed: {sorted(missed, key=repr)}\n{program}"


@pytest.mark.parametrize("number", range(REPORTED))
def test_explore_reports_the_kinds_of_failure_that_brute_force_finds(number: int, tmp_path: Path) -> None:
    """Compare `raddle.explore` with brute force.

    Every reported kind of failure must be possible, and its schedule must reproduce it. If the search is exhausted, it
    must have found every possible kind.
    """
    program = Draw(100_000 + number).program()
    expected = brute_force.outcomes(program)
    module, notebook = explorer.load(program, tmp_path, f"reported{number}")
    result = raddle.explore(
        module.scenario, scheduler="exhaustive", executions=1_000, until="budget", setup=notebook.clear
    )
    assert not [note for note in result.notes if "did not show the failure again" in note], str(program)
    kinds = {KIND.get(finding.kind, finding.kind) for finding in result.findings}
    possible = {outcome[0] for outcome in expected} - {"passed"}
    assert kinds <= possible, str(program)
    if result.stopped_because == "exhausted":
        assert kinds == possible, str(program)


KIND = {"exception": "errors", "deadlock": "stuck", "lost-wakeup": "stuck"}
