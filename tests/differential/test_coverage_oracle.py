"""What executions cover, by every criterion, is what the logs say that random programs keep of themselves.

The programs know nothing of raddle, and the logs are read by the definitions in the papers. Natively the threads are
made to take turns as they did under control, so both have to cover the same.

`RADDLE_DIFFERENTIAL=1600` has more programs compared; `RADDLE_DIFFERENTIAL_SEED` draws others.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from coverage_oracle import Digests, compare
from coverage_programs import FEATURES, Draw, Program
from coverage_runs import Run, controlled, loaded, native

MUCH = int(os.environ.get("RADDLE_DIFFERENTIAL", "40"))
PROGRAMS = max(1, MUCH // 20)  # for each feature
NATIVE_PROGRAMS = max(1, MUCH // 80)  # the same, as native runs take ten times as long
SEED = int(os.environ.get("RADDLE_DIFFERENTIAL_SEED", "1"))
SCHEDULERS = ("random", "pct", "surw", "exhaustive", "reachability")
EXECUTIONS = 3  # of each program by each scheduler
NATIVE_EXECUTIONS = 2


def drawn(feature: str, number: int) -> Program:
    return Draw(1_000_000 * SEED + number, always=feature).program()


def check(program: Program, run: Run, order: Run, digests: Digests) -> None:
    """Compare what a run covers with the log of the run whose order it has."""
    wrong = compare(program, order.log, run.lines, run.covered, digests, waits=run is order)
    if wrong:
        most = 20
        more = [f"... and {len(wrong) - most} more"] if len(wrong) > most else []
        told = "\n".join([*wrong[:most], *more])
        pytest.fail(f"seed {program.seed}, {', '.join(sorted(program.features))}\n{program}\n{order}\n{told}")


@pytest.mark.parametrize("feature", FEATURES)
def test_executions_under_control_cover_what_their_logs_say(feature: str, tmp_path: Path) -> None:
    for number in range(PROGRAMS):
        program, digests = drawn(feature, number), Digests()
        with loaded(program, tmp_path) as module:
            for scheduler in SCHEDULERS:
                for run in controlled(module, scheduler, number, EXECUTIONS):
                    check(program, run, run, digests)


@pytest.mark.parametrize("feature", FEATURES)
def test_native_runs_in_the_same_order_cover_the_same(feature: str, tmp_path: Path) -> None:
    for number in range(NATIVE_PROGRAMS):
        program, digests = drawn(feature, number), Digests()
        with loaded(program, tmp_path) as module:
            runs = list(controlled(module, "random", number, NATIVE_EXECUTIONS))
        for run in runs:
            if run.can_be_repeated(program):
                check(program, native(program, tmp_path, run.log), run, digests)
