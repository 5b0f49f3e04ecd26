"""`raddle.linearizable`, as users call it."""

from __future__ import annotations

import io
import itertools
import signal
import threading
import warnings
from pathlib import Path

import pytest

import raddle
from raddle.stop_reason import StopReason


class Stack:
    def __init__(self, *items):
        self.items = list(items)

    def pop(self):
        if self.items:
            return self.items.pop()
        return None

    def size(self):
        return len(self.items)


class Counter:
    def __init__(self):
        self.value = 0

    def bump(self):
        self.value = self.value + 1

    def increment(self):
        self.value = value = self.value + 1
        return value


class Lists:
    """`get` may create two lists for one key."""

    def __init__(self):
        self.lists = {}

    def get(self, key):
        if key not in self.lists:
            self.lists[key] = []
        return self.lists[key]

    def pop(self, key):
        self.get(key).append(self.lists)
        return len(self.lists.pop(key)), self.lists


class Account:
    def __init__(self):
        self.lock = threading.Lock()

    def equals(self, other):
        with self.lock, other.lock:
            return self is other


class Spinner:
    """`run` spins if another call writes between its write and its read."""

    def __init__(self):
        self.turn = 0

    def run(self):
        self.turn = mine = self.turn + 1
        while self.turn != mine:
            threading.Event().is_set()


class Endless:
    """Its loops reach no scheduling point."""

    def spin(self):
        while True:
            pass

    def spin_until_interrupted(self):
        signal.raise_signal(signal.SIGINT)
        self.spin()


SOURCE = (__name__,)


def full():
    return Stack(1)


def check(setup, *threads, **options):
    return raddle.linearizable(setup, *threads, source=SOURCE, **options)


def message(setup, *threads, **options):
    with pytest.raises(raddle.FindingError) as caught:
        check(setup, *threads, **options)
    return str(caught.value), caught.value.result


def line_of(text):
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


POPS = [lambda stack: stack.pop()], [lambda stack: stack.pop()]


def test_an_illegal_exception_is_explained():
    text, result = message(full, *POPS)
    lines = text.splitlines()
    assert lines[:7] == [
        "stack.pop() raised IndexError, which no order of whole calls does",
        "",
        "whole calls give one of these:",
        "  stack.pop() -> 1, stack.pop() -> None",
        "  stack.pop() -> None, stack.pop() -> 1",
        "this execution gave:",
        lines[6],
    ]
    assert lines[6] in (
        "  stack.pop() raises IndexError, stack.pop() -> 1",
        "  stack.pop() -> 1, stack.pop() raises IndexError",
    )
    # The story ends at the line that raised the exception.
    assert f"line {line_of('return self.items.pop()')}, in pop" in text
    (finding,) = result.findings
    assert (finding.kind, finding.place.line) == ("exception", line_of("return self.items.pop()"))
    assert lines[-1] == f'replay: pass schedule="{finding.schedule}"'
    assert result.stopped_because is StopReason.FIRST_FINDING


def test_two_lists_where_whole_calls_return_one_are_a_violation():
    calls = [lambda lists: lists.get("a")], [lambda lists: lists.get("a")]
    text, _ = message(Lists, *calls)
    assert text.splitlines()[2:6] == [
        "whole calls give:",
        '  lists.get("a") -> [], lists.get("a") -> [] (the same object)',
        "this execution gave:",
        '  lists.get("a") -> [], lists.get("a") -> []',
    ]


def test_identities_are_shown_only_if_they_make_the_difference():
    text, _ = message(
        Lists, [lambda lists: lists.pop("a")], [lambda lists: lists.pop("a")], observe=[lambda x: x.lists]
    )
    assert "same object" not in text


def test_the_schedule_reproduces_the_violation_at_once():
    _, result = message(full, *POPS)
    _, again = message(full, *POPS, schedule=str(result.findings[0].schedule), preemptions=0, max_executions=1)
    assert again.findings[0].schedule == result.findings[0].schedule
    assert again.executions < result.executions


@pytest.mark.parametrize("schedule", ["T0; T1 until gone.py:9 write x; T2.", "T7; T0."])
def test_a_schedule_that_does_not_fit_is_ignored(schedule):
    assert message(full, *POPS, schedule=schedule)[0].startswith("stack.pop() raised IndexError")
    assert not check(full, [Stack.size], [Stack.size], schedule=schedule).failed


def test_illegal_results_are_explained():
    text, result = message(Counter, [lambda c: c.increment()], [lambda c: c.increment()])
    assert text.startswith("the results of c.increment() and c.increment() are none of the 2 that whole calls give\n")
    assert "  c.increment() -> 1, c.increment() -> 1\n" in text
    assert "assertion in T0: the calls are not linearizable (" in text
    assert "is preempted here" in text
    assert "Traceback" not in text
    assert result.findings[0].schedule is not None


