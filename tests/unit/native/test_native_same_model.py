"""The same execution covers the same in both modes: programs whose threads run one after the other.

Each program of `tests/programs` is changed so that a thread that it starts is joined at once. The join has a timeout,
as one without would order what the threads do, and nothing would be shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from modes import MEASURED, Both, both

PROGRAMS = MEASURED.parent
STARTS = re.compile(r"\b(\w+)\.start\(\)")
ORDERED = r"(\1.start(), \1.join(60))"

LEFT_OUT = {
    **dict.fromkeys(
        (
            "barrier_phases", "barrier_for_three", "buffer_with_if", "buffer_with_while", "handshake", "lost_wakeup",
            "missed_signal", "notify_one", "one_pill_for_two", "semaphore_leak",
        ),
        "threads wait for others that start later",
    ),
    **dict.fromkeys(("daemon_cut_off", "daemon_in_between", "daemon_dies"), "a daemon does not end, or fails"),
    "cached_singleton": "the cache of a function is a variable under control only (docs/limits.md)",
    **dict.fromkeys(("q1", "q2", "three"), "threads wait for others that start later"),
    **dict.fromkeys(("pool", "pool_tasks"), "the pool starts its threads itself; see below"),
}  # fmt: skip
NAMES = sorted(
    f"{path.parent.name}/{path.stem}"
    for kind in ("correct", "faulty", "measured")
    for path in (PROGRAMS / kind).glob("*.py")
    if path.stem not in LEFT_OUT
)


def ordered(folder: Path, name: str) -> Both:
    """What a program covers in both modes, if its threads run one after the other."""
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    changed, starts = STARTS.subn(ORDERED, source)
    assert starts, "the program starts no thread that could be joined at once"
    path = folder / f"{Path(name).stem}.py"
    path.write_text(changed, encoding="utf-8")
    return both(path)


def first_of(keys: Iterable[object]) -> list[object]:
    return sorted(keys, key=repr)[:3]


@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_covers_the_same(tmp_path: Path, name: str) -> None:
    found = ordered(tmp_path, name)
    differing = {
        criterion: {"natively only": first_of(native - controlled), "under control only": first_of(controlled - native)}
        for criterion, (native, controlled) in found.covered.items()
        if native != controlled
    }
    assert not differing
    assert found.variables[0] == found.variables[1]
    assert found.resources[0] == found.resources[1]


def test_enough_programs_are_compared() -> None:
    assert len(NAMES) >= 20
    assert LEFT_OUT.keys() <= {path.stem for path in PROGRAMS.glob("*/*.py")}


def test_the_comparison_is_about_something(tmp_path: Path) -> None:
    """Two threads that add to a counter share it, in any order."""
    found = ordered(tmp_path, "faulty/lost_update")
    assert found.variables[0]
    assert all(found.covered[criterion][0] for criterion in ("map", "def-use", "eraser", "hbpair", "concur-pairs"))


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


def test_every_primitive_makes_the_same_steps(tmp_path: Path) -> None:
    path = tmp_path / "primitives.py"
    path.write_text(PRIMITIVES, encoding="utf-8")
    found = both(path)
    assert {name for name, (native, controlled) in found.covered.items() if native != controlled} == set()
    assert found.resources[0] == found.resources[1]
    assert found.variables[0] == found.variables[1]
    # Threads of the library have no line at which they take something; all others are touched by the program's.
    assert {resource.type for resource in found.resources[0]} == {
        "Lock", "RLock", "Condition", "Event", "Barrier", "Semaphore", "BoundedSemaphore", "Queue", "LifoQueue",
        "PriorityQueue", "SimpleQueue", "ThreadPoolExecutor", "Future",
    }  # fmt: skip
