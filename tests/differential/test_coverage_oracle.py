"""What executions cover, by every criterion, is what the logs say that random programs keep of themselves.

The programs know nothing of raddle, and the logs are read by the definitions in the papers. Natively the threads are
made to take turns as they did under control, so both have to cover the same.

`RADDLE_DIFFERENTIAL=1600` has more programs compared; `RADDLE_DIFFERENTIAL_SEED` draws others.
"""

from __future__ import annotations

import os
from pathlib import Path

import coverage_map
import pytest
from coverage_events import readings
from coverage_log import Entry
from coverage_oracle import Digests, compare
from coverage_programs import FEATURES, Draw
from coverage_runs import Run, controlled, loaded, native
from coverage_source import Named, Program

from raddle.criteria import NAMES

MUCH = int(os.environ.get("RADDLE_DIFFERENTIAL", "40"))
PROGRAMS = max(1, MUCH // 20)  # for each feature
NATIVE_PROGRAMS = max(1, MUCH // 80)  # the same, as native runs take ten times as long
SEED = int(os.environ.get("RADDLE_DIFFERENTIAL_SEED", "1"))
SCHEDULERS = ("random", "pct", "surw", "exhaustive", "reachability")
EXECUTIONS = 3  # of each program by each scheduler
NATIVE_EXECUTIONS = 2


def drawn(feature: str, number: int, *, seed: int = SEED) -> Program:
    return Draw(1_000_000 * seed + number, always=feature).program()


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


def test_every_criterion_is_compared(tmp_path: Path) -> None:
    """A requirement that raddle leaves out makes a difference, for each criterion: none is compared in vain."""
    compared: set[str] = set()
    for number, feature in enumerate(("nesting", "conditions", *["methods"] * 6)):
        program = drawn(feature, number, seed=1)
        with loaded(program, tmp_path) as module:
            for run in controlled(module, "random", number, EXECUTIONS):
                if next(readings(program, run.log)).has_inner_steps:
                    continue
                right = set(compare(program, run.log, run.lines, run.covered, Digests()))
                for name in NAMES:
                    for key in sorted(run.covered[name], key=repr)[:1]:
                        less = {**run.covered, name: run.covered[name] - {key}}
                        if name == "sync" and key[1] not in ("visited", "notified", "heard", "unheard"):
                            continue  # whether a thread had to wait can be left open
                        assert set(compare(program, run.log, run.lines, less, Digests())) != right, (name, key)
                        compared.add(name)
    assert compared == set(NAMES)


def test_the_example_of_the_paper_on_patterns() -> None:
    """Wang et al., figures 1 to 3: T1 reads the threshold, T2 writes it, T1 reads it again.

    That covers patterns 1 (R W), 2 (W R) and 4 (R W R), and nothing else.
    """
    program = Program(0, objects={"log": Named("AppenderSkeleton", 1)})
    threshold = [("T1", "read", "4r"), ("T2", "write", "9w"), ("T1", "read", "5r")]
    log = [Entry("T0", "start", "T1", "1"), Entry("T0", "start", "T2", "2")]
    log += [Entry(thread, kind, "log.th", site) for thread, kind, site in threshold]
    (run,) = readings(program, log)
    lengths = sorted(len(pattern) for _, pattern in set(coverage_map.patterns(run)))
    assert lengths == [2, 2, 3]
    found = {"".join(part.thread + part.kind[0] for part in pattern) for _, pattern in coverage_map.patterns(run)}
    assert found == {"ArBw", "AwBr", "ArBwAr"}
