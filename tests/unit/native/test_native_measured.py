"""Coverage and warnings of small programs in both modes, with expectations derived from their sources."""

from __future__ import annotations

import _thread
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from both_modes import MEASURED, explore_all, run_natively

from raddle.warning import DATA_RACE


def line_of(program: str, text: str, number: int = 0) -> int:
    """Return the line number of the text in a program. `number` selects among several occurrences."""
    lines = (MEASURED / f"{program}.py").read_text(encoding="utf-8").splitlines()
    return [at for at, line in enumerate(lines, 1) if text in line][number]


class WaitSignalingCondition(threading.Condition):
    """A queue's `not_full` condition. It releases the lock `waits` when a thread is about to wait for room."""

    def __init__(self, queue: Any) -> None:
        super().__init__(queue.mutex)
        self.waits = _thread.allocate_lock()  # a raw lock, so it is not recorded
        self.waits.acquire()

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.release()
        return super().wait(timeout)


def start_consumer_when_producer_waits(module: ModuleType) -> None:
    """Make the module's `pause` block until the producer waits for room in the queue."""
    real: Any = module.queue.Queue

    class Queue(real):  # type: ignore[misc]
        def __init__(self, maxsize: int) -> None:
            super().__init__(maxsize)
            self.not_full = WaitSignalingCondition(self)

    def pause(queue: Any) -> None:
        queue.not_full.waits.acquire()

    if hasattr(module, "q"):
        module.q.not_full = WaitSignalingCondition(module.q)
    else:
        module.Box.__init__.__globals__["queue"] = type("module", (), {"Queue": Queue})
    module.pause = pause  # type: ignore[attr-defined]


def test_a_blocked_put_is_recorded_when_the_item_enters_the_queue() -> None:
    path = MEASURED / "q1.py"
    first, second = line_of("q1", "q.put(1)"), line_of("q1", "q.put(2)")
    first_get, second_get = line_of("q1", "q.get()"), line_of("q1", "q.get()", 1)
    # The queue has room for one item, so the second put happens after the first get.
    expected = {(first, first_get), (second, second_get)}
    assert run_natively(path, "hbpair", start_consumer_when_producer_waits).line_pairs("Queue") == expected
    assert explore_all(path, "hbpair").line_pairs("Queue") == expected


def test_a_put_does_not_order_later_writes_before_its_get() -> None:
    path = MEASURED / "q2.py"
    write, read = line_of("q2", "self.x = 1"), line_of("q2", "y = self.x")
    assert run_natively(path, "hbpair", start_consumer_when_producer_waits).warned_lines(DATA_RACE) == {(write, read)}
    # In a controlled execution, the consumer may also read before the write.
    assert explore_all(path, "hbpair").warned_lines(DATA_RACE) in ({(write, read)}, {(write, read), (read, write)})


