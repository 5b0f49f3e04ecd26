"""A short story keeps what explains the failure, however long the execution is."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raddle
from raddle.errors import UsageError
from raddle.event import Event, Preemption
from raddle.finding import THIS_INTERPRETER, Finding
from raddle.report.folding import LINES
from raddle.report.story import tell
from raddle.schedule import Schedule
from raddle.story_length import StoryLength
from raddle.trace import Trace


def step(thread: str, kind: str, variable: str = "C.n", number: int = 1, line: int = 1, value: str = "") -> Event:
    return Event(thread, kind, variable, number, "c.py", line, value=value)


def locked(thread: str, times: int) -> list[Event]:
    """Steps that have nothing to do with the failure: a counter behind a lock."""
    one = [
        step(thread, "acquire", "Lock 1", 9, 7),
        step(thread, "read", "C.other", 2, 8),
        step(thread, "write", "C.other", 2, 8),
        step(thread, "release", "Lock 1", 9, 7),
    ]
    return one * times


def race(*, threads: int, victim: int, rounds: list[int]) -> Finding:
    """A lost update of C.n between two of many threads, with other steps before, between and after.

    The victim reads C.n at line 3, is preempted, the next thread reads and writes it, and the victim writes at line 4.
    """
    names = [f"T{number}" for number in range(1, threads + 1)]
    one, other = names[victim], names[(victim + 1) % threads]
    before, between, inside, after, late = rounds
    events = [step("T0", "write", line=1, value="0"), step("T0", "write", "C.other", 2, 1)]
    events += [step("T0", "start", name, 0, 20) for name in names]
    for name in names:
        events += [step(name, "enter", "C.increment", 0), *locked(name, before)]
    events += [step(one, "read", line=3, value="0"), *locked(one, between)]
    stop = Preemption(len(events), one, "c.py:4 write n")
    events += [*locked(other, inside), step(other, "read", line=3, value="0"), step(other, "write", line=4, value="1")]
    events += [*locked(other, after), step(one, "write", line=4, value="1"), *locked(one, late)]
    events += [step("T0", "read", line=30, value="1")]
    return Finding(
        "assertion", "AssertionError", "T0", THIS_INTERPRETER, Schedule.parse("T0."), Trace(tuple(events)),
        preemptions=(stop,),
    )  # fmt: skip


def steps_of(finding: Finding, length: StoryLength = StoryLength.SHORT) -> list[str]:
    return [line for line in tell(finding, length=length).split("\n") if line.startswith("  ")]


@settings(max_examples=40, deadline=None)
@given(
    threads=st.integers(2, 100),
    victim=st.integers(0, 99),
    rounds=st.lists(st.integers(0, 40), min_size=5, max_size=5),
)
def test_a_race_of_any_length_needs_few_lines_and_shows_its_cause(threads: int, victim: int, rounds: list[int]) -> None:
    victim %= threads
    finding = race(threads=threads, victim=victim, rounds=rounds)
    story = steps_of(finding)
    one, other = f"T{victim + 1}", f"T{(victim + 1) % threads + 1}"
    assert len(story) <= LINES
    stop = story.index(f"  ----- {one} is stopped here, before c.py:4 write n -----")

    def shown(thread: str, line: int, deed: str) -> list[int]:
        return [n for n, text in enumerate(story) if text.split()[:2] == [thread, f"c.py:{line}"] and deed in text]

    (read,) = shown(one, 3, "reads C.n: 0")
    (written,) = shown(other, 4, "writes C.n: 1")
    (lost,) = shown(one, 4, "writes C.n: 1")
    (checked,) = shown("T0", 30, "reads C.n: 1")
    assert read < stop < written < lost < checked


def test_a_full_story_has_every_step() -> None:
    finding = race(threads=3, victim=0, rounds=[20] * 5)
    told = [event for event in finding.trace if event.kind != "enter"]
    assert len(steps_of(finding, StoryLength.FULL)) == len(told) + 1  # and the preemption


def test_what_is_folded() -> None:
    finding = race(threads=100, victim=0, rounds=[0, 2, 0, 2, 0])
    story = steps_of(finding)
    # T0 writes n and other, starts 100 threads; then T1 reads n, and does 2 rounds of 4 steps.
    assert any("T0 starts T1 to T100" in line for line in story)
    assert any(line.startswith("  T1: ") and line.endswith(" steps in C.increment") for line in story)


def test_a_short_story_is_not_changed() -> None:
    finding = race(threads=2, victim=0, rounds=[0] * 5)
    assert steps_of(finding) == steps_of(finding, StoryLength.FULL)


def test_a_preemption_after_the_last_step_is_shown() -> None:
    finding = race(threads=2, victim=0, rounds=[30, 0, 0, 0, 0])
    events = finding.trace.events[:-2]
    stop = Preemption(len(events), "T2", "c.py:9 read n")
    story = steps_of(Finding("exception", "KeyError", "T1", THIS_INTERPRETER, None, Trace(events), preemptions=(stop,)))
    assert story[-1] == "  ----- T2 is stopped here, before c.py:9 read n -----"


def test_locks_that_are_held_in_a_deadlock_are_shown() -> None:
    events = [*locked("T1", 30), *locked("T2", 30)]
    events += [step("T1", "acquire", "Lock 2", 11, 40), step("T2", "acquire", "Lock 3", 12, 41)]
    events += [step("T3", "read", "C.other", 2, 8)] * 30
    story = steps_of(Finding("deadlock", "T1 waits for T2", "T1", THIS_INTERPRETER, None, Trace(tuple(events))))
    assert len(story) <= LINES
    assert {"acquires Lock 2", "acquires Lock 3"} <= {line[-15:] for line in story}


class Counter:
    def __init__(self) -> None:
        self.value = self.other = 0
        self.lock = threading.Lock()

    def increment(self) -> None:
        for _ in range(8):
            with self.lock:
                self.other += 1
        value = self.value
        with self.lock:
            self.other += 1
        self.value = value + 1


def scenario() -> None:
    counter = Counter()
    threads = [threading.Thread(target=counter.increment) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.value == 2


def test_the_error_of_check_is_short_unless_asked_otherwise() -> None:
    options = {"scheduler": "random", "executions": 300}
    with pytest.raises(AssertionError) as short:
        raddle.check(scenario, **options)
    with pytest.raises(AssertionError) as full:
        raddle.check(scenario, story="full", **options)
    short_steps, full_steps = (str(error.value).partition("\nTraceback")[0].split("\n") for error in (short, full))
    assert len(short_steps) <= LINES + 4 < 60 < len(full_steps)  # the headline has two lines
    assert " steps in Counter.increment" in str(short.value)
    assert "is stopped here" in str(short.value)
    with pytest.raises(UsageError, match="'short' or 'full', not 'long'"):
        raddle.check(scenario, story="long")


class Stock:
    def __init__(self) -> None:
        self.left = 1
        self.sold: list[int] = []
        self.lock = threading.Lock()

    def sell(self) -> None:
        if self.left > 0:
            with self.lock:
                self.sold.append(1)
                self.left -= 1


def sells_twice() -> None:
    """Both threads look before either takes the lock: 22 steps and a preemption, of which 20 lines can be shown."""
    stock = Stock()
    threads = [threading.Thread(target=stock.sell) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stock.sold) == 1


def test_lines_that_are_left_show_accesses_near_the_preemption() -> None:
    (finding,) = raddle.explore(sells_twice, source=[__file__], scheduler="reachability").findings
    shown = steps_of(finding)
    assert len(shown) <= LINES
    looks = [line for line in shown if "if self.left > 0:" in line]
    assert [line.split()[0] for line in looks] == ["T1", "T2"]  # the preempted thread and the one that overtakes it
    assert all(line.endswith("reads Stock.left: 1") for line in looks)
