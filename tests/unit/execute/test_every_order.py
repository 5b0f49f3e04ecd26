"""A failure that does not depend on the order of the threads is not reported as a race."""

from __future__ import annotations

import json
import threading

import pytest

import raddle
from raddle.every_order import EveryOrder
from raddle.finding import THIS_INTERPRETER
from raddle.outcome import Outcome
from raddle.report.story import headline
from raddle.result import Result


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Counter:
    def __init__(self):
        self.n = 0

    def add(self):
        self.n += 1

    def add_often(self):
        for _ in range(6):
            self.n += 1


def explored(scenario, **options):
    result = raddle.explore(scenario, source=[__file__], seed=1, **options)
    (finding,) = result.findings
    return finding


def miscounted():
    items = []
    side_by_side(lambda: items.append(1), lambda: items.append(2))
    assert len(items) == 3


def test_a_failure_in_all_partial_orders_is_not_called_a_race():
    """The two appends can happen in two orders."""
    finding = explored(miscounted)
    assert finding.every_order == EveryOrder(tried=2, serial=finding.every_order.serial, complete=True)
    assert "not a race: it fails in both partial orders" in headline(finding)
    assert finding.possible_on == THIS_INTERPRETER


@pytest.mark.parametrize("options", [{"until": "first-finding"}, {"until": "budget", "executions": 20}])
def test_if_there_are_too_many_orders_the_headline_gives_the_number_tried(options):
    """Three threads with twelve steps each can interleave in more orders than the search can run."""

    def scenario():
        counter = Counter()
        side_by_side(*[counter.add_often] * 3)
        assert counter.n < 0

    every = explored(scenario, **options).every_order
    assert not every.complete
    assert every.tried > every.serial > 1
    assert str(every).startswith(f"not a race: it failed in all {every.tried} executions, ")


def test_a_failure_without_other_threads_is_not_called_a_race():
    def scenario():
        assert Counter().n == 1

    finding = explored(scenario)
    assert finding.every_order.alone
    assert "not a race: it fails without any other thread" in headline(finding)


def raises():
    raise KeyError("x")


def waits_for_itself():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@pytest.mark.parametrize(("body", "kind"), [(raises, "exception"), (waits_for_itself, "deadlock")])
def test_exceptions_and_deadlocks_can_also_happen_in_every_order(body, kind):
    finding = explored(lambda: side_by_side(body))
    assert (finding.kind, finding.every_order.complete) == (kind, True)


def lost_update():
    counter = Counter()
    side_by_side(counter.add, counter.add)
    assert counter.n == 2


def one_order_passes():
    """Pass only if the second thread appends first. The rehearsal fails, because it runs the first thread first."""
    items = []
    side_by_side(lambda: items.append(1), lambda: items.append(2))
    assert items == [2, 1]


def fails_in_two_ways():
    items = []
    side_by_side(lambda: items.append(1), lambda: items.append(2))
    assert items == [2, 1]
    raise ValueError


@pytest.mark.parametrize("scenario", [lost_update, one_order_passes, fails_in_two_ways])
@pytest.mark.parametrize("until", ["first-finding", "budget"])
def test_a_failure_in_only_some_orders_may_still_be_a_race(scenario, until):
    result = raddle.explore(scenario, source=[__file__], seed=1, until=until, executions=30)
    assert result.findings
    assert all(finding.every_order is None for finding in result.findings)
    assert not any("not a race" in headline(finding) for finding in result.findings)


def test_the_verdict_survives_a_json_round_trip():
    every = EveryOrder(tried=4, serial=3)
    assert EveryOrder.from_json(json.loads(json.dumps(every.as_json()))) == every
    assert EveryOrder.from_json(None) is None


def test_unknown_outcomes_and_stop_reasons_are_rejected():
    with pytest.raises(ValueError, match="'eclipse'"):
        Outcome("eclipse")
    with pytest.raises(ValueError, match="'bored'"):
        Result("passed", (), 1, 1, 0.1, "bored", 1)
