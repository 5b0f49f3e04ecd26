"""Guided searches, and the portfolio, which alternates between schedulers."""

from __future__ import annotations

import threading

import pytest

import raddle
from raddle.errors import UsageError
from raddle.guide.portfolio import TURNS, portfolio
from raddle.schedulers.partial_order_sampling import PartialOrderSampling


class Box:
    def __init__(self):
        self.a = self.b = self.n = 0
        self.ready = False


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def half_written(writers):
    """Fails only if, when the last thread reads, a writer has written `a` and no writer has written `b`."""
    box = Box()

    def write():
        box.a = 1
        box.b = 1

    def look():
        assert box.a == box.b

    side_by_side(*[write] * writers, look)


def late_tail():
    """An easy race, followed by many irrelevant steps."""
    box = Box()
    made = []

    def work():
        if not box.ready:
            made.append(1)
            box.ready = True
        for _ in range(20):
            box.n += 1

    side_by_side(work, work)
    assert len(made) == 1


def needle():
    """Fails if the short thread runs last, which is rare because the other thread takes many more steps."""
    box = Box()

    def long():
        for _ in range(200):
            box.n += 1
        box.ready = True

    def short():
        assert not box.ready
        box.n += 1

    side_by_side(short, long)


def first_finding(scenario, **options):
    result = raddle.explore(scenario, source=[__file__], until="first-finding", shrink=False, executions=200, **options)
    return result.findings[0].execution if result.findings else None


def test_every_other_execution_equals_one_of_pos_alone():
    assert TURNS[::2] == ("pos",) * (len(TURNS) // 2)
    mixed, alone = portfolio(["map"], seed=3), PartialOrderSampling(3)
    for number in range(1, 41):
        mixed.begin(number, 0)
        if mixed.turn == "pos":
            alone.begin((number + 1) // 2, 0)
            assert mixed._member._state == alone._state


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize(
    "scenario", [lambda: half_written(30), late_tail, needle], ids=["half written", "late tail", "needle"]
)
def test_rare_failures_are_found_within_twenty_executions(scenario, seed):
    found = first_finding(scenario, seed=seed)
    assert found is not None
    assert found <= 20


def test_a_random_walk_does_not_find_the_needle():
    """If a random walk found the failure, the scenario would be too easy for the test above."""
    assert first_finding(needle, scheduler="random") is None


def test_executions_coverage_and_findings_are_attributed_to_schedulers():
    result = raddle.explore(late_tail, source=[__file__], executions=60, until="budget")
    shares = result.as_json()["schedulers"]
    assert sum(share["executions"] for share in shares.values()) == 60
    assert shares["pos"]["executions"] == 30
    assert sum(share["covered"] for share in shares.values()) == sum(map(len, result.tally.covered.values()))
    assert sum(share["found"] for share in shares.values()) == len(result.findings) == 1


def test_a_search_stops_when_saturated_or_covered():
    def scenario():
        box = Box()

        def write():
            box.a += 1

        side_by_side(write, write)

    saturated = raddle.explore(scenario, source=[__file__], until="saturated")
    assert saturated.stopped_because == "saturated"
    assert saturated.executions >= 200
    assert saturated.chance_of_new == 0
    assert "reachability" not in saturated.shares
    covered = raddle.explore(scenario, source=[__file__], criteria="sync", until="covered", scheduler="pos")
    assert covered.stopped_because == "covered"


def test_invalid_options_are_rejected():
    with pytest.raises(UsageError, match="has no option 'depth=3'"):
        raddle.explore(late_tail, scheduler="portfolio:depth=3")
    with pytest.raises(UsageError, match="requires criteria"):
        raddle.explore(late_tail, scheduler="random", until="saturated")
    with pytest.raises(UsageError, match="needs at least one criterion to target"):
        raddle.explore(late_tail, scheduler="directed", criteria="none")
    with pytest.raises(UsageError, match="can run all schedules"):
        raddle.explore(late_tail, until="exhausted")


def test_the_same_seed_gives_the_same_search():
    first, second = (
        raddle.explore(late_tail, source=[__file__], executions=40, until="budget", seed=5) for _ in range(2)
    )
    assert first.tally == second.tally
    assert first.shares == second.shares
    assert [str(f.schedule) for f in first.findings] == [str(f.schedule) for f in second.findings]
