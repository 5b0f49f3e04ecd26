"""Swim-lanes: columns, arrows and stops, from a finding as the data file has it."""

from __future__ import annotations

from report_contents import finding, step

from raddle.event import Event, Preemption
from raddle.finding import THIS_INTERPRETER, Finding
from raddle.operation import ACQUIRE, JOIN, SLEEP, WAIT
from raddle.place import Place
from raddle.report.html.lanes import LONGEST_CODE, MAX_STEPS, Cell, Stop, lanes_of
from raddle.report.html.waits import ring, wait_views
from raddle.trace import Trace
from raddle.wait import Wait


def code(file, line):
    return f"    line {line}"


def lanes(*steps, preemptions=()):
    return lanes_of(Finding.from_json({"steps": steps, "preemptions": preemptions}), code)


def arrows(of):
    return [(row.number, row.source, row.arrow) for row in of.rows if isinstance(row, Cell) and row.source]


def test_threads_are_columns_in_their_order():
    assert lanes(step("T10", "read"), step("T2", "read"), step("T2.1", "read")).threads == ("T2", "T2.1", "T10")


def test_a_read_takes_from_the_last_write_of_another_thread():
    found = lanes(step("T1", "write"), step("T2", "write"), step("T1", "read"), step("T2", "read"))
    assert arrows(found) == [(3, 2, "reads-from")]  # T2 reads its own


def test_other_objects_are_other_variables():
    assert arrows(lanes(step("T1", "write", number=1), step("T2", "read", number=2))) == []


def test_what_was_written_before_a_start_is_no_news():
    found = lanes(step("T0", "write"), step("T0", "start", "T1"), step("T1", "read"), step("T1", "read"))
    assert arrows(found) == [(3, 1, "early"), (4, 1, "early")]


def test_a_lock_is_handed_over():
    lock = [step(*one, "Lock 1") for one in (("T1", "acquire"), ("T1", "release"), ("T2", "acquire"))]
    assert arrows(lanes(*lock)) == [(3, 2, "hand-over")]
    assert lanes(*lock).rows[2].why == "handed over by T1 in step 2"


def test_start_and_join_order():
    ended = step("T1", "end", "", line=0, file="stdlib")
    found = lanes(step("T0", "start", "T1"), step("T1", "acquire", "Lock 1"), ended, step("T0", "join", "T1"))
    assert arrows(found) == [(2, 1, "order"), (4, 3, "order")]


def test_stops_stand_before_their_steps_and_the_last_is_decisive():
    stops = [{"before": number, "thread": "T1", "place": f"p{number}", "with_gil": True} for number in (1, 2)]
    rows = lanes(step("T1", "read"), step("T2", "read"), preemptions=stops).rows
    assert [(row.place, row.decisive) if isinstance(row, Stop) else row.number for row in rows] == [
        1, ("p1", False), 2, ("p2", True),
    ]  # fmt: skip


def test_the_insides_of_the_standard_library_are_not_told():
    assert len(lanes(step("T1", "acquire", file="stdlib"), step("T1", "enter"), step("T1", "read")).rows) == 1


def test_long_stories_show_their_end():
    found = lanes(*[step("T1", "read", line=number) for number in range(1, MAX_STEPS + 6)])
    assert (found.left_out, len(found.rows)) == (5, MAX_STEPS)
    assert found.rows[-1].line == MAX_STEPS + 5


def test_threads_that_are_gone_by_then_have_no_column():
    found = lanes(step("T0", "read"), *[step("T1", "read") for _ in range(MAX_STEPS)])
    assert found.threads == ("T1",)
    assert found.rows[0].thread == 0


def test_the_text():
    assert lanes_of(Finding.from_json(finding()), code).text().splitlines() == [
        "T0  box.py:1  line 1  starts T1",
        "T0  box.py:1  line 1  starts T2",
        "T1  box.py:6  line 6  reads Box.text: ''",
        "----- T1 is stopped here, before box.py:7 write text -----",
        "T2  box.py:6  line 6  reads Box.text: ''",
        "T2  box.py:7  line 7  writes Box.text: '<b>'",
        "T1  box.py:7  line 7  writes Box.text: '<b>'",
    ]


def test_a_long_line_makes_no_row_of_the_text_wide():
    # 44 characters of code, as on a terminal, between the place and the deed.
    steps = [step("T1", "read"), step("T2", "read", line=7)]
    text = lanes_of(Finding.from_json({"steps": steps}), lambda file, line: "x" * 10**line)
    assert text.text().splitlines() == [
        f"T1  box.py:6  {'x' * 41}...  reads Box.text",
        f"T2  box.py:7  {'x' * 41}...  reads Box.text",
    ]
    assert all(len(row.code) <= LONGEST_CODE for row in text.rows)


def test_a_finding_keeps_its_preemptions_by_the_steps_that_it_keeps():
    # The read of C.m concerns T1 alone and is no step; so the stop before event 2 is before step 1.
    events = [
        Event("T1", "read", "C.n", 1, "c.py", 1),
        Event("T1", "read", "C.m", 1, "c.py", 2),
        Event("T2", "write", "C.n", 1, "c.py", 3),
    ]
    told = Finding(
        "assertion", "", "T1", THIS_INTERPRETER, None, Trace(tuple(events)),
        preemptions=(Preemption(2, "T1", "c.py:4 write n", with_gil=False), Preemption(3, "T2", "c.py:5 read n")),
    ).as_json()  # fmt: skip
    assert [one["variable"] for one in told["steps"]] == ["C.n", "C.n"]
    assert [(stop["before"], stop["with_gil"]) for stop in told["preemptions"]] == [(1, False), (2, True)]


# -- who waits for whom ----------------------------------------------------------------------------------


def test_a_circle_and_one_who_waits_outside():
    waits = wait_views([
        Wait("T0", JOIN, waits_for="T1", place=Place("m.py", 13)),
        Wait("T1", ACQUIRE, "Lock", "T2", place=Place("m.py", 20)),
        Wait("T2", ACQUIRE, "Lock", "T1", place=Place("m.py", 24)),
        Wait("T3", SLEEP),
    ])  # fmt: skip
    assert [(w.thread, w.waits_for, w.circular, str(w.place)) for w in waits] == [
        ("T0", "T1", False, "m.py:13"), ("T1", "T2", True, "m.py:20"), ("T2", "T1", True, "m.py:24"),
    ]  # fmt: skip
    drawn = ring(waits)
    assert {node.name for node in drawn.nodes if node.circular} == {"T1", "T2"}
    assert [arrow.circular for arrow in drawn.arrows] == [False, True, True]
    for node in drawn.nodes:
        assert 0 < node.x < drawn.width
        assert drawn.top < node.y < drawn.top + drawn.height


def test_a_thread_that_waits_for_itself():
    drawn = ring(wait_views([Wait("T1", ACQUIRE, "Lock", "T1")]))
    assert [(node.name, node.circular) for node in drawn.nodes] == [("T1", True)]


def test_nobody_in_particular():
    assert ring(wait_views([Wait("T1", WAIT, "Condition")])) is None
