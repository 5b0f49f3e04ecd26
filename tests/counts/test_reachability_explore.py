"""Reachability testing through the front door: findings, schedules that replay, processes of their own, criteria."""

from __future__ import annotations

import os
from collections.abc import Callable

import counted
import partial_orders
import pytest
import reachable
import reachable_locks
import reachable_memory
import reachable_waiting

import raddle
from raddle.criteria import NAMES, criterion_class, make_criteria
from raddle.errors import UsageError
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.measuring.measurement import Measurement
from raddle.report.coverage import contents_of, rows
from raddle.report.missing import missing
from raddle.report.stop_text import stop_text
from raddle.schedulers import make_scheduler, reachability
from raddle.schedulers.reachability import Reachability

SOURCE = list(reachable.SOURCES)
FAILING = [
    (counted.crossed_locks, "deadlock"),
    (counted.tried_lock, "deadlock"),
    (reachable_memory.dies, "assertion"),
    (reachable_waiting.told_too_early, "lost-wakeup"),
    (reachable_locks.three_at_the_table, "deadlock"),
]


def visited(scenario: Callable[[], object], **options: object) -> raddle.Result:
    return raddle.explore(
        scenario,
        **{"scheduler": "reachability", "until": "exhausted", "source": SOURCE, **options},  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(("scenario", "kind"), FAILING)
@pytest.mark.parametrize("shrink", [True, False])
def test_what_is_found_replays(scenario: Callable[[], None], kind: str, shrink: bool) -> None:
    result = visited(scenario, shrink=shrink)
    (finding,) = result.findings
    assert finding.kind == kind
    assert result.notes == ()
    # In a session of its own, where a join or a release is no step unless somebody looks.
    again = raddle.replay(scenario, str(finding.schedule), source=SOURCE)
    assert again is not None
    assert again.message == finding.message
    assert stop_text(result) == f"exhausted: all {result.orders['partial_orders']} partial orders were run"


def test_it_stops_at_the_first_finding() -> None:
    # The first execution takes both locks in one thread after the other; the second turns a race round.
    result = visited(counted.crossed_locks, until="first-finding")
    assert result.stopped_because == "first-finding"
    assert result.executions < 3


def test_no_failure_exists() -> None:
    result = visited(counted.locked_increments(2))
    assert (result.executions, result.findings) == (6, ())
    assert stop_text(result) == "exhausted: all 6 partial orders were run; no failure is possible within these bounds"


def test_a_budget_that_is_spent_first() -> None:
    result = visited(counted.increments(2), until="budget", executions=33)
    assert (result.executions, result.stopped_because) == (33, "executions")
    assert stop_text(result) == "stopped: execution limit reached"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.parametrize("criteria", [(), "map"])
def test_in_processes_of_their_own(criteria: object) -> None:
    result = visited(counted.increments(1), isolate="fork", criteria=criteria)
    assert (result.executions, result.stopped_because) == (4, "exhausted")


def test_where_the_interpreter_can_switch() -> None:
    # Between its points a thread may do anything else, so nothing commutes: every interleaving. Each thread acquires,
    # reads and writes in one go, and releases: three steps. If T1 is first, the main thread's join of it comes among
    # the three steps of T2, in 4 places; if T2 is first, both joins come last.
    result = visited(counted.locked_increments(1), switches="gil")
    assert (result.executions, result.stopped_because, result.findings) == (4 + 1, "exhausted", ())
    # Bare increments cannot be interrupted: T1 first, with the join before or after T2's step, or T2 first.
    result = visited(counted.increments(1), switches="gil")
    assert (result.executions, result.stopped_because, result.findings) == (2 + 1, "exhausted", ())


def finest_interleavings(scenario: Callable[[], object]) -> int:
    with partial_orders.prepared(scenario, selection=Selection(sources=SOURCE)) as session:
        found = partial_orders.explore(session, partial_orders.BruteForce())
    return sum(found.orders.values())


def test_it_cannot_be_run_twice() -> None:
    with pytest.raises(UsageError, match="twice cannot repeat the executions of reachability"):
        make_scheduler("twice:reachability", seed=1)


def test_state_that_survives() -> None:
    # From the fifth execution on, of which two are rehearsals, the second thread does something else.
    executions: list[int] = []

    def scenario() -> None:
        box = counted.Box()
        executions.append(1)

        def work() -> None:
            box.n += 1
            if len(executions) < 5:
                box.n += 1

        counted.side_by_side(work, work)

    result = raddle.explore(scenario, scheduler="reachability", until="exhausted", source=[__file__])
    (finding,) = result.findings
    assert finding.kind == "divergence"
    assert "a schedule run twice differed at operation" in finding.message


def test_an_execution_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reachability, "MAX_OPERATIONS", 8)  # of 10 operations: four in each thread, two joins
    result = visited(counted.increments(2))
    assert result.stopped_because == "exhausted-within-bound"
    assert result.notes == ("every schedule within the bound on 8 operations per execution was run; there are others",)


