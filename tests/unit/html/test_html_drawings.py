"""Arcs and curves."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from report_contents import FIRST, SECOND, A, B, contents

from raddle.report.html.arcs import MAX_NODES, Link, cyclic_links, draw
from raddle.report.html.curves import CHART, MAX_POINTS, Axes, chart, sparkline, stairs
from raddle.report.html.order import happens_before, lock_graph
from raddle.report.html.places import Places
from raddle.tally import Covered
from raddle.warning import POTENTIAL_DEADLOCK, ReportedWarning

NODES = st.sampled_from("abcde")


@given(st.sets(st.tuples(NODES, NODES)))
def test_circles_as_by_trying_all_ways(links):
    def reached(start):
        found, pending = set(), [start]
        while pending:
            here = pending.pop()
            fresh = {target for source, target in links if source == here} - found
            found |= fresh
            pending += fresh
        return found

    assert cyclic_links(links) == {(one, two) for one, two in links if one in reached(two)}


def test_arcs_lead_down_on_the_right_and_up_on_the_left():
    drawn = draw(["a", "b"], [Link("a", "b", "down"), Link("b", "a", "up")], {})
    down, up = drawn.arcs
    assert down.x > drawn.left > up.x


def test_what_is_in_circles_is_drawn_first():
    labels = [f"n{number:03}" for number in range(MAX_NODES + 10)]
    drawn = draw(labels, [Link(labels[-1], labels[-1], "round", circular=True), Link(labels[-2], labels[0], "no")], {})
    assert drawn.nodes[-1].label == labels[-1]
    assert (len(drawn.nodes), drawn.more_nodes, drawn.more_arcs) == (MAX_NODES, 10, 1)


def test_the_lock_graph_of_goodlock():
    some = contents()
    graph = lock_graph(some, Places(some))
    assert [(link.source, link.target, link.circular) for link in graph.links] == [
        ("Lock made at locks.py:1", "Lock made at locks.py:2", False)
    ]
    assert graph.measured


def test_a_circle_of_locks_is_marked():
    both = {(FIRST, SECOND, A, B): Covered(1, 1), (SECOND, FIRST, B, A): Covered(1, 1)}
    some = contents(covered={"goodlock": both})
    graph = lock_graph(some, Places(some))
    assert [link.circular for link in graph.links] == [True, True]
    assert all(node.circular for node in graph.diagram.nodes)


def test_locks_made_in_one_place_are_no_circle_unless_a_warning_says_so():
    some = contents(covered={"goodlock": {(FIRST, SECOND, A, A): Covered(1, 1)}})
    (link,) = lock_graph(some, Places(some)).links
    assert not link.circular
    lock = "the Lock made at locks.py:1"
    warning = ReportedWarning(POTENTIAL_DEADLOCK, f"{lock} -> {lock}", (FIRST, SECOND, FIRST, SECOND))
    (link,) = lock_graph(replace(some, warnings=(warning,)), Places(some)).links
    assert link.circular


def test_a_warning_of_a_deadlock_gives_arrows_where_goodlock_was_not_measured():
    locks = "the Lock made at locks.py:1 -> the Lock made at locks.py:2"
    some = contents()
    tally = replace(some.tally, covered={})
    runs = (replace(some.runs[0], criteria=frozenset({"map"})),)
    warning = ReportedWarning(POTENTIAL_DEADLOCK, locks, (FIRST, SECOND, SECOND, FIRST))
    graph = lock_graph(replace(some, tally=tally, runs=runs, warnings=(warning,)), Places(some))
    assert [link.circular for link in graph.links] == [True, True]
    assert not graph.measured
    assert "threads can deadlock" in graph.warnings[0]


def test_happens_before_marks_what_was_seen_both_ways():
    handed = {(FIRST, SECOND, A): Covered(1, 1), (SECOND, FIRST, A): Covered(1, 1), (FIRST, FIRST, ""): Covered(1, 1)}
    some = contents(covered={"hbpair": handed})
    links = happens_before(some, Places(some)).links
    assert [link.circular for link in links] == [True, True, True]
    one_way = contents(covered={"hbpair": {(FIRST, SECOND, A): Covered(1, 1)}})
    (link,) = happens_before(one_way, Places(one_way)).links
    assert link.sentence == (
        "locks.py:3 a happened before locks.py:4 b, ordered by the Lock made at locks.py:1; "
        "never observed in the opposite order"
    )


# -- curves ----------------------------------------------------------------------------------------------


def test_a_curve_stays_until_more_is_covered():
    # 100 x 100 pixels within the box: ten executions are 10 pixels each, four requirements 25.
    axes = Axes(CHART.__class__(100, 100, top=0, right=0), 10, 4)
    assert stairs([(2, 1), (5, 4)], axes) == "M 0.0 100.0 L 20.0 100.0 L 20.0 75.0 L 50.0 75.0 L 50.0 0.0 L 100.0 0.0"


def test_a_logarithmic_axis_begins_with_the_first_execution():
    axes = Axes(CHART.__class__(100, 100, top=0, right=0), 100, 4, logarithmic=True)
    assert (axes.x(1), axes.x(10), axes.x(100)) == (0, 50, 100)


def test_nothing_grew():
    assert sparkline([], 10) == ""
    assert chart([], 0, logarithmic=True).path == ""


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    growth = [(number, number) for number in range(1, 5_001)]
    path = stairs(growth, Axes(CHART, 5_000, 5_000))
    assert path.count("L") <= 2 * MAX_POINTS + 2
    assert path.endswith(f"{CHART.width - CHART.right}.0 {CHART.top}.0")


def test_a_total_far_above_is_not_drawn():
    assert chart([(1, 10)], 5, logarithmic=False, total=41).total is None
    assert chart([(1, 10)], 5, logarithmic=False, total=40).total is not None


def test_an_estimate_has_a_band():
    drawn = chart([(1, 10)], 5, logarithmic=False, total=12, interval=(10, 20))
    assert drawn.band is not None
    assert drawn.band[0] < drawn.total < drawn.band[1]
