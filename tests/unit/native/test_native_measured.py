"""What is measured of small programs in both modes, with expectations that follow from their sources."""

from __future__ import annotations

import _thread
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from modes import MEASURED, explored, natively

from raddle.warning import DATA_RACE


def line_of(program: str, text: str, number: int = 0) -> int:
    """The line of a program that contains a text, the first one if no other is asked for."""
    lines = (MEASURED / f"{program}.py").read_text(encoding="utf-8").splitlines()
    return [at for at, line in enumerate(lines, 1) if text in line][number]


class Telling(threading.Condition):
    """A queue's condition that tells when a thread waits for room; it does so while it holds the queue's mutex."""

    def __init__(self, queue: Any) -> None:
        super().__init__(queue.mutex)
        self.waits = _thread.allocate_lock()  # of code that is not measured
        self.waits.acquire()

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.release()
        return super().wait(timeout)


def until_the_producer_waits(module: ModuleType) -> None:
    """Let the consumer start when the producer waits for room."""
    real: Any = module.queue.Queue

    class Queue(real):  # type: ignore[misc]
        def __init__(self, maxsize: int) -> None:
            super().__init__(maxsize)
            self.not_full = Telling(self)

    def pause(queue: Any) -> None:
        queue.not_full.waits.acquire()

    if hasattr(module, "q"):
        module.q.not_full = Telling(module.q)
    else:
        module.Box.__init__.__globals__["queue"] = type("module", (), {"Queue": Queue})
    module.pause = pause  # type: ignore[attr-defined]


def test_a_put_is_recorded_when_the_item_is_in_the_queue() -> None:
    path = MEASURED / "q1.py"
    first, second = line_of("q1", "q.put(1)"), line_of("q1", "q.put(2)")
    get, again = line_of("q1", "q.get()"), line_of("q1", "q.get()", 1)
    # The queue has room for one item, so the second put comes after the first get.
    expected = {(first, get), (second, again)}
    assert natively(path, "hbpair", until_the_producer_waits).pairs("Queue") == expected
    assert explored(path, "hbpair").pairs("Queue") == expected


def test_what_is_done_between_two_puts_is_not_handed_over_by_the_first() -> None:
    path = MEASURED / "q2.py"
    write, read = line_of("q2", "self.x = 1"), line_of("q2", "y = self.x")
    assert natively(path, "hbpair", until_the_producer_waits).warned(DATA_RACE) == {(write, read)}
    # Under control the consumer may also read first.
    assert explored(path, "hbpair").warned(DATA_RACE) in ({(write, read)}, {(write, read), (read, write)})


def test_a_semaphore_is_given_back_at_the_with_statement_of_the_thread_itself() -> None:
    path = MEASURED / "sem.py"
    one, two = (line_of("sem", "with self.sem:", number) for number in (0, 1))
    native, controlled = natively(path, "hbpair*"), explored(path, "hbpair*")
    # Three threads, two of them in `one`: any can hand a permit over to any other, but `two` runs in one thread only.
    assert controlled.pairs("Semaphore", "hbpair*") == {(one, one), (one, two), (two, one)}
    assert native.pairs("Semaphore", "hbpair*") <= {(one, one), (one, two), (two, one)}
    for measured in (native, controlled):
        for given_at, taken_at, resource, giver, taker in measured.covered("hbpair*"):
            if resource:
                functions = {one: "Box.one", two: "Box.two"}
                assert giver.type.endswith(functions[measured.line(given_at)])
                assert taker.type.endswith(functions[measured.line(taken_at)])


SEQUENTIAL = """
import threading
class Box:
    def __init__(self):
        self.sem = {kind}
    def one(self):
        with self.sem:
            pass
    def two(self):
        with self.sem:
            with self.sem:
                pass
def scenario():
    box = Box()
    for run in (box.one, box.two, box.one):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
"""


