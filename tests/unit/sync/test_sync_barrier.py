"""Barriers: what CPython's own tests leave out."""

from __future__ import annotations

import threading
import time

import pytest
from controlled import controlled, controlled_often, outcome_of, said

CALLS = {
    "one party": lambda: threading.Barrier(1).wait(),
    "broken": lambda: (lambda b: (b.abort(), b.wait()))(threading.Barrier(1)),
    "mended": lambda: (lambda b: (b.abort(), b.reset(), b.wait(), b.broken))(threading.Barrier(1)),
    "nobody comes": lambda: threading.Barrier(2).wait(0.001),
    "nobody comes by default": lambda: threading.Barrier(2, timeout=0.001).wait(),
    "an action that fails": lambda: threading.Barrier(1, action=lambda: 1 // 0).wait(),
    "counts": lambda: (lambda b: (b.parties, b.n_waiting, b.broken))(threading.Barrier(3)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_says_what_the_real_one_says(call):
    assert controlled(lambda: said(call)) == said(call)


def _meet(barrier, heard, timeout=None):
    try:
        heard.append(barrier.wait(timeout))
    except threading.BrokenBarrierError:
        heard.append("broken")


def _start(count, *args):
    threads = [threading.Thread(target=_meet, args=args) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def _join(threads):
    for thread in threads:
        thread.join()


def test_each_gets_a_number_of_its_own_and_one_does_the_action():
    def scenario():
        acted, heard = [], []
        barrier = threading.Barrier(3, action=lambda: acted.append(barrier.n_waiting))
        _join(_start(3, barrier, heard))
        assert len(acted) == 1
        return sorted(heard)

    assert all(heard == [0, 1, 2] for heard in controlled_often(scenario))


def test_timeout_breaks_it_for_all_after_an_hour_that_takes_no_time():
    def scenario():
        heard, start = [], time.monotonic()
        barrier = threading.Barrier(3)
        _join(_start(2, barrier, heard, 3600))
        assert heard == ["broken"] * 2
        assert barrier.broken
        assert 3600 <= time.monotonic() - start < 3601

    controlled_often(scenario)


@pytest.mark.parametrize(("end", "broken"), [("abort", True), ("reset", False)])
def test_abort_and_reset_send_the_waiting_away(end, broken):
    def scenario():
        heard, barrier = [], threading.Barrier(3)
        threads = _start(2, barrier, heard)
        time.sleep(1)
        assert barrier.n_waiting == 2
        getattr(barrier, end)()
        _join(threads)
        assert heard == ["broken"] * 2
        assert barrier.n_waiting == 0
        return barrier.broken

    assert all(found is broken for found in controlled_often(scenario))


def test_a_failing_action_breaks_it_for_the_others():
    def scenario():
        heard = []
        barrier = threading.Barrier(2, action=lambda: 1 // 0)
        threads = _start(1, barrier, heard)
        time.sleep(1)
        with pytest.raises(ZeroDivisionError):
            barrier.wait()
        _join(threads)
        assert heard == ["broken"]

    controlled_often(scenario, seeds=range(5))


def test_one_party_too_few_is_a_deadlock():
    def scenario():
        barrier = threading.Barrier(3)
        threads = _start(2, barrier, [])
        _join(threads)

    assert outcome_of(scenario).kind == "deadlock"


def test_one_made_earlier_works_inside_and_outside():
    barrier = threading.Barrier(2)

    def meet():
        heard = []
        _join(_start(2, barrier, heard))
        return sorted(heard)

    assert meet() == [0, 1]
    assert all(heard == [0, 1] for heard in controlled_often(meet))
    assert meet() == [0, 1]
