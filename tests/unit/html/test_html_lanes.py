"""Swim lanes of a stored finding: columns, arrows and preemptions."""

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


def arrows(drawn):
    return [(row.number, row.source, row.arrow) for row in drawn.rows if isinstance(row, Cell) and row.source]


def test_threads_are_columns_in_numeric_order():
    assert lanes(step("T10", "read"), step("T2", "read"), step("T2.1", "read")).threads == ("T2", "T2.1", "T10")


def test_a_read_takes_from_the_last_write_of_another_thread():
    found = lanes(step("T1", "write"), step("T2", "write"), step("T1", "read"), step("T2", "read"))
    assert arrows(found) == [(3, 2, "reads-from")]  # T2's read of T2's own write has no arrow


def test_attributes_of_different_objects_are_different_variables():
    assert arrows(lanes(step("T1", "write", number=1), step("T2", "read", number=2))) == []


def test_a_write_before_the_thread_start_has_an_early_arrow():
    found = lanes(step("T0", "write"), step("T0", "start", "T1"), step("T1", "read"), step("T1", "read"))
    assert arrows(found) == [(3, 1, "early"), (4, 1, "early")]


def test_an_acquire_has_an_arrow_from_the_previous_release():
    lock = [step(*operation, "Lock 1") for operation in (("T1", "acquire"), ("T1", "release"), ("T2", "acquire"))]
    assert arrows(lanes(*lock)) == [(3, 2, "hand-over")]
    assert lanes(*lock).rows[2].why == "handed over by T1 in step 2"


def test_starts_and_joins_have_order_arrows():
    ended = step("T1", "end", "", line=0, file="stdlib")
    found = lanes(step("T0", "start", "T1"), step("T1", "acquire", "Lock 1"), ended, step("T0", "join", "T1"))
    assert arrows(found) == [(2, 1, "order"), (4, 3, "order")]


def test_preemptions_precede_their_steps_and_the_last_is_decisive():
    stops = [{"before": number, "thread": "T1", "place": f"p{number}", "with_gil": True} for number in (1, 2)]
    rows = lanes(step("T1", "read"), step("T2", "read"), preemptions=stops).rows
    assert [(row.place, row.decisive) if isinstance(row, Stop) else row.number for row in rows] == [
        1, ("p1", False), 2, ("p2", True),
    ]  # fmt: skip


def test_steps_in_the_standard_library_are_not_shown():
    assert len(lanes(step("T1", "acquire", file="stdlib"), step("T1", "enter"), step("T1", "read")).rows) == 1


def test_a_long_execution_shows_its_last_steps():
    found = lanes(*[step("T1", "read", line=number) for number in range(1, MAX_STEPS + 6)])
    assert (found.left_out, len(found.rows)) == (5, MAX_STEPS)
    assert found.rows[-1].line == MAX_STEPS + 5


def test_threads_without_a_shown_step_have_no_column():
    found = lanes(step("T0", "read"), *[step("T1", "read") for _ in range(MAX_STEPS)])
    assert found.threads == ("T1",)
    assert found.rows[0].thread == 0


def test_the_text_lists_steps_and_preemptions():
    assert lanes_of(Finding.from_json(finding()), code).text().splitlines() == [
        "T0  box.py:1  line 1  starts T1",
        "T0  box.py:1  line 1  starts T2",
        "T1  box.py:6  line 6  reads Box.text: ''",
        "----- T1 is preempted here; its next step: box.py:7 write text -----",
        "T2  box.py:6  line 6  reads Box.text: ''",
        "T2  box.py:7  line 7  writes Box.text: '<b>'",
        "T1  box.py:7  line 7  writes Box.text: '<b>'",
    ]


def test_long_source_lines_are_shortened_in_the_text():
    # At most 44 characters of code are shown between the place and the operation, as on a terminal.
    steps = [step("T1", "read"), step("T2", "read", line=7)]
    text = lanes_of(Finding.from_json({"steps": steps}), lambda file, line: "x" * 10**line)
    assert text.text().splitlines() == [
        f"T1  box.py:6  {'x' * 41}...  reads Box.text",
        f"T2  box.py:7  {'x' * 41}...  reads Box.text",
    ]
    assert all(len(row.code) <= LONGEST_CODE for row in text.rows)


def test_stored_preemptions_refer_to_the_stored_steps():
    # Only T1 accesses C.m, so the read of C.m is not stored. The preemption before event 2 is therefore before step 1.
    events = [
        Event("T1", "read", "C.n", 1, "c.py", 1),
        Event("T1", "read", "C.m", 1, "c.py", 2),
        Event("T2", "write", "C.n", 1, "c.py", 3),
    ]
    stored = Finding(
        "assertion", "", "T1", THIS_INTERPRETER, None, Trace(tuple(events)),
        preemptions=(Preemption(2, "T1", "c.py:4 write n", with_gil=False), Preemption(3, "T2", "c.py:5 read n")),
    ).as_json()  # fmt: skip
    assert [each["variable"] for each in stored["steps"]] == ["C.n", "C.n"]
    assert [(stop["before"], stop["with_gil"]) for stop in stored["preemptions"]] == [(1, False), (2, True)]


# -- waiting threads -------------------------------------------------------------------------------------


def test_only_threads_in_the_cycle_are_marked_circular():
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


def test_a_thread_that_waits_for_itself_is_a_cycle():
    drawn = ring(wait_views([Wait("T1", ACQUIRE, "Lock", "T1")]))
    assert [(node.name, node.circular) for node in drawn.nodes] == [("T1", True)]


def test_a_wait_for_no_particular_thread_is_not_drawn():
    assert ring(wait_views([Wait("T1", WAIT, "Condition")])) is None
