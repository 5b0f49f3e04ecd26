"""Noise: what it is called, where it is made, and that a seed means the same decisions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from natively import record

from raddle.errors import UsageError
from raddle.native import noise as module
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


def me(label: str = "0") -> ThreadRecord:
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
def test_written(text: str, expected: Noise) -> None:
    assert Noise.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "slep",
            "'slep': unknown kind of noise 'slep'; did you mean sleep? choose from yield, sleep, busy, switch-interval",
        ),
        ("yield:probablity=1", "did you mean probability? choose from where, probability, strength"),
        ("yield:where=lock", "unknown place for noise 'lock'; did you mean locks?"),
        ("yield:probability=2", "probability must be more than 0 and at most 1"),
        ("sleep:strength=-1", "must be more than 0"),
        ("sleep:strength=much", "strength must be a number, not 'much'"),
        ("", "unknown kind of noise ''; choose from"),
    ],
)
def test_bad(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Noise.parse(text)
    assert said in str(caught.value)
    assert caught.value.slug == "bad-noise"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float]]:
    """What is done, instead of doing it."""
    done: list[tuple[str, float]] = []
    monkeypatch.setattr(module, "sleep", lambda seconds: done.append(("sleep", seconds)))
    monkeypatch.setattr(module, "_spin", lambda seconds: done.append(("busy", seconds)))
    return done


def decisions(disturbance: Disturbance, who: ThreadRecord, made: list[tuple[str, float]]) -> list[tuple[int, Any]]:
    found = []
    for arrival in range(500):
        made.clear()
        disturbance.at_access(who, 70_000 + arrival)
        if made:
            found.append((arrival, list(made)))
    return found


def test_same_seed_same_decisions(made: list[tuple[str, float]]) -> None:
    def disturb(seed: int, label: str) -> list[tuple[int, Any]]:
        noises = [Noise("sleep", probability=0.1), Noise("busy", probability=0.2, strength=3)]
        return decisions(Disturbance(noises, seed=seed), me(label), made)

    once = disturb(1, "0.1")
    assert once == disturb(1, "0.1")
    assert once != disturb(2, "0.1")
    assert once != disturb(1, "0.2")
    # 500 arrivals, each with chances of 0.1 and 0.2: about 140 with noise.
    assert 100 < len(once) < 180
    amounts = [(kind, seconds) for _, some in once for kind, seconds in some]
    assert all(0 <= seconds < (0.001 if kind == "sleep" else 0.003) for kind, seconds in amounts)
    assert max(seconds for _, seconds in amounts) > 0.002


def test_only_where_something_is_shared(made: list[tuple[str, float]]) -> None:
    disturbance = Disturbance([Noise("sleep", where="shared", probability=1)], seed=1)
    assert disturbance.needs_steps
    assert decisions(disturbance, me(), made) == []
    # Variable 5 is touched by two threads, at sites 70001 and 70002; variable 6 by one, at 70003.
    disturbance.learn(
        [(0, "write", 5, 70_001), (0, "read", 6, 70_003), (1, "read", 5, 70_002), (1, "release", 5, 70_004)]
    )
    assert [arrival for arrival, _ in decisions(disturbance, me(), made)] == [1, 2]
    made.clear()
    disturbance.at_lock(me(), 70_001)
    assert made == []


def test_what_was_learnt_does_not_change_later_decisions(made: list[tuple[str, float]]) -> None:
    steps = [(thread, "write", 5, 70_000 + arrival) for arrival in range(500) for thread in (0, 1)]

    def decided(*, early: bool) -> list[tuple[int, Any]]:
        disturbance = Disturbance([Noise("sleep", where="shared", probability=0.1)], seed=1)
        who = me()
        if early:
            disturbance.learn(steps)
        first = decisions(disturbance, who, made)
        disturbance.learn(steps)
        assert bool(first) is early
        return decisions(disturbance, who, made)

    assert decided(early=True) == decided(early=False) != []


def test_only_at_locks(made: list[tuple[str, float]]) -> None:
    disturbance = Disturbance([Noise("sleep", where="locks", probability=1)], seed=1)
    disturbance.at_access(me(), 70_000)
    assert made == []
    disturbance.at_lock(me(), 0)
    assert len(made) == 1


def test_busy_thread_is_left_alone(made: list[tuple[str, float]]) -> None:
    who = me()
    who.busy = True
    Disturbance([Noise("sleep", probability=1)], seed=1).at_access(who, 70_000)
    assert made == []


def test_switch_interval_is_put_back() -> None:
    before = sys.getswitchinterval()
    disturbance = Disturbance([Noise("switch-interval", probability=1)], seed=1)
    disturbance.at_access(me(), 70_000)
    assert 0 < sys.getswitchinterval() <= 0.001 < before
    disturbance.end()
    assert sys.getswitchinterval() == before


@pytest.mark.parametrize(
    "text",
    ["yield:probability=0.5", "sleep:where=shared,strength=0.01", "busy:where=locks,strength=0.01", "switch-interval"],
)
def test_program_with_noise_does_the_same(tmp_path: Path, text: str) -> None:
    told = record(tmp_path, PROGRAM, noises=[Noise.parse(text)])
    assert told.value == 600
    assert len([1 for _, kind in told.accesses("Box.shared") if kind == "write"]) == 601


def test_globals_with_noise(tmp_path: Path) -> None:
    source = "total = 0\ndef main():\n    global total\n    for _ in range(5): total += 1\n    return total\n"
    told = record(tmp_path, source, noises=[Noise("yield")])
    assert told.value == 5
    assert [variable.name for variable in told.entities.variables] == ["total"]
