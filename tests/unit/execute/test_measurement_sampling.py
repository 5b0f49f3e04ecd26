"""Once coverage is saturated, a search for failures measures only a sample of its executions."""

from __future__ import annotations

import threading

import pytest

import raddle
from raddle.distribute.references import NamedFunction
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.exploring.measure_sampling import BLOCK, BLOCKS_PER_MEASURED
from raddle.exploring.units import Known, SearchPlan, Unit, run_unit
from raddle.instrument import Selection


class Account:
    def __init__(self):
        self.balance = 0
        self.owner = ""

    def deposit(self):
        self.balance = self.balance + 1


def run(*works):
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    account = Account()
    run(account.deposit, account.deposit)


def explored(scenario=scenario, **options):
    options = {"source": [__file__], "seed": 1, "until": "first-finding", "executions": 1_000, **options}
    options.setdefault("scheduler", "directed")  # a search with the portfolio would be exhausted
    return raddle.explore(scenario, **options)


def test_a_sample_is_measured_once_coverage_is_saturated():
    result = explored()
    assert result.tally.executions + result.left_out == result.executions == 1_000
    saturated = 1_000 - result.left_out * BLOCKS_PER_MEASURED / (BLOCKS_PER_MEASURED - 1)
    assert 200 <= saturated <= 400  # 200 executions without new coverage, plus the executions before them
    measured = f"{result.tally.executions} of 1,000 in all"
    assert (
        f"once coverage was saturated, one in {BLOCKS_PER_MEASURED} executions was measured: {measured}" in result.notes
    )
    assert result.as_json()["executions_not_measured"] == result.left_out


@pytest.mark.parametrize(
    "options",
    [
        {"criteria": "default"},
        {"until": "budget"},
        {"until": "budget", "workers": 1},
        {"until": "covered", "workers": 1},
        {"until": "saturated"},
        {"until": "covered"},
        {"executions": 150},
    ],
)
def test_all_executions_are_measured_if_coverage_is_requested_or_not_saturated(options):
    result = explored(**options)
    assert result.left_out == 0
    assert result.tally.executions == result.executions
    assert not any("measured" in note for note in result.notes)


def test_all_executions_are_measured_if_a_data_file_stores_the_coverage(tmp_path):
    result = explored(data_file=tmp_path / "kept.raddle")
    assert (result.left_out, result.tally.executions) == (0, 1_000)


def test_there_is_no_note_on_sampling_if_nothing_is_measured():
    result = explored(scheduler="random")
    assert (result.left_out, result.notes) == (0, ())


def test_sampling_does_not_change_the_coverage():
    assert explored().tally.counts() == explored(criteria="default").tally.counts()


def test_a_failure_in_an_unmeasured_execution_is_found():
    executions = 0

    def scenario():
        nonlocal executions
        executions += 1
        account = Account()
        run(account.deposit, account.deposit)
        assert executions < 700, "too many"

    result = explored(scenario, shrink=False)
    assert [finding.message.splitlines()[0] for finding in result.findings] == ["AssertionError: too many"]
    assert result.left_out > 0


def test_new_coverage_makes_the_search_measure_all_executions_again():
    """Sampling resumes when coverage is saturated again."""
    executions = 0

    def rename(account):
        account.owner = account.owner + "x"

    def scenario():
        nonlocal executions
        executions += 1
        account = Account()
        work = account.deposit if executions < 600 else lambda: rename(account)
        run(work, work)

    result = explored(scenario, executions=1_200)
    assert max(seen.first for keys in result.tally.covered.values() for seen in keys.values()) > 200
    sampled_until_then = (600 - 200) * (BLOCKS_PER_MEASURED - 1) // BLOCKS_PER_MEASURED + BLOCK * BLOCKS_PER_MEASURED
    assert result.left_out < sampled_until_then + 2 * BLOCK * BLOCKS_PER_MEASURED


def test_the_sample_does_not_depend_on_the_number_of_workers():
    one, two = (explored(workers=workers, scheduler="portfolio") for workers in (1, 2))
    assert one.left_out == two.left_out > 0
    assert one.tally == two.tally
    assert one.shares == two.shares
    assert sum(share["covered"] for share in one.shares.values()) == sum(one.tally.counts().values())


def test_executions_with_a_target_are_measured_although_coverage_is_saturated(monkeypatch):
    """A unit that begins after coverage has become saturated may still have targets: orders not covered so far."""
    everything = explored(criteria="map", until="budget").tally.covered["map"]
    ran = []
    real = Session.run_for

    def run_for(session, scheduler, *, measured=True):
        ran.append((bool(scheduler._members["directed"]._legs), measured))
        return real(session, scheduler, measured=measured)

    monkeypatch.setattr(Session, "run_for", run_for)
    plan = SearchPlan(
        NamedFunction(__name__, "scenario"),
        None,
        Threads(Selection(sources=(__file__,))),
        {"measuring": True},
        scheduler="directed",
        seed=1,
        criteria=("map",),
        until="first-finding",
        measure_all=False,
    )
    known = Known(covered={"map": frozenset(everything)})
    run_unit(Unit(plan, before=18, executions=100, known=known, rehearsed=True, saturated=True))
    assert (True, True) in ran
    assert (False, False) in ran
    assert (True, False) not in ran
