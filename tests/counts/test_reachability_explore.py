"""Reachability testing through `raddle.explore`: findings, replayable schedules, child processes, criteria."""

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
from raddle.criteria import THREADS as NAMES
from raddle.criteria import criterion_class, make_criteria
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
    (reachable_waiting.notified_too_early, "lost-wakeup"),
    (reachable_locks.three_at_the_table, "deadlock"),
]


def visited(scenario: Callable[[], object], **options: object) -> raddle.Result:
    return raddle.explore(
        scenario,
        **{"scheduler": "reachability", "until": "exhausted", "source": SOURCE, **options},  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(("scenario", "kind"), FAILING)
@pytest.mark.parametrize("shrink", [True, False])
def test_findings_can_be_replayed(scenario: Callable[[], None], kind: str, shrink: bool) -> None:
    result = visited(scenario, shrink=shrink)
    (finding,) = result.findings
    assert finding.kind == kind
    assert result.notes == ()
    # The replay uses a new session, in which a join or a release is a scheduling point only if a thread can observe it.
    replayed = raddle.replay(scenario, str(finding.schedule), source=SOURCE)
    assert replayed is not None
    assert replayed.message == finding.message
    orders = result.orders["partial_orders"]
    assert stop_text(result) == f"exhausted: {'both' if orders == 2 else f'all {orders}'} distinct orders tried"


def test_the_search_stops_at_the_first_finding() -> None:
    # In the first execution, one thread takes both locks before the other takes any. The second execution reverses a
    # race and deadlocks.
    result = visited(counted.crossed_locks, until="first-finding")
    assert result.stopped_because == "first-finding"
    assert result.executions < 3


def test_an_exhausted_search_without_findings_says_that_no_failure_is_possible() -> None:
    result = visited(counted.locked_increments(2))
    assert (result.executions, result.findings) == (6, ())
    assert stop_text(result) == "exhausted: all 6 distinct orders tried; no failure is possible within raddle's limits"


def test_the_search_stops_if_the_budget_is_spent_first() -> None:
    result = visited(counted.increments(2), until="budget", executions=33)
    assert (result.executions, result.stopped_because) == (33, "executions")
    assert stop_text(result) == "stopped: execution limit reached"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize("criteria", [(), "map"])
def test_isolated_executions_have_the_same_number_of_partial_orders(criteria: object) -> None:
    result = visited(counted.increments(1), isolate="fork", criteria=criteria)
    assert (result.executions, result.stopped_because) == (4, "exhausted")


def test_the_gil_switch_model_runs_every_interleaving() -> None:
    # Between scheduling points a thread may do anything, so no steps commute and every interleaving is run. Each thread
    # has three steps: the acquire, the read and write without a switch, and the release. If T1 runs first, the main
    # thread can join T1 before, between or after the three steps of T2, which gives 4 orders. If T2 runs first, both
    # joins come last.
    result = visited(counted.locked_increments(1), switches="gil")
    assert (result.executions, result.stopped_because, result.findings) == (4 + 1, "exhausted", ())
    # With the GIL an increment cannot be interrupted. Either T1 runs first, with the join before or after T2's step, or
    # T2 runs first.
    result = visited(counted.increments(1), switches="gil")
    assert (result.executions, result.stopped_because, result.findings) == (2 + 1, "exhausted", ())


def finest_interleavings(scenario: Callable[[], object]) -> int:
    with partial_orders.prepared(scenario, selection=Selection(sources=SOURCE)) as session:
        found = partial_orders.explore(session, partial_orders.BruteForce())
    return sum(found.orders.values())


def test_reachability_cannot_be_combined_with_twice() -> None:
    with pytest.raises(UsageError, match="'twice' cannot repeat the executions of 'reachability'"):
        make_scheduler("twice:reachability", seed=1)


def test_state_that_survives_an_execution_is_reported_as_a_divergence() -> None:
    # From the fifth execution on (the two rehearsals count too), the threads take fewer steps.
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
    assert "two executions with the same schedule differ at operation" in finding.message


def test_an_execution_with_too_many_operations_makes_the_search_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        reachability, "MAX_OPERATIONS", 8
    )  # the execution has 10 operations: four in each thread and two joins
    result = visited(counted.increments(2))
    assert result.stopped_because == "exhausted-within-bound"
    assert result.notes == (
        "every schedule within the bound on operations per execution (8) was run; other schedules exist",
    )


# -- coverage --------------------------------------------------------------------------------------------------


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
    reachable_locks.released_by_another, reachable_memory.copied_list,
]  # fmt: skip


@pytest.mark.parametrize("scenario", MEASURED)
def test_an_exhausted_search_covers_everything_that_can_be_covered(scenario: Callable[[], object]) -> None:
    """One execution per partial order is enough for criteria whose `by_order` is true.

    Other criteria need every interleaving.
    """
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


def test_some_criteria_distinguish_interleavings_of_one_partial_order() -> None:
    # Two threads execute `x += 1`. If both read first, the two orders of the reads belong to the same partial order,
    # but `svar` distinguishes them.
    by_order = covered_by(counted.increments(1), Reachability())
    every = covered_by(counted.increments(1), partial_orders.BruteForce())
    assert by_order["svar"] < every["svar"]


def test_an_exhausted_search_has_exact_totals() -> None:
    result = visited(counted.increments(2), criteria=["map", "def-use"])
    assert result.executions == 34
    assert {row["total_kind"] for row in result.criteria.values()} == {"exact"}
    result = visited(counted.increments(2), criteria=["map", "svar"])
    # The search runs each partial order, then each interleaving. Each thread has four steps, and the join of T1 can
    # come anywhere among T2's steps once T1 has ended.
    assert result.executions == 34 + finest_interleavings(counted.increments(2))
    assert {row["total_kind"] for row in result.criteria.values()} == {"exact"}
    assert result.notes == ()


def test_totals_are_not_exact_if_the_budget_ends_before_every_interleaving_was_run() -> None:
    # 40 executions are enough to run the 34 partial orders and thus to find every failure, but not to run every
    # interleaving.
    result = visited(counted.increments(2), criteria=["map", "svar"], executions=40, until="budget")
    assert (result.executions, result.stopped_because) == (40, "exhausted")
    assert result.criteria["map"]["total_kind"] == "exact"
    assert result.criteria["svar"]["total_kind"] != "exact"
    assert result.notes == (
        "every partial order was run, but not every interleaving. Interleavings of the same partial order can "
        "cover different requirements of some criteria, so the totals of these criteria are not exact: svar",
    )


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_requirements_not_covered_by_an_exhausted_search_are_infeasible(scheduler: str) -> None:
    # Two threads increment one variable under a lock, so neither can write between the other's read and write. The
    # static model ignores locks, so it contains a requirement for such a write.
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
def test_both_complete_searches_cover_the_same_requirements(scenario: Callable[[], object], scheduler: str) -> None:
    """Some of the criteria observe the release of a permit, which makes the release a separate step."""
    result = visited(scenario, criteria=list(NAMES), scheduler=scheduler)
    every = covered_by(scenario, partial_orders.BruteForce())
    assert {name: set(keys) for name, keys in result.tally.covered.items()} == every
    assert {row["total_kind"] for row in result.criteria.values()} == {"exact"}