def test_an_illegal_state_is_explained():
    text, _ = message(Counter, [Counter.bump], [Counter.bump], observe=[lambda c: c.value])
    assert text.startswith("the results and the final state are not those that whole calls give\n")
    assert "bump() -> None, bump() -> None; then c.value -> 2\nthis" in text
    assert "; then c.value -> 1\n" in text


def test_a_broken_invariant_is_explained():
    text, _ = message(Counter, [Counter.bump], [Counter.bump], invariant=lambda c: c.value == 2, oracle="exceptions")
    assert text.startswith("c.value == 2 does not hold, although it holds after every order of whole calls\n")


def test_a_deadlock_is_explained():
    text, result = message(
        lambda: (Account(), Account()), [lambda pair: pair[0].equals(pair[1])], [lambda pair: pair[1].equals(pair[0])]
    )
    assert text.startswith("pair[0].equals(pair[1]) and pair[1].equals(pair[0]) never ended, which happens in no order")
    assert "pair[0].equals(pair[1]) -> False, pair[1].equals(pair[0]) -> False\n" in text
    assert "deadlock in T1: T1 waits for T2, which waits for T1 (can happen on this interpreter)" in text
    assert "T2 waits at " in text
    assert result.findings[0].kind == "deadlock"


def test_an_endless_loop_is_explained():
    text, result = message(Spinner, [Spinner.run], [Spinner.run], step_limit=2_000)
    assert text.startswith("run() never ended, which happens in no order of whole calls\n")
    assert result.findings[0].kind == "step-limit"


@pytest.mark.parametrize(
    ("setup", "call", "found_by"),
    [(full, Stack.pop, "exceptions"), (Counter, Counter.increment, "results")],
)
def test_only_the_named_oracles_judge(setup, call, found_by):
    # An illegal exception is also an illegal result, but not the other way round.
    for oracle in ("exceptions", "hangs", "results", "state"):
        found = oracle == found_by or (found_by, oracle) in {
            ("exceptions", "results"), ("exceptions", "state"), ("results", "state")
        }  # fmt: skip
        try:
            check(setup, [call], [call], oracle=oracle)
            assert not found
        except raddle.FindingError:
            assert found


def test_a_search_says_whether_it_was_complete():
    # Two calls with one shared access each have two orders, without a preemption or with one.
    complete = check(Stack, [Stack.size], [Stack.size])
    assert (complete.stopped_because, complete.outcome, complete.findings) == (StopReason.EXHAUSTED, "passed", ())
    bounded = check(Counter, [Counter.bump] * 2, [Counter.bump] * 2, preemptions=1)
    assert bounded.stopped_because is StopReason.EXHAUSTED_WITHIN_BOUND
    assert bounded.notes == ("every schedule with at most 1 preemption was run; other schedules exist",)
    limited = check(Counter, [Counter.bump] * 2, [Counter.bump] * 2, max_executions=3)
    assert limited.stopped_because is StopReason.EXECUTIONS


def test_reset_is_called_before_each_execution():
    counter = Counter()

    def shared():
        return counter

    def reset():
        counter.value = 0

    calls = [Counter.bump], [lambda c: None]
    with pytest.raises(raddle.UsageError):
        check(shared, *calls, observe=[lambda c: c.value > 3])
    assert not check(shared, *calls, observe=[lambda c: c.value > 3], reset=reset).failed


def test_the_same_check_has_the_same_message():
    assert message(full, *POPS)[0] == message(full, *POPS)[0]


def test_the_whole_story_is_told_on_request():
    short, full_story = (message(full, *POPS, story=length)[0] for length in ("short", "full"))
    assert len(full_story) >= len(short)
    with pytest.raises(raddle.UsageError, match="story"):
        check(full, *POPS, story="long")


def test_unwatched_calls_are_a_warning():
    import click  # an installed package, which is not instrumented

    with pytest.warns(UserWarning, match="click"):
        check(Stack, [lambda s: click.unstyle("a")], [Stack.size])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(Stack, [Stack.size], [Stack.size])


async def coroutine(stack):
    pass


def generator(stack):
    yield stack


def generator_of_stacks():
    yield Stack()


ok = [Stack.size]


