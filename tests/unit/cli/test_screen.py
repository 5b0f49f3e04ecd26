"""What is said after an exploration."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console

import raddle
from raddle.cli.screen import show_coverage, told_shares, why
from raddle.result import Result
from raddle.store.contents import Contents, Run


def result(reason="executions", **more):
    return Result("passed", (), 4, 9, 0.1, reason, 1, **more)


def counted(covered, total, kind):
    return {"covered": covered, "total": total, "total_kind": kind}


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        ({"map": counted(8, 8, "pruned")}, "everything known to be possible is covered"),
        ({"sync": counted(5, 5, "estimated")}, "of sync as much is covered as is estimated to be possible"),
        ({"sync": counted(5, None, "unknown")}, "nothing new of sync came for long, and nothing else can be named"),
        (
            {"map": counted(8, 8, "static"), "sync": counted(5, 6, "estimated")},
            "everything that can be named is covered, and nothing new of sync came for long",
        ),
    ],
)
def test_everything_is_only_said_of_what_is_known(criteria, said):
    assert why(result("covered", criteria=criteria)) == said


def test_one_is_one():
    aims = {"aimed": 1, "plans": 1, "covered": 0, "given_up": 1, "given_up_requirements": ["not covered yet: it"]}
    assert told_shares(result(aims=aims)) == [
        "  aimed at 1 requirement in 1 execution: 0 covered, 1 given up after 3 tries",
        "    given up: not covered yet: it",
    ]


def test_three_of_those_given_up_are_told():
    given_up = [f"not covered yet: {number}" for number in range(50)]
    aims = {"aimed": 90, "plans": 99, "covered": 20, "given_up": 70, "given_up_requirements": given_up}
    _, *told, more = told_shares(result(aims=aims))
    assert [line.split()[-1] for line in told] == ["0", "1", "2"]
    assert more == "    ... and 67 more"


@pytest.mark.parametrize("reason", ["exhausted", "exhausted-within-bound", "exhausted-in-part"])
def test_there_is_no_next_execution_after_the_last(reason):
    assert told_shares(result(chance_of_new=0.0))
    assert told_shares(result(reason, chance_of_new=0.0)) == []


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
def test_a_bound_is_said_by_its_name(scheduler):
    assert (
        "every schedule within the bound on preemptions was run; there are others"
        in explored(scheduler=scheduler).notes
    )


def test_interleavings_besides_partial_orders_are_told():
    # Two threads, each of which reads and then writes: both reads can come before both writes, whichever of these is
    # first, or one thread comes after the other: four partial orders. That map needs no more, svar does.
    plainly = explored(scheduler="reachability", criteria="map")
    assert plainly.orders == {"partial_orders": 4, "interleavings": 0}
    assert why(plainly) == "exhausted: no failure exists for this scenario within these bounds"
    finely = explored(scheduler="reachability", criteria="map,svar")
    more = finely.executions - 4
    assert more > 4
    besides = f"(4 partial orders, and {more} interleavings besides for the criteria that tell them apart)"
    assert why(finely).endswith(f"within these bounds {besides}")
    assert finely.as_json()["orders"] == {"partial_orders": 4, "interleavings": more}


def test_that_no_two_threads_met_is_said():
    out = io.StringIO()
    alone = Run("a", "run app.py", "native", 1, 0, "", frozenset({"sync"}))
    show_coverage(Console(file=out, width=200), Contents(runs=(alone,)), ".raddle")
    assert (
        "nothing to cover: in 1 execution no two threads met; there were none, or nothing that they share"
        in out.getvalue()
    )


def test_of_no_execution_it_is_not_said_that_threads_did_not_meet():
    out = io.StringIO()
    screen = Console(file=out, width=200)
    unmeasured = Run("a", "app.py::scenario", "controlled", 0, 0, "", frozenset({"map", "sync"}))
    show_coverage(screen, Contents(runs=(unmeasured,)), ".raddle")
    assert "nothing was covered: no execution was measured" in out.getvalue()
    assert "no two threads met" not in out.getvalue()
    assert "nothing to cover" not in out.getvalue()  # nobody knows
    assert "the findings tell why" not in out.getvalue()  # there are none
    endless = {"kind": "step-limit", "message": "the execution did not end", "thread": "T1"}
    show_coverage(screen, Contents(runs=(unmeasured,), findings=(endless,)), ".raddle")
    assert "nothing was covered: no execution was measured; the findings tell why" in out.getvalue()


@pytest.mark.parametrize("chance", [None, 0.0, 0.49])
def test_a_search_that_expects_little_is_saturated(chance):
    assert why(result("saturated", chance_of_new=chance)) == "saturated: nothing new came for long"


def test_a_search_that_expects_more_is_not_called_saturated():
    # 2 of 400 executions covered what no other did: about five more in 1,000, and 1 - exp(-5) is 99 %.
    expecting = result("saturated", chance_of_new=0.99)
    assert why(expecting) == "stopped, as nothing new came for long, but more is likely to come"
    assert told_shares(expecting) == ["about 99 % chance that the next 1,000 executions cover anything new"]
    assert expecting.as_json()["stopped_because"] == "saturated"
