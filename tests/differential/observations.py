"""Programs in which a thread observes a shared object without blocking. Each program notes what its threads observe."""

from __future__ import annotations

import threading
from collections.abc import Callable

Note = Callable[[object], object]


def side_by_side(*bodies: Callable[[], object]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def barrier_observed(note: Note) -> None:
    barrier = threading.Barrier(2)

    def look() -> None:
        note(barrier.n_waiting)
        barrier.wait()

    side_by_side(barrier.wait, look)


def notified_without_the_lock(note: Note) -> None:
    lock = threading.Lock()
    condition = threading.Condition(lock)

    def hold() -> None:
        with lock:
            pass

    def notify() -> None:
        try:
            condition.notify()
        except RuntimeError:
            note("the lock was free")
        else:
            note("the lock was held")

    side_by_side(hold, notify)


def started_twice(note: Note) -> None:
    thread = threading.Thread(target=int)

    def start(name: str) -> None:
        try:
            thread.start()
        except RuntimeError:
            note(f"{name} came too late")

    side_by_side(lambda: start("one"), lambda: start("other"))


def joined_before_the_start(note: Note) -> None:
    late = threading.Thread(target=int)

    def wait() -> None:
        try:
            late.join()
        except RuntimeError:
            note("not started yet")
        else:
            note("joined")

    waiting = threading.Thread(target=wait)
    waiting.start()
    late.start()
    waiting.join()
    late.join()


def alive_or_not(note: Note) -> None:
    other = threading.Thread(target=int)

    def look() -> None:
        note(other.is_alive())

    looking = threading.Thread(target=look)
    looking.start()
    other.start()
    looking.join()
    other.join()


def released_by_another_thread(note: Note) -> None:
    lock = threading.Lock()

    def take() -> None:
        lock.acquire()

    def give() -> None:
        try:
            lock.release()
        except RuntimeError:
            note("was free")
        else:
            note("was held")

    side_by_side(take, give)


def shared_generator(note: Note) -> None:
    def numbers() -> object:
        yield 1
        yield 2

    ticket = numbers()
    seen: dict[str, object] = {}

    def draw(name: str) -> None:
        seen[name] = next(ticket)  # type: ignore[call-overload]

    side_by_side(lambda: draw("one"), lambda: draw("other"))
    note((seen["one"], seen["other"]))


def one_line_that_reads_and_writes(note: Note) -> None:
    first, second = [1], [2]

    def mix() -> None:
        for target, source in ((first, second), (second, first)):
            target.extend(source)

    side_by_side(mix, lambda: note(len(second)))


def iterated_over(note: Note) -> None:
    users = {"ann": 1}

    def read() -> None:
        names = []
        try:
            for name in users:
                names.append(name)  # noqa: PERF402 -- the loop itself is what is tested
        except RuntimeError:
            note("changed")
        else:
            note(tuple(names))

    def add() -> None:
        users["bob"] = 2

    side_by_side(read, add)


def deleted_in_time(note: Note) -> None:
    """The deletion fails unless the other thread runs between the check and the deletion.

    The search must continue after that failure.
    """
    users: dict[str, int] = {}
    lock = threading.Lock()

    def add() -> None:
        with lock:
            users["ann"] = 1

    def remove() -> None:
        if "ann" not in users:
            del users["ann"]
            note("deleted")

    side_by_side(add, remove)


PROGRAMS: dict[Callable[[Note], None], set[object]] = {
    barrier_observed: {0, 1},
    notified_without_the_lock: {"the lock was free", "the lock was held"},
    started_twice: {"one came too late", "other came too late"},
    joined_before_the_start: {"not started yet", "joined"},
    alive_or_not: {False, True},
    released_by_another_thread: {"was free", "was held"},
    shared_generator: {(1, 2), (2, 1)},
    one_line_that_reads_and_writes: {1, 3},  # the length of `second`, which is [2] and then [2, 1, 2]
    iterated_over: {("ann",), ("ann", "bob"), "changed"},
    deleted_in_time: {"deleted"},
}
