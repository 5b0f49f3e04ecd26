"""Schedules survive a round trip through text, and invalid texts are rejected."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raddle.errors import ScheduleError
from raddle.schedule import Schedule, Segment

threads = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(lambda parts: "T" + ".".join(map(str, parts)))
words = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8)
files = st.lists(words, min_size=1, max_size=3).map(lambda parts: "/".join(parts) + ".py")
kinds = st.sampled_from(["read", "write", "delete", "acquire", "try-acquire", "wait-set", "is-alive", "put", "end"])
names = st.one_of(st.just(""), st.builds(lambda a, b: a + b, words, st.sampled_from(["", "[]", ".x", ".x[]"])))


@st.composite
def segments(draw: st.DrawFn) -> Segment:
    if draw(st.booleans()):
        return Segment(draw(threads))
    name = draw(names)
    place = f"{draw(files)}:{draw(st.integers(1, 99_999))} {draw(kinds)}" + (f" {name}" if name else "")
    return Segment(draw(threads), place, draw(st.integers(1, 500)))


quick = settings(deadline=None, max_examples=60)  # no deadline, because examples are slow on a busy machine
schedules = st.lists(segments(), min_size=1, max_size=12).map(lambda parts: Schedule(tuple(parts)))


@quick
@given(schedules)
def test_a_schedule_survives_a_round_trip_through_text(schedule: Schedule) -> None:
    assert Schedule.parse(str(schedule)) == schedule


@quick
@given(schedules, st.sampled_from([" ", "\n", "\n    "]))
def test_whitespace_in_a_schedule_does_not_matter(schedule: Schedule, space: str) -> None:
    assert Schedule.parse(str(schedule).replace(" ", space)) == schedule


@quick
@given(schedules, st.data())
def test_a_truncated_text_is_rejected(schedule: Schedule, data: st.DataObject) -> None:
    text = str(schedule)
    truncated = text[: data.draw(st.integers(0, len(text) - 1))]
    if not truncated.endswith("."):  # "T1.", cut from "T1.2", is a valid but different schedule
        with pytest.raises(ScheduleError):
            Schedule.parse(truncated)


@quick
@given(st.text(max_size=60))
def test_any_other_text_is_rejected_or_survives_a_round_trip(text: str) -> None:
    try:
        schedule = Schedule.parse(text)
    except ScheduleError:
        return
    assert Schedule.parse(str(schedule)) == schedule
