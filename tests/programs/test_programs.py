"""Faulty programs fail in the expected way and their schedules reproduce the failure. Correct programs pass."""

from __future__ import annotations

import pytest
import shelf

import raddle

LARGE = {"two_permits"}  # correct programs with more than 1,500 distinct orders


def test_every_program_runs_on_this_interpreter() -> None:
    if shelf.SKIPPED:
        pytest.skip("; ".join(f"{name}: {reason}" for name, reason in shelf.SKIPPED.items()))


@pytest.mark.parametrize("name", shelf.names("faulty"))
def test_a_faulty_program_fails_as_expected(name: str) -> None:
    program = shelf.program("faulty", name)
    result = raddle.explore(program.scenario, source=[program.__name__])
    assert [finding.kind for finding in result.findings] == [program.EXPECTED]


@pytest.mark.parametrize("name", shelf.names("faulty"))
def test_a_failure_is_reproduced_by_its_schedule(name: str) -> None:
    program = shelf.program("faulty", name)
    finding = raddle.explore(program.scenario, source=[program.__name__]).findings[0]
    for _ in range(2):
        replayed = raddle.replay(program.scenario, str(finding.schedule), source=[program.__name__])
        assert replayed is not None
        assert (replayed.kind, replayed.message, replayed.thread) == (finding.kind, finding.message, finding.thread)
        assert [event.key for event in replayed.trace] == [event.key for event in finding.trace]


@pytest.mark.parametrize("name", shelf.names("correct"))
def test_a_correct_program_passes(name: str) -> None:
    program = shelf.program("correct", name)
    result = raddle.explore(
        program.scenario, scheduler="exhaustive", executions=1_500, until="budget", source=[program.__name__]
    )
    assert (result.outcome, result.findings) == ("passed", ())
    assert result.stopped_because == ("executions" if name in LARGE else "exhausted")
