"""The sentence that says why a search stopped."""

from __future__ import annotations

import threading

import pytest

import raddle
from raddle.record import Record
from raddle.report.stop_text import orders_line, stop_text
from raddle.result import Result
from raddle.stop_reason import StopReason
from raddle.tally import Tally


def result(reason="executions", **more):
    return Result("passed", (), 400, 9, 0.1, reason, 1, **more)


def counted(covered, total, kind, since_new=250):
    return {"covered": covered, "total": total, "total_kind": kind, "since_new": since_new}


@pytest.mark.parametrize(
    ("criteria", "text"),
    [
        ({"map": counted(8, 8, "pruned")}, "covered: every requirement known to be possible"),
        ({"sync": counted(5, 5, "estimated")}, "covered: sync up to its estimated total"),
        (
            {"sync": counted(5, None, "unknown")},
            "stopped: no new coverage of sync in the last 250 executions; its exact total is unknown",
        ),
        (
            {"map": counted(8, 8, "static"), "sync": counted(5, 6, "estimated")},
            "covered: every requirement known to be possible; no new coverage of sync in the last 250 executions; "
            "its exact total is unknown",
        ),
        (
            # Coverage of `sync` last grew 300 executions ago, and coverage of `svar` 250 executions ago.
            {"sync": counted(5, 6, "estimated", 300), "svar": counted(5, 6, "estimated", 250)},
            "stopped: no new coverage of sync, svar in the last 250 executions; their exact totals are unknown",
        ),
    ],
)
def test_the_covered_sentence_claims_only_known_totals(criteria, text):
    assert stop_text(result("covered", criteria=criteria)) == text


def saturated(chance):
    # Execution 3 of 400 is the last one to cover anything new, and 397 follow it.
    tally = Tally()
    for number in range(1, 401):
        tally.add(number, "sync", [("a",)] if number < 3 else [("a",), ("b",)])
    return result("saturated", record=Record(tally=tally), chance_of_new=chance)


@pytest.mark.parametrize("chance", [None, 0.0, 0.49])
def test_a_search_is_called_saturated_if_new_coverage_is_unlikely(chance):
    assert stop_text(saturated(chance)) == "saturated: no new coverage in the last 397 executions"


def test_a_search_is_not_called_saturated_if_new_coverage_is_likely():
    still_growing = saturated(0.99)
    expected = "stopped: no new coverage in the last 397 executions, but more coverage is likely"
    assert stop_text(still_growing) == expected
    assert still_growing.as_json()["stopped_because"] == "saturated"


@pytest.mark.parametrize("reason", list(StopReason))
def test_every_reason_has_a_text(reason):
    assert len(stop_text(result(reason))) > 10


class Box:
    def __init__(self):
        self.n = 0

    def add(self):
        self.n += 1


def scenario():
    box = Box()
    threads = [threading.Thread(target=box.add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def explored(**options):
    return raddle.explore(scenario, source=[__file__], until="exhausted", **options)


@pytest.mark.parametrize("scheduler", ["deepening:preemptions=0", "exhaustive:preemptions=0"])
def test_a_bounded_search_says_so_in_a_note(scheduler):
    bounded = explored(scheduler=scheduler)
    assert "every schedule within the bound on preemptions was run; other schedules exist" in bounded.notes
    assert stop_text(bounded) == "exhausted within the bound: every schedule within it was run"


def test_an_exhaustive_search_says_that_every_schedule_was_run():
    assert stop_text(explored(scheduler="exhaustive")) == (
        "exhausted: every schedule tried; no failure is possible within raddle's limits"
    )


def test_partial_orders_and_other_interleavings_are_counted():
    # Each of the two threads reads and then writes. If both reads precede both writes, the writes can come in two
    # orders. Otherwise, one thread runs after the other, again in two orders. The criterion `map` needs no further
    # interleavings, but `svar` also distinguishes interleavings within a partial order.
    coarse = explored(scheduler="reachability", criteria="map")
    assert coarse.orders == {"partial_orders": 4, "interleavings": 0}
    assert stop_text(coarse) == "exhausted: all 4 distinct orders tried; no failure is possible within raddle's limits"
    fine = explored(scheduler="reachability", criteria="map,svar")
    more = fine.executions - 4
    assert more > 4
    assert stop_text(fine) == stop_text(coarse)
    assert (
        orders_line(fine.orders) == f"4 partial orders, plus {more} interleavings that only some criteria distinguish"
    )
    assert fine.as_json()["orders"] == {"partial_orders": 4, "interleavings": more}