@pytest.mark.parametrize(
    ("slug", "arguments", "options"),
    [
        ("not-a-function", (3, ok, ok), {}),
        ("setup-has-parameters", (lambda size: Stack(), ok, ok), {}),
        ("setup-raises", (lambda: 1 / 0, ok, ok), {}),
        ("no-threads", (Stack,), {}),
        ("no-calls", (Stack, ok, []), {}),
        ("calls-not-a-list", (Stack, Stack.pop, ok), {}),
        ("calls-not-a-list", (Stack, ok, 7), {}),
        ("calls-not-a-list", (Stack, ok, ok), {"observe": Stack.size}),
        ("not-a-function", (Stack, ok, ["pop"]), {}),
        ("call-takes-one-argument", (Stack, ok, [lambda: None]), {}),
        ("call-takes-one-argument", (Stack, ok, [lambda stack, item: None]), {}),
        ("call-not-plain", (Stack, ok, [coroutine]), {}),
        ("call-not-plain", (Stack, ok, ok), {"invariant": generator}),
        ("bad-oracle", (Stack, ok, ok), {"oracle": "result"}),
        ("bad-oracle", (Stack, ok, ok), {"oracle": ()}),
        ("bad-oracle", (Stack, ok, ok), {"oracle": None}),
        ("bad-oracle", (Stack, ok, ok), {"oracle": [3]}),
        ("bad-budget", (Stack, ok, ok), {"preemptions": -1}),
        ("bad-budget", (Stack, ok, ok), {"preemptions": "a"}),
        ("bad-budget", (Stack, ok, ok), {"preemptions": None}),
        ("bad-budget", (Stack, ok, ok), {"preemptions": True}),
        ("bad-budget", (Stack, ok, ok), {"max_executions": "a"}),
        ("bad-budget", (Stack, ok, ok), {"patience_seconds": "a"}),
        ("bad-schedule", (Stack, ok, ok), {"schedule": 5}),
        ("bad-source", (Stack, ok, ok), {"source": 3}),
        ("bad-source", (Stack, ok, ok), {"source": "json"}),
        ("bad-source", (Stack, ok, ok), {"source": [3]}),
        ("bad-reset", (Stack, ok, ok), {"reset": 3}),
        ("bad-reset", (Stack, ok, ok), {"reset": lambda stack: None}),
        ("reset-raises", (Stack, ok, ok), {"reset": lambda: 1 / 0}),
        ("call-not-plain", (generator_of_stacks, ok, ok), {}),
        ("not-a-function", (Stack, ok, ok), {"observe": [3]}),
        ("not-a-function", (Stack, ok, ok), {"invariant": 3}),
        ("bad-budget", (Stack, ok, ok), {"max_executions": 0}),
        ("bad-switches", (Stack, ok, ok), {"switches": "never"}),
        ("bad-step-limit", (Stack, ok, ok), {"step_limit": 0}),
        ("bad-step-limit", (Stack, ok, ok), {"step_limit": "a"}),
        ("too-many-orders", (Stack, ok * 4, ok * 4, ok * 4), {}),
        ("false-invariant", (Stack, ok, ok), {"invariant": lambda stack: False}),
        ("synchronization-under-test", (threading.Event, [lambda event: event.set()], [lambda event: event.set()]), {}),
        ("extension-type", (dict, [lambda items: items.get(1)], [lambda items: items.pop(1, None)]), {}),
        ("extension-type", (io.BytesIO, [lambda file: file.read()], [lambda file: file.read()]), {}),
    ],
)  # fmt: skip
def test_bad_input_is_a_usage_error_in_one_sentence(slug, arguments, options):
    options = {"source": SOURCE, **options}
    with pytest.raises(raddle.UsageError) as caught:
        raddle.linearizable(*arguments, **options)
    assert caught.value.slug == slug
    assert "\n" not in str(caught.value)


def test_a_class_that_is_not_instrumented_is_rejected():
    import click

    with pytest.raises(raddle.UsageError, match=r"source=\['click'\]"):
        raddle.linearizable(lambda: click.Command("a"), [lambda c: c.name], [lambda c: c.name])


def test_state_that_survives_is_an_error():
    executions = itertools.count(1)
    with pytest.raises(raddle.UsageError, match="reset"):
        check(lambda: Stack(*range(next(executions) // 4)), ok, ok)


def test_a_malformed_schedule_is_an_error():
    with pytest.raises(raddle.ScheduleError):
        check(Stack, ok, ok, schedule="T0; T1")


def test_a_check_cannot_run_in_an_exploration():
    with pytest.raises(raddle.FindingError, match="cannot run inside an exploration"):
        raddle.check(lambda: check(Stack, ok, ok), source=SOURCE)


def test_a_call_that_computes_forever_is_ended():
    with pytest.raises(raddle.UsageError, match="it may be in an endless loop"):
        raddle.linearizable(Endless, [lambda endless: endless.spin()], source=SOURCE, patience_seconds=0.1)


def test_ctrl_c_ends_a_call_that_computes_forever():
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)  # SIGINT may be ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            raddle.linearizable(
                Endless, [lambda endless: endless.spin_until_interrupted()], source=SOURCE, patience_seconds=100_000
            )
    finally:
        signal.signal(signal.SIGINT, previous)
