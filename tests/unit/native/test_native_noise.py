"""Noise: how it is specified, where it happens, and how the seed determines it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from native_recording import record

from raddle.errors import UsageError
from raddle.native import noise as noise_module
from raddle.native.ids.registry import Actor
from raddle.native.noise import Disturbance, Noise
from raddle.native.recorder import ThreadRecord

PROGRAM = """
import threading
class Box:
    def __init__(self): self.shared, self.lock = 0, threading.Lock()
class Own: pass
def work(box):
    own = Own()
    for n in range(200):
        own.n = n
        with box.lock: box.shared += 1
def main():
    box = Box()
    threads = [threading.Thread(target=work, args=(box,)) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return box.shared
"""


def thread_record(label: str = "0") -> ThreadRecord:
    return ThreadRecord(0, label, Actor(0, "main"), 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yield", Noise("yield")),
        ("busy:strength=0.5", Noise("busy", strength=0.5)),
        (
            "sleep:where=shared,probability=0.1,strength=5",
            Noise("sleep", where="shared", probability=0.1, strength=5),
        ),
        ("switch-interval:where=locks,probability=1", Noise("switch-interval", where="locks", probability=1)),
    ],
)
def test_noise_is_parsed_from_text(text: str, expected: Noise) -> None:
    assert Noise.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "slep",
            "unknown kind of noise 'slep'; did you mean sleep? choose from yield, sleep, busy, switch-interval",
        ),
        ("yield:probablity=1", "did you mean probability? choose from where, probability, strength"),
        ("yield:where=lock", "unknown place for noise 'lock'; did you mean locks?"),
        ("yield:probability=2", "probability must be more than 0 and at most 1"),
        ("sleep:strength=-1", "must be more than 0"),
        ("sleep:strength=much", "strength must be a number, not 'much'"),
        ("", "unknown kind of noise ''; choose from"),
    ],
)
def test_invalid_noise_is_a_usage_error(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Noise.parse(text)
    assert message in str(caught.value)
    assert caught.value.slug == "bad-noise"


@pytest.fixture
def delays(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float]]:
    """Record delays in a list instead of sleeping or spinning."""
    done: list[tuple[str, float]] = []
    monkeypatch.setattr(noise_module, "sleep", lambda seconds: done.append(("sleep", seconds)))
    monkeypatch.setattr(noise_module, "_spin", lambda seconds: done.append(("busy", seconds)))
    return done


def decisions(disturbance: Disturbance, thread: ThreadRecord, delays: list[tuple[str, float]]) -> list[tuple[int, Any]]:
    found = []
    for arrival in range(500):
        delays.clear()
        disturbance.at_access(thread, 70_000 + arrival)
        if delays:
            found.append((arrival, list(delays)))
    return found


def test_the_same_seed_gives_the_same_decisions(delays: list[tuple[str, float]]) -> None:
    def disturb(seed: int, label: str) -> list[tuple[int, Any]]:
        noises = [Noise("sleep", probability=0.1), Noise("busy", probability=0.2, strength=3)]
        return decisions(Disturbance(noises, seed=seed), thread_record(label), delays)

    reference = disturb(1, "0.1")
    assert reference == disturb(1, "0.1")
    assert reference != disturb(2, "0.1")
    assert reference != disturb(1, "0.2")
    # At each of 500 arrivals, two kinds of noise happen with probabilities 0.1 and 0.2, so about 140 arrivals are
    # delayed.
    assert 100 < len(reference) < 180
    amounts = [(kind, seconds) for _, calls in reference for kind, seconds in calls]
    assert all(0 <= seconds < (0.001 if kind == "sleep" else 0.003) for kind, seconds in amounts)
    assert max(seconds for _, seconds in amounts) > 0.002


def test_noise_at_shared_accesses_affects_only_variables_of_several_threads(delays: list[tuple[str, float]]) -> None:
    disturbance = Disturbance([Noise("sleep", where="shared", probability=1)], seed=1)
    assert disturbance.needs_steps
    assert decisions(disturbance, thread_record(), delays) == []
    # Two threads access variable 5, at sites 70001 and 70002. Only one thread accesses variable 6, at site 70003.
    disturbance.learn(
        [(0, "write", 5, 70_001), (0, "read", 6, 70_003), (1, "read", 5, 70_002), (1, "release", 5, 70_004)]
    )
    assert [arrival for arrival, _ in decisions(disturbance, thread_record(), delays)] == [1, 2]
    delays.clear()
    disturbance.at_lock(thread_record(), 70_001)
    assert delays == []


def test_sites_that_become_shared_do_not_change_later_decisions(delays: list[tuple[str, float]]) -> None:
    steps = [(thread, "write", 5, 70_000 + arrival) for arrival in range(500) for thread in (0, 1)]

    def decided(*, early: bool) -> list[tuple[int, Any]]:
        disturbance = Disturbance([Noise("sleep", where="shared", probability=0.1)], seed=1)
        thread = thread_record()
        if early:
            disturbance.learn(steps)
        first = decisions(disturbance, thread, delays)
        disturbance.learn(steps)
        assert bool(first) is early
        return decisions(disturbance, thread, delays)

    assert decided(early=True) == decided(early=False) != []


def test_noise_at_locks_does_not_delay_accesses(delays: list[tuple[str, float]]) -> None:
    disturbance = Disturbance([Noise("sleep", where="locks", probability=1)], seed=1)
    disturbance.at_access(thread_record(), 70_000)
    assert delays == []
    disturbance.at_lock(thread_record(), 0)
    assert len(delays) == 1


def test_a_thread_that_is_busy_recording_is_not_delayed(delays: list[tuple[str, float]]) -> None:
    thread = thread_record()
    thread.busy = True
    Disturbance([Noise("sleep", probability=1)], seed=1).at_access(thread, 70_000)
    assert delays == []


def test_the_switch_interval_is_restored() -> None:
    before = sys.getswitchinterval()
    disturbance = Disturbance([Noise("switch-interval", probability=1)], seed=1)
    disturbance.at_access(thread_record(), 70_000)
    assert 0 < sys.getswitchinterval() <= 0.001 < before
    disturbance.end()
    assert sys.getswitchinterval() == before


@pytest.mark.parametrize(
    "text",
    ["yield:probability=0.5", "sleep:where=shared,strength=0.01", "busy:where=locks,strength=0.01", "switch-interval"],
)
def test_a_program_with_noise_has_the_same_result(tmp_path: Path, text: str) -> None:
    recorded = record(tmp_path, PROGRAM, noises=[Noise.parse(text)])
    assert recorded.value == 600
    assert len([1 for _, kind in recorded.accesses("Box.shared") if kind == "write"]) == 601


def test_globals_are_recorded_with_noise(tmp_path: Path) -> None:
    source = "total = 0\ndef main():\n    global total\n    for _ in range(5): total += 1\n    return total\n"
    recorded = record(tmp_path, source, noises=[Noise("yield")])
    assert recorded.value == 5
    assert [variable.name for variable in recorded.entities.variables] == ["total"]
