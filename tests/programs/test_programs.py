"""Faulty programs are found out, each in its way, and fail again by their schedules; correct ones pass."""

from __future__ import annotations

import pytest
import shelf

import raddle

LARGE = {"two_permits"}  # more than 1,500 schedules


def test_no_program_is_left_out() -> None:
    if shelf.LEFT_OUT:
        pytest.skip("; ".join(f"{name}: {reason}" for name, reason in shelf.LEFT_OUT.items()))


@pytest.mark.parametrize("name", shelf.names("faulty"))
def test_faulty(name: str) -> None:
    program = shelf.program("faulty", name)
    result = raddle.explore(program.scenario, source=[program.__name__])
    assert [finding.kind for finding in result.findings] == [program.EXPECTED]


@pytest.mark.parametrize("name", shelf.names("faulty"))
def test_a_failure_comes_again_by_its_text(name: str) -> None:
    program = shelf.program("faulty", name)
    finding = raddle.explore(program.scenario, source=[program.__name__]).findings[0]
    for _ in range(2):
        again = raddle.replay(program.scenario, str(finding.schedule), source=[program.__name__])
        assert again is not None
        assert (again.kind, again.message, again.thread) == (finding.kind, finding.message, finding.thread)
        assert [event.key for event in again.trace] == [event.key for event in finding.trace]


@pytest.mark.parametrize("name", shelf.names("correct"))
def test_correct(name: str) -> None:
    program = shelf.program("correct", name)
    result = raddle.explore(
        program.scenario, scheduler="exhaustive", executions=1_500, until="budget", source=[program.__name__]
    )
    assert (result.outcome, result.findings) == ("passed", ())
    assert result.stopped_because == ("executions" if name in LARGE else "exhausted")