@pytest.mark.parametrize("kind", ["threading.Semaphore(2)", "threading.BoundedSemaphore(2)"])
def test_nested_with_statements_over_a_semaphore(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"nested_{kind[10:14].lower()}.py"
    path.write_text(SEQUENTIAL.format(kind=kind), encoding="utf-8")
    # `one` gives back at 7. `two` takes at 10 and 11, after that; it gives back at 11 and at last at 10.
    expected = {(7, 10), (7, 11), (10, 7)}
    for measured in (natively(path, "hbpair"), explored(path, "hbpair")):
        assert measured.pairs(kind[10:-3]) == expected


@pytest.mark.parametrize("kind", ["threading.RLock()", "threading.Condition()"])
def test_nested_with_statements_over_a_lock(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"nested_{kind[10:14].lower()}.py"
    path.write_text(SEQUENTIAL.format(kind=kind), encoding="utf-8")
    for measured in (natively(path, "hbpair"), explored(path, "hbpair")):
        assert measured.pairs("RLock") == {(7, 10), (10, 7)}  # the outermost only


def test_a_call_that_gives_something_else_back_inside_a_with_statement(tmp_path: Path) -> None:
    path = tmp_path / "release_inside.py"
    path.write_text(
        """
import threading
class Box:
    def __init__(self):
        self.sem, self.lock = threading.Semaphore(1), threading.Lock()
    def run(self):
        with self.sem:
            self.lock.acquire()
            self.lock.release()
def scenario():
    box = Box()
    for _ in range(2):
        thread = threading.Thread(target=box.run)
        thread.start()
        thread.join()
""",
        encoding="utf-8",
    )
    for measured in (natively(path, "hbpair"), explored(path, "hbpair")):
        assert measured.pairs("Semaphore") == {(7, 7)}
        assert measured.pairs("Lock") == {(9, 8)}


def test_a_wait_in_a_with_statement_does_not_change_where_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "wait_inside.py"
    path.write_text(
        """
import threading
class Box:
    def __init__(self):
        self.condition = threading.Condition()
    def wait(self):
        with self.condition:
            self.condition.wait(0.0)
    def look(self):
        with self.condition:
            pass
def scenario():
    box = Box()
    for run in (box.wait, box.look):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
""",
        encoding="utf-8",
    )
    for measured in (natively(path, "hbpair"), explored(path, "hbpair")):
        assert measured.pairs("RLock") == {(7, 10)}


def test_what_fails_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "failing.py"
    path.write_text(
        """
import queue
import threading
class Box:
    def __init__(self):
        self.sem, self.queue = threading.BoundedSemaphore(1), queue.Queue(1)
    def first(self):
        try:
            self.sem.release()
        except ValueError:
            pass
        try:
            self.queue.task_done()
        except ValueError:
            pass
        self.queue.put(1)
        for block in (False, True):
            try:
                self.queue.put(2, block, timeout=0)
            except queue.Full:
                pass
    def second(self):
        self.sem.acquire()
        self.queue.get()
        self.queue.task_done()
        self.queue.join()
def scenario():
    box = Box()
    for run in (box.first, box.second):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
""",
        encoding="utf-8",
    )
    for measured in (natively(path, "hbpair"), explored(path, "hbpair")):
        assert measured.pairs("BoundedSemaphore") == set()
        assert measured.pairs("Queue") == {(16, 24)}


def test_a_variable_that_is_only_read_is_not_shared(tmp_path: Path) -> None:
    """`x` is written before the threads start, and then only read; `y` is read and written by two threads."""
    path, own = MEASURED / "ro.py", {line_of("ro", "self.y = 0"), line_of("ro", "self.y += 1")}
    native, controlled = natively(path, "all,tpair,eraser"), explored(path, "all,tpair,eraser")
    for number, measured in enumerate((native, controlled)):
        assert {measured.line(key[0]) for key in measured.covered("eraser")} <= own
        totals = measured.static_totals(tmp_path / str(number))
        # Accesses to `y`: one of the main thread, which comes before the starts, and two of each of the two others.
        # 4! / 2! 2! orders of all of them; 1 for the main thread and another one, twice, and 6 for the two others.
        assert (totals["all"], totals["tpair"]) == (6, 1 + 1 + 6)


def test_a_task_of_a_pool_comes_after_its_submission_and_before_its_result() -> None:
    path = MEASURED / "pool.py"
    add, sub = line_of("pool", "def add"), line_of("pool", "def sub")
    added, subtracted = line_of("pool", "self.n += 1"), line_of("pool", "self.n -= 1")
    native, controlled = natively(path, "hbpair,goodlock"), explored(path, "hbpair,goodlock")
    for measured in (native, controlled):
        tasks = measured.pairs("ThreadPoolExecutor")
        # The last submission before a task begins: the task itself was submitted by then, the other one perhaps.
        assert tasks <= {(line_of("pool", f"submit(box.{of}"), at) for of in ("add", "sub") for at in (add, sub)}
        assert {taken for _, taken in tasks} == {add, sub}
        assert (line_of("pool", "submit(box.add"), sub) not in tasks
        # A method is left where its last statement is; its place is the line of the `def`.
        results = {(line_of("pool", "def add"), line_of("pool", "a.result()"))}
        results |= {(line_of("pool", "def sub"), line_of("pool", "b.result()"))}
        assert measured.pairs("Future") == results, (added, subtracted)
        assert measured.covered("goodlock") == set()  # no lock of the program is held while another one is taken
        assert {part.type for part in measured.resources()} == {"ThreadPoolExecutor", "Future"}
