"""The same execution covers the same requirements in both modes.

Each program of `tests/programs` is changed so that every thread is joined right after its start. The threads then run
one after the other. The join has a timeout, because a join without a timeout would order the accesses, and no variable
would count as shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from both_modes import MEASURED, ModeComparison, run_in_both_modes

PROGRAMS = MEASURED.parent
STARTS = re.compile(r"\b(\w+)\.start\(\)")
ORDERED = r"(\1.start(), \1.join(60))"

EXCLUDED = {
    **dict.fromkeys(
        (
            "barrier_phases", "barrier_for_three", "buffer_with_if", "buffer_with_while", "handshake", "lost_wakeup",
            "missed_signal", "notify_one", "one_pill_for_two", "semaphore_leak",
        ),
        "threads wait for others that start later",
    ),
    **dict.fromkeys(("daemon_cut_off", "daemon_in_between", "daemon_dies"), "a daemon thread fails or never ends"),
    "cached_singleton": "the cache of a function is a variable under control only (docs/limits.md)",
    **dict.fromkeys(("q1", "q2", "three"), "threads wait for others that start later"),
    **dict.fromkeys(("pool", "pool_tasks"), "the pool starts its own threads; PRIMITIVES covers pools"),
}  # fmt: skip
NAMES = sorted(
    f"{path.parent.name}/{path.stem}"
    for kind in ("correct", "faulty", "measured")
    for path in (PROGRAMS / kind).glob("*.py")
    if path.stem not in EXCLUDED
)


def run_sequentially(folder: Path, name: str) -> ModeComparison:
    """Change a program so that its threads run one after the other, and run it in both modes."""
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    changed, starts = STARTS.subn(ORDERED, source)
    assert starts, "no `start()` call was found in the program"
    path = folder / f"{Path(name).stem}.py"
    path.write_text(changed, encoding="utf-8")
    return run_in_both_modes(path)


def first_three(keys: Iterable[object]) -> list[object]:
    return sorted(keys, key=repr)[:3]


@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_covers_the_same_requirements_in_both_modes(tmp_path: Path, name: str) -> None:
    comparison = run_sequentially(tmp_path, name)
    differing = {
        criterion: {
            "natively only": first_three(native - controlled),
            "under control only": first_three(controlled - native),
        }
        for criterion, (native, controlled) in comparison.covered.items()
        if native != controlled
    }
    assert not differing
    assert comparison.variables[0] == comparison.variables[1]
    assert comparison.resources[0] == comparison.resources[1]


def test_enough_programs_are_compared() -> None:
    assert len(NAMES) >= 20
    assert EXCLUDED.keys() <= {path.stem for path in PROGRAMS.glob("*/*.py")}


def test_the_compared_coverage_is_not_empty(tmp_path: Path) -> None:
    """Two threads that increment a counter share it, whichever runs first."""
    comparison = run_sequentially(tmp_path, "faulty/lost_update")
    assert comparison.variables[0]
    assert all(comparison.covered[criterion][0] for criterion in ("map", "def-use", "eraser", "hbpair", "concur-pairs"))


PRIMITIVES = """
import concurrent.futures
import queue
import threading


class Box:
    def __init__(self):
        self.n = 0
        self.lock, self.rlock, self.condition = threading.Lock(), threading.RLock(), threading.Condition()
        self.event, self.barrier = threading.Event(), threading.Barrier(1)
        self.semaphore, self.bounded = threading.Semaphore(2), threading.BoundedSemaphore(2)
        self.queues = [queue.Queue(), queue.LifoQueue(), queue.PriorityQueue(), queue.SimpleQueue()]

    def give(self):
        self.n += 1
        with self.lock:
            self.n += 1
        with self.rlock:
            with self.rlock:
                self.n += 1
        with self.condition:
            self.condition.notify_all()
        self.event.clear()
        self.event.set()
        self.barrier.wait()
        with self.semaphore, self.bounded:
            self.n += 1
        self.semaphore.acquire()
        self.semaphore.release()
        for one in self.queues:
            one.put(1)
            one.put_nowait(2)

    def take(self):
        self.lock.acquire()
        self.n += 1
        self.lock.release()
        self.rlock.acquire()
        self.rlock.release()
        with self.condition:
            self.condition.wait_for(lambda: self.n)
            self.condition.wait(0)
        self.event.wait()
        if self.event.is_set():
            self.n += 1
        self.barrier.wait()
        with self.bounded:
            with self.semaphore:
                self.n += 1
        for one in self.queues:
            one.get()
            one.get_nowait()
        self.queues[0].task_done()
        self.queues[0].task_done()

    def add(self):
        self.n += 1


def scenario():
    box = Box()
    for run in (box.give, box.take, box.queues[0].join, box.give, box.take):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join(60)
    timer = threading.Timer(0.0, box.add)
    timer.start()
    timer.join(60)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(box.add).result()
        box.n += 1
        concurrent.futures.wait([pool.submit(box.add)])
        box.n += 1
        for future in concurrent.futures.as_completed([pool.submit(box.add)]):
            future.exception()
        list(pool.map(Box.add, [box]))
    box.n += 1
"""


def test_every_primitive_gives_the_same_coverage_in_both_modes(tmp_path: Path) -> None:
    path = tmp_path / "primitives.py"
    path.write_text(PRIMITIVES, encoding="utf-8")
    comparison = run_in_both_modes(path)
    assert {name for name, (native, controlled) in comparison.covered.items() if native != controlled} == set()
    assert comparison.resources[0] == comparison.resources[1]
    assert comparison.variables[0] == comparison.variables[1]
    # These are the resources that the program's own lines use. Steps of library threads have no line.
    assert {resource.type for resource in comparison.resources[0]} == {
        "Lock", "RLock", "Condition", "Event", "Barrier", "Semaphore", "BoundedSemaphore", "Queue", "LifoQueue",
        "PriorityQueue", "SimpleQueue", "ThreadPoolExecutor", "Future",
    }  # fmt: skip
