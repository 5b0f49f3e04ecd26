"""Each way in which an execution can fail is reported as a separate kind of failure, with its cause.

The kinds are deadlock, lost wakeup, step limit, uncontrolled call, divergence and exception.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import endings
import pytest

import raddle
from raddle.finding import Finding

LINES = {
    int(found[1]): number
    for number, line in enumerate(Path(endings.__file__).read_text().splitlines(), 1)
    if (found := re.search(r"# (\d+): ", line))
}


@pytest.fixture(autouse=True)
def _fresh_state() -> Iterator[None]:
    endings.reset()
    yield
    endings.reset()


def explored(scenario: Callable[[], object], **options: Any) -> raddle.Result:
    return raddle.explore(scenario, source=["endings"], **options)


def found(scenario: Callable[[], object], **options: Any) -> Finding:
    findings = explored(scenario, **options).findings
    assert len(findings) == 1
    return findings[0]


def at(mark: int) -> str:
    return f"tests/programs/endings.py:{LINES[mark]}"


# -- all threads blocked --------------------------------------------------------------------------------------


def test_a_deadlock_names_the_cycle_the_holders_and_where_they_acquired_the_locks() -> None:
    finding = found(endings.crossed_locks)
    assert (finding.kind, finding.message) == ("deadlock", "T1 waits for T2, which waits for T1")
    details = "\n".join(finding.details)
    for waiter, holder, waits_at, held_since in (("T1", "T2", 2, 1), ("T2", "T1", 4, 3)):
        start = f"{waiter} waits at {at(waits_at)} to acquire "
        line = next(line for line in finding.details if line.startswith(start))
        assert f"held by {holder}" in line
        assert f"acquired at {at(held_since)}" in line
    assert re.search("^T0 waits at .* to join T1$", details, re.MULTILINE)


def test_a_thread_that_waits_for_itself_is_a_deadlock() -> None:
    finding = found(endings.own_lock_twice)
    assert (finding.kind, finding.message) == ("deadlock", "T0 waits for itself")
    assert at(6) in finding.details[0]
    assert f"acquired at {at(5)}" in finding.details[0]


def test_a_wait_that_no_thread_can_end_is_a_deadlock() -> None:
    finding = found(endings.forgotten_event)
    assert finding.kind == "deadlock"
    assert "T0 waits forever" in finding.message
    assert re.fullmatch("T0 waits at .* for Event", finding.details[0])


def test_a_lost_wakeup_reports_that_the_notification_came_too_early() -> None:
    finding = found(endings.too_early)
    assert finding.kind == "lost-wakeup"
    assert finding.thread == "T2"
    assert "the notification came before T2 started waiting" in finding.message
    assert any(at(7) in line for line in finding.details)


def test_a_waiting_daemon_is_no_deadlock() -> None:
    result = explored(endings.daemon_left_waiting, scheduler="exhaustive")
    assert (result.outcome, result.stopped_because) == ("passed", "exhausted")


# -- endless execution ----------------------------------------------------------------------------------------


def test_the_step_limit_names_the_lines_of_the_loops() -> None:
    finding = found(endings.polite_pair, step_limit=500)
    assert finding.kind == "step-limit"
    assert "500 steps" in finding.message
    details = "\n".join(finding.details)
    assert f"T1 at {at(8)}" in details
    assert f"T2 at {at(9)}" in details


# -- uncontrolled calls ---------------------------------------------------------------------------------------


def test_a_blocking_call_outside_of_control_shows_its_stack() -> None:
    finding = found(endings.blocks_outside, patience_seconds=0.2)
    assert finding.kind == "uncontrolled"
    details = "\n".join(finding.details)
    assert f"line {LINES[10]}, in blocks_outside" in details
    assert "right.recv(1)" in details


def test_joining_a_thread_started_before_the_execution_is_uncontrolled() -> None:
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait)
    thread.start()
    try:
        finding = found(endings.waits_for_a_real_thread(thread))
        assert finding.kind == "uncontrolled"
        assert "was started before the execution began" in finding.message
    finally:
        gate.set()
        thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_fork_is_uncontrolled() -> None:
    finding = found(endings.forks)
    assert finding.kind == "uncontrolled"
    assert "forks" in finding.message


# -- nondeterminism -------------------------------------------------------------------------------------------


def test_randomness_is_reported_with_the_first_step_that_differs() -> None:
    # Each of twenty threads tosses a coin, so the probability that two runs behave identically is about one in a
    # million.
    finding = found(endings.by_chance)
    assert finding.kind == "divergence"
    assert "so two executions differ" in finding.message  # the state of the generator survives
    steps = (f"{at(11)} read Box.n", f"{at(12)} write Box.stop")
    assert all(step in finding.message for step in steps)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_state_that_survives_an_execution_is_reported() -> None:
    finding = found(endings.grows)
    assert finding.kind == "divergence"
    assert "state survives from one execution to the next" in finding.message
    assert "setup=" in finding.message
    assert "isolate='fork'" in finding.message


def test_a_failure_of_only_the_second_execution_is_a_divergence() -> None:
    finding = found(endings.fails_the_second_time)
    assert finding.kind == "divergence"
    assert "state survives" in finding.message or "not deterministic" in finding.message


def test_setup_resets_the_state() -> None:
    for scenario in (endings.grows, endings.fails_the_second_time):
        result = explored(scenario, setup=endings.reset, executions=20)
        assert (result.outcome, result.findings) == ("passed", ())
        assert [note for note in result.notes if "started no thread" not in note] == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_fork_for_each_execution_resets_the_state() -> None:
    for scenario in (endings.grows, endings.fails_the_second_time):
        result = explored(scenario, isolate="fork", executions=8)
        assert (result.outcome, result.findings) == ("passed", ())
        assert [note for note in result.notes if "started no thread" not in note] == []
    assert endings.calls == []  # only the child processes changed their copies


def test_a_first_execution_that_differs_is_reported_in_a_note() -> None:
    result = explored(endings.cached)
    assert result.outcome == "passed"
    assert any("the first execution differs from later executions" in note for note in result.notes)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_isolated_executions_report_the_same_finding() -> None:
    in_process = found(endings.crossed_locks)
    isolated = found(endings.crossed_locks, isolate="fork", executions=100)
    assert (isolated.kind, isolated.message, isolated.details) == (
        in_process.kind,
        in_process.message,
        in_process.details,
    )
    assert str(isolated.schedule) == str(in_process.schedule)


# -- exceptions -----------------------------------------------------------------------------------------------


def test_an_exception_in_a_thread_is_reported_with_its_line() -> None:
    finding = found(endings.raises_in_a_thread)
    assert (finding.kind, finding.thread) == ("exception", "T1")
    assert finding.message == "KeyError: 'gone'"
    assert any(f"line {LINES[13]}, in work" in line for line in finding.details)
    assert not any(str(Path(raddle.__file__).parent) in line for line in finding.details)


def test_a_system_exit_is_reported_as_an_exception() -> None:
    finding = found(endings.leaves_with_exit)
    assert finding.kind == "exception"
    assert "sys.exit(3)" in finding.message