# -- what is covered -------------------------------------------------------------------------------------------


def covered_by(scenario: Callable[[], object], search: object) -> dict[str, set[object]]:
    measurement = Measurement(make_criteria(list(NAMES)))
    selection = Selection(sources=SOURCE)
    with Session(scenario, Threads(selection, blocks=True).install(), measuring=True) as session:
        session.rehearse()
        session.rehearse()
        session.prepare(search)  # type: ignore[arg-type]
        number = 1
        while search.begin(number, session.known_points.version):  # type: ignore[attr-defined]
            execution = session.run_for(search)  # type: ignore[arg-type]
            assert execution.observed is not None
            measurement.early = session.model().early
            measurement.add(*execution.observed)
            number += 1
    return {name: set(keys) for name, keys in measurement.tally().covered.items()}


MEASURED = [
    counted.increments(1), counted.locked_increments(2), counted.two_producers,
    counted.handed_over(2, 0), counted.crossed_locks, counted.condition, counted.main_works_too,
    counted.guarded_by_semaphore(2), reachable_memory.store_buffering, reachable_waiting.set_by_two,
    reachable_locks.released_by_another, reachable_memory.looked_into,
]  # fmt: skip


@pytest.mark.parametrize("scenario", MEASURED)
def test_totals_are_exact(scenario: Callable[[], object]) -> None:
    """Each partial order covers what is covered at all, by criteria that say so; every interleaving by the others."""
    every = covered_by(scenario, partial_orders.BruteForce())
    by_order = covered_by(scenario, Reachability())
    finer = Reachability()
    finer.require_all_interleavings()
    by_all = covered_by(scenario, finer)
    assert finer.every_interleaving
    assert by_all == every
    for name in NAMES:
        if criterion_class(name).by_order:
            assert by_order[name] == every[name]


def test_one_partial_order_is_not_enough_for_all() -> None:
    # x += 1 twice: both read first, in two orders that are one partial order. SVAR tells them apart.
    by_order = covered_by(counted.increments(1), Reachability())
    every = covered_by(counted.increments(1), partial_orders.BruteForce())
    assert by_order["svar"] < every["svar"]


def test_what_explore_says_of_totals() -> None:
    result = visited(counted.increments(2), criteria=["map", "def-use"])
    assert result.executions == 34
    assert {row["total_kind"] for row in result.criteria.values()} == {"exact"}
    result = visited(counted.increments(2), criteria=["map", "svar"])
    # Each partial order, then each interleaving: of four and four steps, and where the first join comes among those of
    # the second thread once the first has ended.
    assert result.executions == 34 + finest_interleavings(counted.increments(2))
    assert {row["total_kind"] for row in result.criteria.values()} == {"exact"}
    assert result.notes == ()


def test_totals_that_are_not_exact() -> None:
    # 34 partial orders, and 6 more executions: every failure was seen, but not every interleaving.
    result = visited(counted.increments(2), criteria=["map", "svar"], executions=40, until="budget")
    assert (result.executions, result.stopped_because) == (40, "exhausted")
    assert result.criteria["map"]["total_kind"] == "exact"
    assert result.criteria["svar"]["total_kind"] != "exact"
    assert result.notes == (
        "every partial order was run, but not every interleaving: those of one partial order can differ in svar, "
        "whose totals are not exact",
    )


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_what_was_never_covered_is_infeasible(scheduler: str) -> None:
    # Two threads add to one variable under a lock: nobody can write between the other's read and its write. By the
    # static model, which knows no locks, that is a requirement.
    result = visited(counted.locked_increments(1), criteria=["map"], scheduler=scheduler)
    assert result.record is not None
    contents = contents_of(result.record)
    (row,) = rows(contents)
    found = missing(contents, row)
    assert found.gaps == ()
    assert found.remarks[0] == "nothing is missing from map: the search was exhausted"
    assert found.remarks[1].startswith("infeasible: ")
    assert found.remarks[1].endswith(" of the static model that no execution of the scenario can cover")
    assert all(line.startswith("  ") for line in found.remarks[2:])
    assert len(found.remarks) > 2


@pytest.mark.parametrize("scenario", [counted.two_producers, counted.guarded_by_semaphore(2)])
@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_both_cover_the_same(scenario: Callable[[], object], scheduler: str) -> None:
    """Also by criteria that see when a permit is given back, which is a step of its own then."""
    result = visited(scenario, criteria=list(NAMES), scheduler=scheduler)
    every = covered_by(scenario, partial_orders.BruteForce())
    assert {name: set(keys) for name, keys in result.tally.covered.items()} == every
    assert {row["total_kind"] for row in result.criteria.values()} == {"exact"}
