"""Diagrams of locks and orders, and charts of coverage growth."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from report_contents import FIRST, SECOND, A, B, contents

from raddle.report.html.arcs import MAX_NODES, Link, cyclic_links, draw
from raddle.report.html.curves import CHART, MAX_POINTS, Axes, chart, sparkline, step_curve
from raddle.report.html.order import happens_before, lock_graph
from raddle.report.html.places import Places
from raddle.tally import Covered
from raddle.warning import POTENTIAL_DEADLOCK, ReportedWarning

NODES = st.sampled_from("abcde")


@given(st.sets(st.tuples(NODES, NODES)))
def test_cyclic_links_match_brute_force(links):
    def reached(start):
        found, pending = set(), [start]
        while pending:
            node = pending.pop()
            fresh = {target for source, target in links if source == node} - found
            found |= fresh
            pending += fresh
        return found

    assert cyclic_links(links) == {(source, target) for source, target in links if source in reached(target)}


def test_arcs_lead_down_on_the_right_and_up_on_the_left():
    drawn = draw(["a", "b"], [Link("a", "b", "down"), Link("b", "a", "up")], {})
    down, up = drawn.arcs
    assert down.x > drawn.left > up.x


def test_nodes_in_cycles_are_drawn_first():
    labels = [f"n{number:03}" for number in range(MAX_NODES + 10)]
    drawn = draw(labels, [Link(labels[-1], labels[-1], "round", circular=True), Link(labels[-2], labels[0], "no")], {})
    assert drawn.nodes[-1].label == labels[-1]
    assert (len(drawn.nodes), drawn.more_nodes, drawn.more_arcs) == (MAX_NODES, 10, 1)


def test_goodlock_coverage_gives_the_lock_graph():
    data = contents()
    graph = lock_graph(data, Places(data))
    assert [(link.source, link.target, link.circular) for link in graph.links] == [
        ("Lock made at locks.py:1", "Lock made at locks.py:2", False)
    ]
    assert graph.measured


def test_a_cycle_of_locks_is_marked():
    both = {(FIRST, SECOND, A, B): Covered(1, 1), (SECOND, FIRST, B, A): Covered(1, 1)}
    data = contents(covered={"goodlock": both})
    graph = lock_graph(data, Places(data))
    assert [link.circular for link in graph.links] == [True, True]
    assert all(node.circular for node in graph.diagram.nodes)


def test_locks_created_at_one_place_form_a_cycle_only_with_a_warning():
    data = contents(covered={"goodlock": {(FIRST, SECOND, A, A): Covered(1, 1)}})
    (link,) = lock_graph(data, Places(data)).links
    assert not link.circular
    lock = "the Lock made at locks.py:1"
    warning = ReportedWarning(POTENTIAL_DEADLOCK, f"{lock} -> {lock}", (FIRST, SECOND, FIRST, SECOND))
    (link,) = lock_graph(replace(data, warnings=(warning,)), Places(data)).links
    assert link.circular


def test_a_deadlock_warning_gives_links_if_goodlock_was_not_measured():
    locks = "the Lock made at locks.py:1 -> the Lock made at locks.py:2"
    data = contents()
    tally = replace(data.tally, covered={})
    runs = (replace(data.runs[0], criteria=frozenset({"map"})),)
    warning = ReportedWarning(POTENTIAL_DEADLOCK, locks, (FIRST, SECOND, SECOND, FIRST))
    graph = lock_graph(replace(data, tally=tally, runs=runs, warnings=(warning,)), Places(data))
    assert [link.circular for link in graph.links] == [True, True]
    assert not graph.measured
    assert "threads can deadlock" in graph.warnings[0]


def test_happens_before_marks_pairs_observed_in_both_orders():
    handed = {(FIRST, SECOND, A): Covered(1, 1), (SECOND, FIRST, A): Covered(1, 1), (FIRST, FIRST, ""): Covered(1, 1)}
    data = contents(covered={"hbpair": handed})
    links = happens_before(data, Places(data)).links
    assert [link.circular for link in links] == [True, True, True]
    one_way = contents(covered={"hbpair": {(FIRST, SECOND, A): Covered(1, 1)}})
    (link,) = happens_before(one_way, Places(one_way)).links
    assert link.sentence == (
        "locks.py:3 a happened before locks.py:4 b, ordered by the Lock made at locks.py:1; "
        "never observed in the opposite order"
    )


# -- charts ----------------------------------------------------------------------------------------------


def test_a_curve_is_flat_until_coverage_grows():
    # The box is 100 x 100 pixels. Each of ten executions is 10 pixels wide, and each of four requirements is 25 pixels
    # high.
    axes = Axes(CHART.__class__(100, 100, top=0, right=0), 10, 4)
    assert (
        step_curve([(2, 1), (5, 4)], axes) == "M 0.0 100.0 L 20.0 100.0 L 20.0 75.0 L 50.0 75.0 L 50.0 0.0 L 100.0 0.0"
    )


def test_a_logarithmic_axis_begins_at_the_first_execution():
    axes = Axes(CHART.__class__(100, 100, top=0, right=0), 100, 4, logarithmic=True)
    assert (axes.x(1), axes.x(10), axes.x(100)) == (0, 50, 100)


def test_without_growth_there_is_no_curve():
    assert sparkline([], 10) == ""
    assert chart([], 0, logarithmic=True).path == ""


def test_a_long_curve_is_thinned_but_keeps_its_last_point():
    growth = [(number, number) for number in range(1, 5_001)]
    path = step_curve(growth, Axes(CHART, 5_000, 5_000))
    assert path.count("L") <= 2 * MAX_POINTS + 2
    assert path.endswith(f"{CHART.width - CHART.right}.0 {CHART.top}.0")


def test_a_total_far_above_the_curve_is_not_drawn():
    assert chart([(1, 10)], 5, logarithmic=False, total=41).total is None
    assert chart([(1, 10)], 5, logarithmic=False, total=40).total is not None


def test_an_estimated_total_has_a_band():
    drawn = chart([(1, 10)], 5, logarithmic=False, total=12, interval=(10, 20))
    assert drawn.band is not None
    assert drawn.band[0] < drawn.total < drawn.band[1]
