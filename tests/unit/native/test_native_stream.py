"""The stream of steps is complete, ordered and delivered in batches. Recording errors do not reach the program."""

from __future__ import annotations

import importlib
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest
from native_recording import KeptSteps, record, watching

from raddle.native.stream import BACKOFF_SECONDS, MAX_BACKLOG, MAX_STEPS, Stream
from raddle.native.watch import Watch
from raddle.step import Step


def test_no_access_of_many_threads_is_lost(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import threading
        class Box:
            def __init__(self): self.read, self.written = 1, 0
        def work(box):
            for _ in range(5_000):
                box.read; box.read; box.read; box.read; box.read
                box.read; box.read; box.read; box.read; box.read
                box.written = 1; box.written = 1; box.written = 1; box.written = 1; box.written = 1
                box.written = 1; box.written = 1; box.written = 1; box.written = 1; box.written = 1
        def main():
            box = Box()
            threads = [threading.Thread(target=work, args=(box,)) for _ in range(8)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
        """,
    )
    counts = Counter((thread, kind) for thread, kind, _, _ in recorded.steps if thread)
    for thread in range(1, 9):
        assert counts[thread, "read"] == counts[thread, "write"] == 50_000
    assert recorded.watch.stream.delivered_steps == len(recorded.steps)


def test_threads_slow_down_while_a_batch_is_processed(tmp_path: Path) -> None:
    """The sink delays its first batch. Without backoff, the other thread would meanwhile record all of its steps."""
    (tmp_path / "piling_program.py").write_text(
        dedent(
            """
            import threading
            class Box:
                def __init__(self): self.n = 0
            def work(box):
                for _ in range(40_000): box.n
            def main():
                box = Box()
                threads = [threading.Thread(target=work, args=(box,)) for _ in range(2)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
            """
        )
    )
    measured: list[float] = []

    class SlowSink(KeptSteps):
        def feed(self, steps: Sequence[Step]) -> None:
            super().feed(steps)
            if self.batches == 1:
                start = time.monotonic()
                while time.monotonic() < start + 0.5:
                    time.sleep(0.01)
                measured.append(time.monotonic() - start)
                measured.append(len(watch.stream.steps))

    sys.path.insert(0, str(tmp_path))
    try:
        with watching(tmp_path) as (watch, _):
            slow_sink = watch.stream.sink = SlowSink()
            importlib.invalidate_caches()
            importlib.import_module("piling_program").main()
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("piling_program", None)
    seconds, backlog = measured
    assert backlog <= MAX_BACKLOG * MAX_STEPS + 2 * seconds / BACKOFF_SECONDS < 40_000
    assert sum(kind == "read" for thread, kind, _, _ in slow_sink.steps if thread) == 80_000, (
        "threads slow down but no step is lost"
    )


def test_accesses_under_a_lock_are_recorded_in_order(tmp_path: Path) -> None:
    """The program logs which thread holds the lock. The recorded accesses must be in the order of that log."""
    recorded = record(
        tmp_path,
        """
        import threading
        class Box:
            def __init__(self): self.n, self.lock, self.log = 0, threading.Lock(), []
        def work(box, me):
            for _ in range(300):
                with box.lock:
                    n = box.n
                    box.n = n + 1
                    box.log.append(me)
        def main():
            box = Box()
            threads = [threading.Thread(target=work, args=(box, number)) for number in range(1, 5)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            return box.log
        """,
        max_steps=100,
    )
    assert [thread for thread, kind in recorded.accesses("Box.n") if kind == "write"][1:] == recorded.value
    assert [thread for thread, kind in recorded.accesses("Box.n") if kind == "read"] == recorded.value
    assert len(recorded.value) == 1200


def test_steps_are_delivered_in_batches(tmp_path: Path) -> None:
    kept: list[KeptSteps] = []

    class Sink(KeptSteps):
        def __init__(self) -> None:
            super().__init__()
            kept.append(self)

    run_with_sink(
        tmp_path, "class A: pass\ndef main():\n    a = A()\n    for n in range(1000): a.n = n\n", Sink, max_steps=100
    )
    (sink,) = kept
    assert 9 <= sink.batches <= 12
    assert sum(kind == "write" for _, kind, _, _ in sink.steps) == 1000


class FaultySink(KeptSteps):
    """A sink that fails on its second batch."""

    def feed(self, steps: object) -> None:
        self.batches += 1
        if self.batches == 2:
            raise ZeroDivisionError("a fault in the sink")
        assert self.batches < 2, "the failed sink gets no more batches"


def test_a_faulty_sink_stops_only_the_recording(tmp_path: Path) -> None:
    source = """
import threading
class A: pass
def main():
    a, lock = A(), threading.Lock()
    for n in range(1000):
        with lock: a.n = n
    return a.n
"""
    watch, value = run_with_sink(tmp_path, source, FaultySink, max_steps=100)
    assert value == 999
    assert isinstance(watch.stream.error, ZeroDivisionError)


def test_an_error_in_numbering_stops_only_the_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from raddle.native.ids import variables

    monkeypatch.setattr(variables, "attribute_owner", None)  # calling it fails inside raddle
    watch, value = run_with_sink(tmp_path, "class A: x = 1\ndef main(): return [A().x, A().x]", KeptSteps)
    assert value == [1, 1]
    assert isinstance(watch.stream.error, TypeError)


def test_recording_tolerates_classes_with_failing_attribute_lookup(tmp_path: Path) -> None:
    source = """
class Strange:
    @property
    def __class__(self): raise LookupError("__class__ was inspected")
class Meta(type):
    def __getattr__(self, name): raise LookupError(name)
class Stranger(metaclass=Meta):
    def __init__(self): self.x = 1
def main():
    one, two = Strange(), Stranger()
    one.x = 1
    return one.x, two.x
"""
    watch, value = run_with_sink(tmp_path, source, KeptSteps)
    assert value == (1, 1)
    assert watch.stream.error is None


def test_an_exception_of_a_signal_handler_reaches_the_program(tmp_path: Path) -> None:
    """A signal arrives while steps are being delivered. The handler's exception is raised right afterwards."""
    source = """
import os, signal
class Timeout(Exception): pass
class A: pass
def late(number, frame): raise Timeout
def main():
    signal.signal(signal.SIGUSR1, late)
    a = A()
    try:
        for n in range(1000): a.n = n
    except Timeout: return a.n
    finally: signal.signal(signal.SIGUSR1, signal.SIG_DFL)
"""

    class SignalingSink(KeptSteps):
        def feed(self, steps: object) -> None:
            import os
            import signal

            self.batches += 1
            if self.batches == 3:
                os.kill(os.getpid(), signal.SIGUSR1)
                for _ in range(1000):
                    pass
            self.steps += steps  # type: ignore[operator]

    watch, value = run_with_sink(tmp_path, source, SignalingSink, max_steps=100)
    assert 200 < value < 400
    assert watch.stream.error is None
    written = sum(kind == "write" for _, kind, _, _ in watch.stream.sink.steps)  # type: ignore[attr-defined]
    assert written == value + 1 or written == value  # the last write is not always recorded


def test_destructors_can_run_during_recording(tmp_path: Path) -> None:
    """The garbage collector can run inside raddle's code, and destructors use locks and other objects."""
    recorded = record(
        tmp_path,
        """
        import gc, threading
        lock, ended = threading.Lock(), []
        class Node:
            def __init__(self): self.me, self.items = self, {}
            def __del__(self):
                with lock: ended.append(len(self.items)); self.other = Leaf()
        class Leaf:
            def __init__(self): self.x = [1]
        def work():
            for n in range(300): Node().items[n] = [n]
        def main():
            gc.set_threshold(5)
            try:
                threads = [threading.Thread(target=work) for _ in range(3)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                gc.collect()
            finally: gc.set_threshold(700, 10, 10)
            return len(ended)
        """,
    )
    assert recorded.value == 900


def test_destructors_can_run_before_a_new_thread_is_registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first thing that runs in a new thread may be the garbage collector, and destructors call probes."""
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    recorded = record(
        tmp_path,
        """
        import gc, threading
        lock, ended = threading.Lock(), []
        class Node:
            def __init__(self): self.me, self.items = self, {}
            def __del__(self):
                with lock: ended.append(len(self.items))
        def work(): Node(), Node(), Node()
        def main():
            thresholds = gc.get_threshold()
            gc.set_threshold(1)
            try:
                for _ in range(100):
                    threads = [threading.Thread(target=work) for _ in range(3)]
                    for thread in threads: thread.start(); Node(), Node()
                    for thread in threads: thread.join()
            finally: gc.set_threshold(*thresholds)
            gc.collect()
            return len(ended)
        """,
    )
    assert ignored == []
    # In each of 100 rounds, 3 threads create 3 objects each, and the main thread creates 2 after each start.
    assert recorded.value == 1500
    assert all(thread >= 0 for thread, _, _, _ in recorded.steps)


def test_destructors_of_thread_locals_belong_to_no_other_thread(tmp_path: Path) -> None:
    """Thread-local data is destroyed after its thread has ended, and no other thread records this as a step."""
    recorded = record(
        tmp_path,
        """
        import threading
        local, ended = threading.local(), []
        class Leaf:
            def __init__(self): self.x = 1
            def __del__(self): ended.append(self.x)
        def work(): local.leaf = Leaf()
        def main():
            for _ in range(5):
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()
            return ended
        """,
    )
    assert recorded.value == [1] * 5
    assert recorded.watch.recorder.threads == 6
    ended: set[int] = set()
    for thread, kind, _, _ in recorded.steps:
        assert thread not in ended
        if kind == "end":
            ended.add(thread)


def test_recording_does_not_deadlock_with_locks_of_the_program(tmp_path: Path) -> None:
    """One thread delivers steps while another records, and both hold locks of the program."""
    recorded = record(
        tmp_path,
        """
        import threading
        class Box: pass
        locks, boxes = [threading.Lock() for _ in range(3)], [Box() for _ in range(3)]
        def work(number):
            for n in range(200):
                with locks[number % 3], locks[(number + 1) % 3] if number % 3 < 2 else threading.Lock():
                    boxes[number % 3].n = n
        def main():
            threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
        """,
        max_steps=20,
    )
    assert sum(kind == "write" for _, kind, _, _ in recorded.steps) >= 1200


def test_a_thread_started_before_the_watch_is_recorded(tmp_path: Path) -> None:
    import threading

    (tmp_path / "unannounced.py").write_text("class A: pass\na = A()\ndef work(): a.x = 1\n")
    sys.path.insert(0, str(tmp_path))
    kept = KeptSteps()
    ready, go = threading.Event(), threading.Event()

    def wait() -> None:
        ready.set()
        go.wait()
        sys.modules["unannounced"].work()

    early_thread = threading.Thread(target=wait)
    early_thread.start()
    ready.wait()
    watch = Watch(lambda name, path: path is not None and path.startswith(str(tmp_path)), lambda names: kept)
    watch.start()
    try:
        importlib.import_module("unannounced")
        go.set()
        early_thread.join()
    finally:
        watch.stop()
        sys.path.remove(str(tmp_path))
        del sys.modules["unannounced"]
    kinds = [(thread, kind) for thread, kind, _, _ in kept.steps]
    assert kinds[-4:-1] == [(1, "enter"), (1, "write"), (1, "leave")]
    assert (1, "begin") in kinds


def test_threads_are_distinguished_by_what_they_run(tmp_path: Path) -> None:
    recorded = record(
        tmp_path,
        """
        import threading
        def one(): pass
        def two(): pass
        def work(function): function()
        def main():
            for function in (one, two, one):
                thread = threading.Thread(target=work, args=(function,))
                thread.start()
                thread.join()
        """,
        methods=3,
    )
    threads = [recorded.entities.thread(actor) for actor in range(1, 4)]
    assert {thread.type for thread in threads} == {"work"}
    assert threads[0] == threads[2] != threads[1]
    assert all(recorded.entities.is_settled(actor) for actor in range(4))


def test_delivery_needs_enough_free_stack_depth() -> None:
    """Near the recursion limit, delivery is postponed."""
    from raddle.native.stream import _has_stack_depth

    assert _has_stack_depth(50)

    def recurse() -> bool:
        try:
            return recurse()
        except RecursionError:
            return _has_stack_depth(50)

    assert isinstance(recurse(), bool)
    assert not _has_stack_depth(sys.getrecursionlimit() + 10)


def run_with_sink(folder: Path, source: str, sink_type: type[KeptSteps], **options: int) -> tuple[Watch, object]:
    """Run a program's `main` with this kind of sink. Return the watch and the value that `main` returned."""
    name = f"watched_{abs(hash((str(folder), source))):x}"
    (folder / f"{name}.py").write_text(source)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    sink = sink_type()
    watch = Watch(lambda name, path: path is not None and path.startswith(str(folder)), lambda names: sink, **options)  # type: ignore[arg-type]
    watch.start()
    try:
        value = importlib.import_module(name).main()
    finally:
        watch.stop()
        sys.path.remove(str(folder))
        sys.modules.pop(name, None)
    assert isinstance(watch.stream, Stream)
    return watch, value
