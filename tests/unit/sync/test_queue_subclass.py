"""Queues in which other people's code runs while the mutex is held: `_put`, `_get`, the comparing of items."""

from __future__ import annotations

import queue
import threading

import pytest

import raddle
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.schedulers.sequential import Sequential


class Noting(queue.Queue):
    def _init(self, maxsize):
        super()._init(maxsize)
        self.last = 0

    def _put(self, item):
        super()._put(item)
        self.last = item

    def _get(self):
        self.last = 0
        return super()._get()


class Job:
    def __init__(self, urgency):
        self.urgency = urgency

    def __lt__(self, other):
        return self.urgency < other.urgency


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def looked_at():
    pipe = Noting()

    def look():
        with pipe.mutex:
            assert (pipe.last, len(pipe.queue)) in ((0, 0), (1, 1))

    side_by_side(lambda: pipe.put(1), look)


def taken():
    pipe = Noting()
    side_by_side(lambda: pipe.put(1), pipe.get, lambda: pipe.put(1))


def compared():
    # What a thread writes into a job before it puts that, the other one reads while it puts its own.
    pipe = queue.PriorityQueue()
    side_by_side(lambda: pipe.put(Job(1)), lambda: pipe.put(Job(2)))


def jumped():
    # The reader does not take the mutex.
    pipe = Noting()
    side_by_side(lambda: pipe.put(1), lambda: pipe.last)


def explored(scenario, **options):
    return raddle.explore(scenario, source=[__file__], **options)


def test_reachability_testing_ends():
    # Whoever gets the mutex first; the put and what is done in it belong together.
    result = explored(looked_at, scheduler="reachability", until="exhausted")
    assert (result.executions, result.stopped_because, result.findings) == (2, "exhausted", ())


@pytest.mark.parametrize("scenario", [looked_at, taken, compared])
def test_the_mutex_guards(scenario):
    result = explored(scenario, scheduler="random", executions=50, until="budget", criteria="map")
    assert result.warnings == ()


def test_who_does_without_the_mutex_is_warned_of():
    result = explored(jumped, scheduler="random", executions=50, until="budget", criteria="map")
    kinds = {warning["kind"] for warning in result.warnings}
    assert "data-race" in kinds
    assert all("_put" not in warning["sentence"] for warning in result.warnings)


# -- what criteria are told ------------------------------------------------------------------------------------


def told(scenario, choose=None):
    """The steps of one execution, after one that showed what is shared: thread, kind, line; and how it ended."""
    with Session(scenario, Threads(Selection(sources=(__file__,))).install(), measuring=True) as session:
        session.rehearse()
        execution = session.run(choose or Sequential().choose)
        steps, _ = execution.observed
        lines = [(thread, kind, session.table[site].line if site else 0) for thread, kind, _, site in steps]
    return lines, execution.outcome


def of_thread(steps, thread):
    return [kind for who, kind, _ in steps if who == thread and kind not in ("begin", "end", "enter", "leave")]


def test_the_mutex_is_held_around_what_is_done_in_a_put():
    steps, _ = told(looked_at)
    assert of_thread(steps, 1) == ["acquire", "write", "release", "put"]
    # It is acquired, released and put where `put` is called.
    at_call = {line for who, kind, line in steps if who == 1 and kind in ("acquire", "release", "put")}
    assert len(at_call) == 1
    assert at_call.isdisjoint({line for who, kind, line in steps if who == 1 and kind == "write"})


def test_the_mutex_is_held_around_comparing():
    steps, _ = told(compared)
    # The first one has nothing to compare with. But what it did before is known to whoever compares later.
    first, second = of_thread(steps, 1), of_thread(steps, 2)
    assert [kind for kind in first if kind not in ("read", "write")] == ["acquire", "release", "put"]
    assert [kind for kind in second if kind not in ("read", "write")] == ["acquire", "release", "put"]
    assert "read" in second[second.index("acquire") : second.index("release")]


@pytest.mark.parametrize("kind", [queue.Queue, queue.LifoQueue, queue.PriorityQueue])
def test_where_nobodys_code_runs_nothing_is_said_of_the_mutex(kind):
    def scenario():
        pipe = kind()
        side_by_side(lambda: pipe.put((1, "a")), lambda: pipe.put((2, "b")))
        pipe.get()
        pipe.task_done()

    steps, _ = told(scenario)
    assert of_thread(steps, 1) == of_thread(steps, 2) == ["put"]
    assert of_thread(steps, 0) == ["start", "start", "join", "join", "get", "task-done"]


def test_who_wanted_the_mutex_has_to_wait():
    # The second thread has come to the mutex when the first one takes it.
    steps, _ = told(looked_at)
    assert of_thread(steps, 2)[:2] == ["blocked", "acquire"]


def test_a_put_that_never_ends():
    class Stuck(queue.Queue):
        last = 0

        def _put(self, item):
            self.last = item
            gate.acquire()

    gate = threading.Lock()

    def scenario():
        pipe = Stuck()
        gate.acquire()
        side_by_side(lambda: pipe.put(1), lambda: pipe.put(2))

    steps, outcome = told(scenario)
    assert outcome.kind == "deadlock"
    assert "holds" not in {kind for _, kind, _ in steps}
    assert [kind for who, kind, _ in steps if who == 1 and kind in ("acquire", "write", "release")][:1] == ["acquire"]


def test_a_put_that_fails_gives_the_mutex_back():
    class Picky(queue.Queue):
        last = 0

        def _put(self, item):
            self.last = item
            if item == 1:
                raise ValueError("not this one")
            super()._put(item)

    def scenario():
        pipe = Picky()

        def offer():
            with pytest.raises(ValueError, match="not this one"):
                pipe.put(1)

        side_by_side(offer, lambda: pipe.put(2))
        assert pipe.get() == 2

    steps, outcome = told(scenario)
    assert outcome.kind == "passed"
    assert of_thread(steps, 1) == ["acquire", "write", "release"]
