"""For every criterion, the coverage of random programs agrees with an oracle that reads the programs' own logs.

The programs do not depend on raddle, and the oracle applies the definitions in the papers to the programs' logs. Each
native run is forced into the order of a controlled execution, so both must cover the same requirements.

Set `RADDLE_DIFFERENTIAL=1600` to compare more programs, and `RADDLE_DIFFERENTIAL_SEED` to choose other random programs.
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

from raddle.criteria import THREADS as NAMES

SIZE = int(os.environ.get("RADDLE_DIFFERENTIAL", "40"))
PROGRAMS = max(1, SIZE // 20)  # number of programs run in controlled executions, for each feature
# Number of programs run natively for each feature. Fewer than PROGRAMS, because native runs take ten times as long.
NATIVE_PROGRAMS = max(1, SIZE // 80)
SEED = int(os.environ.get("RADDLE_DIFFERENTIAL_SEED", "1"))
SCHEDULERS = ("random", "pct", "surw", "exhaustive", "reachability")
EXECUTIONS = 3  # number of executions of each program by each scheduler
NATIVE_EXECUTIONS = 2


def drawn(feature: str, number: int, *, seed: int = SEED) -> Program:
    return Draw(1_000_000 * seed + number, always=feature).program()


def check(program: Program, run: Run, order: Run, digests: Digests) -> None:
    """Compare the coverage of `run` with the log of `order`: `run` itself, or the run whose order was forced on it."""
    wrong = compare(program, order.log, run.lines, run.covered, digests, waits=run is order)
    if wrong:
        limit = 20
        more = [f"... and {len(wrong) - limit} more"] if len(wrong) > limit else []
        listed = "\n".join([*wrong[:limit], *more])
        pytest.fail(f"seed {program.seed}, {', '.join(sorted(program.features))}\n{program}\n{order}\n{listed}")


@pytest.mark.parametrize("feature", FEATURES)
def test_controlled_executions_cover_what_the_oracle_expects(feature: str, tmp_path: Path) -> None:
    for number in range(PROGRAMS):
        program, digests = drawn(feature, number), Digests()
        with loaded(program, tmp_path) as module:
            for scheduler in SCHEDULERS:
                for run in controlled(module, scheduler, number, EXECUTIONS):
                    check(program, run, run, digests)


@pytest.mark.parametrize("feature", FEATURES)
def test_native_runs_in_the_same_order_cover_what_the_oracle_expects(feature: str, tmp_path: Path) -> None:
    for number in range(NATIVE_PROGRAMS):
        program, digests = drawn(feature, number), Digests()
        with loaded(program, tmp_path) as module:
            runs = list(controlled(module, "random", number, NATIVE_EXECUTIONS))
        for run in runs:
            if run.can_be_repeated(program):
                check(program, native(program, tmp_path, run.log), run, digests)


def test_the_oracle_detects_a_missing_requirement_of_every_criterion(tmp_path: Path) -> None:
    """Removing one covered requirement of any criterion must change the result of the comparison."""
    compared: set[str] = set()
    for number, feature in enumerate(("nesting", "conditions", *["methods"] * 6)):
        program = drawn(feature, number, seed=1)
        with loaded(program, tmp_path) as module:
            for run in controlled(module, "random", number, EXECUTIONS):
                if next(readings(program, run.log)).has_inner_steps:
                    continue
                complete = set(compare(program, run.log, run.lines, run.covered, Digests()))
                for name in NAMES:
                    for key in sorted(run.covered[name], key=repr)[:1]:
                        reduced = {**run.covered, name: run.covered[name] - {key}}
                        if name == "sync" and key[1] not in ("visited", "notified", "heard", "unheard"):
                            continue  # the log does not always show whether a thread had to wait
                        assert set(compare(program, run.log, run.lines, reduced, Digests())) != complete, (name, key)
                        compared.add(name)
    assert compared == set(NAMES)


def test_the_programs_with_inheritance_cover_patterns_of_own_and_inherited_variables(tmp_path: Path) -> None:
    """Otherwise the comparison would say nothing about such patterns."""
    program = drawn("heirs", 0, seed=1)
    with loaded(program, tmp_path) as module:
        keys = {key for run in controlled(module, "random", 0, EXECUTIONS) for key in run.covered["map"]}
    assert {(owner, x, y) for _, owner, x, y, *_ in keys if y} & {
        ("program.py:Crate", "lid", "program.py:Box.a"), ("program.py:Box", "a", "program.py:Crate.lid")
    }  # fmt: skip


def test_the_oracle_finds_the_patterns_of_the_map_papers_example() -> None:
    """In figures 1 to 3 of Wang et al., T1 reads the threshold, T2 writes it, and T1 reads it again.

    That covers patterns 1 (R W), 2 (W R) and 4 (R W R), and nothing else.
    """
    program = Program(0, objects={"log": Named("AppenderSkeleton", 1)})
    threshold = [("T1", "read", "4r"), ("T2", "write", "9w"), ("T1", "read", "5r")]
    log = [Entry("T0", "start", "T1", "1"), Entry("T0", "start", "T2", "2")]
    log += [Entry(thread, kind, "log.th", site) for thread, kind, site in threshold]
    (run,) = readings(program, log)
    lengths = sorted(len(pattern) for pattern in set(coverage_map.patterns(run)))
    assert lengths == [2, 2, 3]
    found = {"".join(part.thread + part.kind[0] for part in pattern) for pattern in coverage_map.patterns(run)}
    assert found == {"ArBw", "AwBr", "ArBwAr"}
