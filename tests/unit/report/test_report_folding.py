"""A short story keeps the steps that explain the failure, even if the execution is long."""

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
from raddle.report.story import story_text
from raddle.schedule import Schedule
from raddle.story_length import StoryLength
from raddle.trace import Trace


def step(thread: str, kind: str, variable: str = "C.n", number: int = 1, line: int = 1, value: str = "") -> Event:
    return Event(thread, kind, variable, number, "c.py", line, value=value)


def locked(thread: str, times: int) -> list[Event]:
    """Return steps that are unrelated to the failure: increments of a counter under a lock."""
    increment = [
        step(thread, "acquire", "Lock 1", 9, 7),
        step(thread, "read", "C.other", 2, 8),
        step(thread, "write", "C.other", 2, 8),
        step(thread, "release", "Lock 1", 9, 7),
    ]
    return increment * times


def race(*, threads: int, victim: int, rounds: list[int]) -> Finding:
    """Return a lost update of C.n by two of many threads, with unrelated steps before, between and after.

    The victim reads C.n at line 3 and is preempted. The next thread reads and writes C.n. Then the victim writes it at
    line 4.
    """
    names = [f"T{number}" for number in range(1, threads + 1)]
    first, second = names[victim], names[(victim + 1) % threads]
    before, between, inside, after, late = rounds
    events = [step("T0", "write", line=1, value="0"), step("T0", "write", "C.other", 2, 1)]
    events += [step("T0", "start", name, 0, 20) for name in names]
    for name in names:
        events += [step(name, "enter", "C.increment", 0), *locked(name, before)]
    events += [step(first, "read", line=3, value="0"), *locked(first, between)]
    preemption = Preemption(len(events), first, "c.py:4 write n")
    events += [
        *locked(second, inside),
        step(second, "read", line=3, value="0"),
        step(second, "write", line=4, value="1"),
    ]
    events += [*locked(second, after), step(first, "write", line=4, value="1"), *locked(first, late)]
    events += [step("T0", "read", line=30, value="1")]
    return Finding(
        "assertion", "AssertionError", "T0", THIS_INTERPRETER, Schedule.parse("T0."), Trace(tuple(events)),
        preemptions=(preemption,),
    )  # fmt: skip


def steps_of(finding: Finding, length: StoryLength = StoryLength.SHORT) -> list[str]:
    return [line for line in story_text(finding, length=length).split("\n") if line.startswith("  ")]


@settings(max_examples=40, deadline=None)
@given(
    threads=st.integers(2, 100),
    victim=st.integers(0, 99),
    rounds=st.lists(st.integers(0, 40), min_size=5, max_size=5),
)
def test_a_race_of_any_length_is_shown_in_few_lines_with_its_cause(
    threads: int, victim: int, rounds: list[int]
) -> None:
    victim %= threads
    finding = race(threads=threads, victim=victim, rounds=rounds)
    story = steps_of(finding)
    first, second = f"T{victim + 1}", f"T{(victim + 1) % threads + 1}"
    assert len(story) <= LINES
    preemption = story.index(f"  ----- {first} is preempted here; its next step: c.py:4 write n -----")

    def shown(thread: str, line: int, operation: str) -> list[int]:
        return [n for n, text in enumerate(story) if text.split()[:2] == [thread, f"c.py:{line}"] and operation in text]

    (read,) = shown(first, 3, "reads C.n: 0")
    (written,) = shown(second, 4, "writes C.n: 1")
    (lost,) = shown(first, 4, "writes C.n: 1")
    (checked,) = shown("T0", 30, "reads C.n: 1")
    assert read < preemption < written < lost < checked


def test_a_full_story_shows_every_step() -> None:
    finding = race(threads=3, victim=0, rounds=[20] * 5)
    shown = [event for event in finding.trace if event.kind != "enter"]
    assert len(steps_of(finding, StoryLength.FULL)) == len(shown) + 1  # plus one line for the preemption


def test_thread_starts_and_unrelated_steps_are_folded() -> None:
    finding = race(threads=100, victim=0, rounds=[0, 2, 0, 2, 0])
    story = steps_of(finding)
    # T0 writes `n` and `other`, then starts 100 threads. T1 reads `n` and does 2 rounds of 4 unrelated steps.
    assert any("T0 starts T1 to T100" in line for line in story)
    assert any(line.startswith("  T1: ") and line.endswith(" steps in C.increment") for line in story)


def test_a_short_story_is_not_changed() -> None:
    finding = race(threads=2, victim=0, rounds=[0] * 5)
    assert steps_of(finding) == steps_of(finding, StoryLength.FULL)


def test_a_preemption_after_the_last_step_is_shown() -> None:
    finding = race(threads=2, victim=0, rounds=[30, 0, 0, 0, 0])
    events = finding.trace.events[:-2]
    preemption = Preemption(len(events), "T2", "c.py:9 read n")
    story = steps_of(
        Finding("exception", "KeyError", "T1", THIS_INTERPRETER, None, Trace(events), preemptions=(preemption,))
    )
    assert story[-1] == "  ----- T2 is preempted here; its next step: c.py:9 read n -----"


def test_locks_held_in_a_deadlock_are_shown() -> None:
    events = [*locked("T1", 30), *locked("T2", 30)]
    events += [step("T1", "acquire", "Lock 2", 11, 40), step("T2", "acquire", "Lock 3", 12, 41)]
    events += [step("T3", "read", "C.other", 2, 8)] * 30
    story = steps_of(Finding("deadlock", "T1 waits for T2", "T1", THIS_INTERPRETER, None, Trace(tuple(events))))
    assert len(story) <= LINES
    assert {"acquires Lock 2", "acquires Lock 3"} <= {line[-15:] for line in story}


class Counter:
    def __init__(self) -> None:
        self.value = self.second = 0
        self.lock = threading.Lock()

    def increment(self) -> None:
        for _ in range(8):
            with self.lock:
                self.second += 1
        value = self.value
        with self.lock:
            self.second += 1
        self.value = value + 1


def scenario() -> None:
    counter = Counter()
    threads = [threading.Thread(target=counter.increment) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.value == 2


def test_the_error_of_check_is_short_by_default() -> None:
    options = {"scheduler": "random", "executions": 300}
    with pytest.raises(AssertionError) as short:
        raddle.check(scenario, **options)
    with pytest.raises(AssertionError) as full:
        raddle.check(scenario, story="full", **options)
    short_steps, full_steps = (str(error.value).partition("\nTraceback")[0].split("\n") for error in (short, full))
    assert len(short_steps) <= LINES + 4 < 60 < len(full_steps)  # the headline has two lines
    assert " steps in Counter.increment" in str(short.value)
    assert "is preempted here" in str(short.value)
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
    """Both threads check `left` before either acquires the lock. The execution has 22 steps and a preemption."""
    stock = Stock()
    threads = [threading.Thread(target=stock.sell) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stock.sold) == 1


def test_remaining_lines_show_accesses_near_the_preemption() -> None:
    (finding,) = raddle.explore(sells_twice, source=[__file__], scheduler="reachability").findings
    shown = steps_of(finding)
    assert len(shown) <= LINES
    checks = [line for line in shown if "if self.left > 0:" in line]
    assert [line.split()[0] for line in checks] == ["T1", "T2"]  # the preempted thread and the one that then runs
    assert all(line.endswith("reads Stock.left: 1") for line in checks)
