"""Once coverage is saturated, a search for failures that goes on measures a sample of its executions."""

from __future__ import annotations

import threading

import pytest

import raddle
from raddle.execute.attention import ONE_IN, ROW


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


def explored(what=scenario, **options):
    options = {"source": [__file__], "seed": 1, "until": "first-finding", "executions": 1_000, **options}
    options.setdefault("scheduler", "directed")  # the portfolio would come to the end of what there is
    return raddle.explore(what, **options)


def test_a_sample_is_measured():
    result = explored()
    assert result.tally.executions + result.left_out == result.executions == 1_000
    saturated = 1_000 - result.left_out * ONE_IN / (ONE_IN - 1)
    assert 200 <= saturated <= 400  # it takes 200 to be called so, and some to find what there is
    measured = f"{result.tally.executions} of 1,000 in all"
    assert f"once coverage was saturated, one in {ONE_IN} executions was measured: {measured}" in result.notes
    assert result.as_json()["executions_not_measured"] == result.left_out


@pytest.mark.parametrize(
    "options",
    [
        {"criteria": "default"},
        {"until": "budget"},
        {"until": "saturated"},
        {"until": "covered"},
        {"executions": 150},
    ],
)
def test_all_are_measured_where_coverage_is_asked_for_or_not_saturated(options):
    result = explored(**options)
    assert result.left_out == 0
    assert result.tally.executions == result.executions
    assert not any("measured" in note for note in result.notes)


def test_nothing_is_said_where_nothing_is_measured():
    result = explored(scheduler="random")
    assert (result.left_out, result.notes) == (0, ())


def test_what_is_covered_is_the_same():
    assert explored().tally.counts() == explored(criteria="default").tally.counts()


def test_a_failure_in_an_execution_that_is_not_measured_is_found():
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


def test_something_new_makes_it_measure_all_again():
    """Until as many executions again brought nothing new."""
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
    sampled_until_then = (600 - 200) * (ONE_IN - 1) // ONE_IN + ROW * ONE_IN
    assert result.left_out < sampled_until_then + 2 * ROW * ONE_IN


def test_workers_leave_out_the_same():
    one, two = (explored(workers=workers, scheduler="portfolio") for workers in (1, 2))
    assert one.left_out == two.left_out > 0
    assert one.tally == two.tally
    assert one.shares == two.shares
    assert sum(share["covered"] for share in one.shares.values()) == sum(one.tally.counts().values())
