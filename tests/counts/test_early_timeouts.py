"""Timeouts that may expire at any time, and notifications that may wake any waiter.

A timed wait is always enabled. When the scheduler chooses the waiting thread, the wait succeeds if its condition holds
and times out otherwise.
"""

from __future__ import annotations

import importlib
import queue
import random
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import raddle

RULES = {
    "source": [__file__],
    "timeouts": "any",
    "criteria": "none",
    "until": "exhausted",
    "shrink": False,
    "executions": 6_000,
}
COMPLETE = ("exhaustive", "deepening", "reachability")


def side_by_side(*bodies: Callable[[], object]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def lock_scenario(seen: set[bool]) -> Callable[[], None]:
    def scenario() -> None:
        lock = threading.Lock()

        def holds() -> None:
            with lock:
                pass

        def waits() -> None:
            got = lock.acquire(timeout=5)
            seen.add(got)
            if got:
                lock.release()

        side_by_side(holds, waits)

    return scenario


def condition_scenario(seen: set[tuple[bool, bool]]) -> Callable[[], None]:
    def scenario() -> None:
        condition, notified = threading.Condition(), []

        def waits() -> None:
            with condition:
                woken = condition.wait(timeout=5)
                seen.add((woken, bool(notified)))

        def notifies() -> None:
            with condition:
                notified.append(True)
                condition.notify()

        side_by_side(waits, notifies)

    return scenario


def queue_scenario(seen: set[object]) -> Callable[[], None]:
    def scenario() -> None:
        items: queue.Queue[int] = queue.Queue()

        def gets() -> None:
            try:
                seen.add(items.get(timeout=5))
            except queue.Empty:
                seen.add("empty")

        side_by_side(gets, lambda: items.put(1))

    return scenario


@pytest.mark.parametrize("scheduler", COMPLETE)
def test_a_timed_acquire_expires_while_the_lock_is_held(scheduler: str) -> None:
    seen: set[bool] = set()
    result = raddle.explore(lock_scenario(seen), scheduler=scheduler, **RULES)
    assert result.exhausted
    assert seen == {True, False}


def test_without_the_option_a_timeout_expires_only_if_every_other_thread_is_blocked() -> None:
    seen: set[bool] = set()
    result = raddle.explore(lock_scenario(seen), scheduler="reachability", **{**RULES, "timeouts": "late"})
    assert result.exhausted
    assert seen == {True}
    assert any("early expiry was not explored" in note for note in result.notes)


@pytest.mark.parametrize("scheduler", COMPLETE)
def test_a_wait_can_expire_before_and_after_the_notification(scheduler: str) -> None:
    # There are three cases. First, the wait is notified in time. Second, it expires before the other thread runs.
    # Third, it expires while the notifying thread still holds the lock. In that case `wait` returns False even though
    # the notification was sent.
    seen: set[tuple[bool, bool]] = set()
    result = raddle.explore(condition_scenario(seen), scheduler=scheduler, **RULES)
    assert result.exhausted
    assert seen == {(True, True), (False, False), (False, True)}


@pytest.mark.parametrize("scheduler", COMPLETE)
def test_a_timed_get_returns_an_item_or_expires(scheduler: str) -> None:
    seen: set[object] = set()
    result = raddle.explore(queue_scenario(seen), scheduler=scheduler, **RULES)
    assert result.exhausted
    assert seen == {1, "empty"}


def test_a_notification_can_wake_any_waiter() -> None:
    orders: set[str] = set()

    def scenario() -> None:
        try:
            second_waiter_first()
            orders.add("as they waited")
        except AssertionError:
            orders.add("the other way round")

    raddle.explore(scenario, scheduler="random", wakeups="fifo", executions=200, criteria="none", until="budget")
    assert orders == {"as they waited"}
    raddle.explore(scenario, scheduler="random", wakeups="any", executions=200, criteria="none", until="budget")
    assert orders == {"as they waited", "the other way round"}


def finding_of_the_second_waiter() -> raddle.Finding:
    result = raddle.explore(
        second_waiter_first, wakeups="any", scheduler="random", executions=200, criteria="none", source=[__file__]
    )
    return result.findings[0]


def second_waiter_first() -> None:
    condition, about_to_wait = threading.Condition(), threading.Semaphore(0)
    waiting: list[int] = []
    woken: list[int] = []

    def waits(number: int) -> None:
        with condition:
            waiting.append(number)
            about_to_wait.release()
            condition.wait()
            woken.append(number)
            condition.notify()

    threads = [threading.Thread(target=waits, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for _ in threads:
        about_to_wait.acquire()
    with condition:  # can be acquired only when both threads are waiting
        condition.notify()
    for thread in threads:
        thread.join()
    assert woken == waiting, "another waiter was woken first"


def test_the_schedule_names_the_waiter_and_replays() -> None:
    finding = finding_of_the_second_waiter()
    assert "(wakes T" in str(finding.schedule)
    assert "wakeups='any'" in finding.replay_options.line(str(finding.schedule))
    replayed = raddle.replay(second_waiter_first, str(finding.schedule), wakeups="any")
    assert replayed is not None
    assert replayed.message == finding.message


def test_invalid_values_of_timeouts_and_wakeups_are_rejected() -> None:
    with pytest.raises(raddle.UsageError, match="timeouts must be one of late, any, not 'early'"):
        raddle.explore(second_waiter_first, timeouts="early")  # type: ignore[arg-type]
    with pytest.raises(raddle.UsageError, match="wakeups must be one of fifo, any, not 'lifo'"):
        raddle.explore(second_waiter_first, wakeups="lifo")  # type: ignore[arg-type]


# -- random programs -----------------------------------------------------------------------------------

STATEMENTS = {
    "lock": ["with lock: data['x'] += 1"],
    "timed lock": ["ok = lock.acquire(timeout=1); seen.append(ok)", "if ok: data['x'] *= 2; lock.release()"],
    "wait": ["with condition: seen.append((condition.wait(timeout=1), data['x']))"],
    "notify": ["with condition: data['x'] += 1; condition.notify()"],
    "timed event": ["seen.append(event.wait(timeout=1))"],
    "set": ["event.set()"],
    "clear": ["event.clear()"],
    "timed semaphore": ["seen.append(semaphore.acquire(timeout=1))"],
    "release": ["semaphore.release()"],
    "timed get": ["try: seen.append(items.get(timeout=1))", "except queue.Empty: seen.append('empty')"],
    "timed put": ["try: items.put(1, timeout=1)", "except queue.Full: seen.append('full')"],
    "increment": ["data['x'] += 1"],
}


def program(seed: int) -> str:
    """Return the source of a module with a scenario of two or three threads that each perform one or two operations."""
    chance = random.Random(seed)
    lines = [
        "import queue, threading",
        "RESULTS = set()",
        "def scenario():",
        "    lock, condition, event = threading.Lock(), threading.Condition(), threading.Event()",
        "    semaphore, items, data, done = threading.Semaphore(0), queue.Queue(1), {'x': 0}, {}",
    ]
    number = chance.choice([2, 2, 3])
    for thread in range(number):
        lines += [f"    def body{thread}():", "        seen = []"]
        for _ in range(chance.choice([1, 2, 2])):
            lines += [f"        {line}" for line in STATEMENTS[chance.choice(list(STATEMENTS))]]
        lines.append(f"        done[{thread}] = tuple(seen)")
    bodies = ", ".join(f"threading.Thread(target=body{thread})" for thread in range(number))
    lines += [f"    threads = [{bodies}]", "    for thread in threads: thread.start()"]
    if chance.random() < 0.3:
        lines.append("    threads[0].join(timeout=1); done['alive'] = threads[0].is_alive()")
    lines += [
        "    for thread in threads: thread.join()",
        "    RESULTS.add((str(sorted(done.items(), key=str)), data['x']))",
    ]
    return "\n".join(lines)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], object]]:
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def load(seed: int) -> object:
        names.append(f"timed{seed}")
        (tmp_path / f"{names[-1]}.py").write_text(program(seed))
        importlib.invalidate_caches()
        return importlib.import_module(names[-1])

    yield load
    for name in names:
        del sys.modules[name]


@pytest.mark.parametrize("first", [0, 10, 20])
def test_reachability_testing_finds_the_outcomes_of_all_interleavings(
    programs: Callable[[int], object], first: int
) -> None:
    compared = 0
    for seed in range(first, first + 10):
        module = programs(seed)
        rules = {**RULES, "source": [module.__name__], "executions": 800, "wakeups": ("fifo", "any")[seed % 2]}
        every = raddle.explore(module.scenario, scheduler="exhaustive", **rules)
        if not every.exhausted:
            continue
        expected = set(module.RESULTS)
        module.RESULTS.clear()
        found = raddle.explore(module.scenario, scheduler="reachability", **rules)
        assert found.exhausted, program(seed)
        assert expected == module.RESULTS, program(seed)
        assert found.outcome == every.outcome, program(seed)
        compared += 1
    assert compared >= 3