def test_a_semaphore_release_has_the_line_of_the_releasing_threads_with_statement() -> None:
    path = MEASURED / "sem.py"
    one, two = (line_of("sem", "with self.sem:", number) for number in (0, 1))
    native, controlled = run_natively(path, "hbpair*"), explore_all(path, "hbpair*")
    # Two of the three threads run `one`, and only the third runs `two`. Any thread can pass a permit to any other.
    assert controlled.line_pairs("Semaphore", "hbpair*") == {(one, one), (one, two), (two, one)}
    assert native.line_pairs("Semaphore", "hbpair*") <= {(one, one), (one, two), (two, one)}
    for measured in (native, controlled):
        for released_at, acquired_at, resource, releaser, acquirer in measured.covered("hbpair*"):
            if resource:
                functions = {one: "Box.one", two: "Box.two"}
                assert releaser.type.endswith(functions[measured.line(released_at)])
                assert acquirer.type.endswith(functions[measured.line(acquired_at)])


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
def test_nested_with_statements_over_a_semaphore_release_in_reverse_order(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"nested_{kind[10:14].lower()}.py"
    path.write_text(SEQUENTIAL.format(kind=kind), encoding="utf-8")
    # `one` releases on line 7. Then `two` acquires on lines 10 and 11, and releases on line 11 and finally on line 10.
    expected = {(7, 10), (7, 11), (10, 7)}
    for measured in (run_natively(path, "hbpair"), explore_all(path, "hbpair")):
        assert measured.line_pairs(kind[10:-3]) == expected


@pytest.mark.parametrize("kind", ["threading.RLock()", "threading.Condition()"])
def test_nested_with_statements_over_a_lock_count_only_the_outermost(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"nested_{kind[10:14].lower()}.py"
    path.write_text(SEQUENTIAL.format(kind=kind), encoding="utf-8")
    for measured in (run_natively(path, "hbpair"), explore_all(path, "hbpair")):
        assert measured.line_pairs("RLock") == {(7, 10), (10, 7)}  # only the outermost acquire counts


def test_a_release_call_inside_a_with_statement_keeps_its_own_line(tmp_path: Path) -> None:
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
    for measured in (run_natively(path, "hbpair"), explore_all(path, "hbpair")):
        assert measured.line_pairs("Semaphore") == {(7, 7)}
        assert measured.line_pairs("Lock") == {(9, 8)}


def test_a_wait_in_a_with_statement_does_not_change_the_line_of_the_release(tmp_path: Path) -> None:
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
    for measured in (run_natively(path, "hbpair"), explore_all(path, "hbpair")):
        assert measured.line_pairs("RLock") == {(7, 10)}


def test_failed_operations_are_not_recorded(tmp_path: Path) -> None:
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
    for measured in (run_natively(path, "hbpair"), explore_all(path, "hbpair")):
        assert measured.line_pairs("BoundedSemaphore") == set()
        assert measured.line_pairs("Queue") == {(16, 24)}


def test_a_variable_that_is_only_read_is_not_shared(tmp_path: Path) -> None:
    """`x` is written before the threads start, and after that it is only read. Two threads read and write `y`."""
    path, own = MEASURED / "ro.py", {line_of("ro", "self.y = 0"), line_of("ro", "self.y += 1")}
    native, controlled = run_natively(path, "all,tpair,eraser"), explore_all(path, "all,tpair,eraser")
    for number, measured in enumerate((native, controlled)):
        assert {measured.line(key[0]) for key in measured.covered("eraser")} <= own
        totals = measured.static_totals(tmp_path / str(number))
        # Accesses to `y`: one by the main thread before the starts, and two by each of the other two threads. The
        # accesses of all threads can happen in 4! / (2! 2!) = 6 orders. The accesses of each pair of threads that
        # includes the main thread can happen in only 1 order, and those of the other pair in 6.
        assert (totals["all"], totals["tpair"]) == (6, 1 + 1 + 6)


def test_a_pool_task_is_ordered_after_its_submission_and_before_its_result() -> None:
    path = MEASURED / "pool.py"
    add, sub = line_of("pool", "def add"), line_of("pool", "def sub")
    added, subtracted = line_of("pool", "self.n += 1"), line_of("pool", "self.n -= 1")
    native, controlled = run_natively(path, "hbpair,goodlock"), explore_all(path, "hbpair,goodlock")
    for measured in (native, controlled):
        tasks = measured.line_pairs("ThreadPoolExecutor")
        # A pair links the beginning of a task to the last submission before it. For `add`, that may also be the
        # submission of `sub`.
        assert tasks <= {(line_of("pool", f"submit(box.{of}"), at) for of in ("add", "sub") for at in (add, sub)}
        assert {taken for _, taken in tasks} == {add, sub}
        assert (line_of("pool", "submit(box.add"), sub) not in tasks
        # The result is set when the method returns. The step that sets it is on the line of the `def`.
        results = {(line_of("pool", "def add"), line_of("pool", "a.result()"))}
        results |= {(line_of("pool", "def sub"), line_of("pool", "b.result()"))}
        assert measured.line_pairs("Future") == results, (added, subtracted)
        assert measured.covered("goodlock") == set()  # the program never holds one lock while it acquires another
        assert {part.type for part in measured.resources()} == {"ThreadPoolExecutor", "Future"}
