"""Queues that run user code (`_put`, `_get` and the comparison of items) while they hold the mutex."""

from __future__ import annotations

import queue
import threading

import pytest

import raddle
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.schedulers.sequential import Sequential


class RecordingQueue(queue.Queue):
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


def run_in_threads(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def read_under_mutex():
    pipe = RecordingQueue()

    def read():
        with pipe.mutex:
            assert (pipe.last, len(pipe.queue)) in ((0, 0), (1, 1))

    run_in_threads(lambda: pipe.put(1), read)


def two_puts_and_a_get():
    pipe = RecordingQueue()
    run_in_threads(lambda: pipe.put(1), pipe.get, lambda: pipe.put(1))


def compare_jobs():
    # A thread writes to its job before it puts the job into the queue. The other thread reads that job while it puts
    # its own.
    pipe = queue.PriorityQueue()
    run_in_threads(lambda: pipe.put(Job(1)), lambda: pipe.put(Job(2)))


def read_without_mutex():
    # The reader does not acquire the mutex.
    pipe = RecordingQueue()
    run_in_threads(lambda: pipe.put(1), lambda: pipe.last)


def explored(scenario, **options):
    return raddle.explore(scenario, source=[__file__], **options)


def test_reachability_testing_explores_both_orders_of_the_mutex():
    # There are two orders, because either thread may acquire the mutex first. The other thread's steps are not
    # interleaved with the put and the code it calls.
    result = explored(read_under_mutex, scheduler="reachability", until="exhausted")
    assert (result.executions, result.stopped_because, result.findings) == (2, "exhausted", ())


@pytest.mark.parametrize("scenario", [read_under_mutex, two_puts_and_a_get, compare_jobs])
def test_accesses_under_the_mutex_cause_no_warning(scenario):
    result = explored(scenario, scheduler="random", executions=50, until="budget", criteria="map")
    assert result.warnings == ()


def test_an_access_without_the_mutex_is_reported_as_a_data_race():
    result = explored(read_without_mutex, scheduler="random", executions=50, until="budget", criteria="map")
    kinds = {warning["kind"] for warning in result.warnings}
    assert "data-race" in kinds
    assert all("_put" not in warning["sentence"] for warning in result.warnings)


# -- recorded steps --------------------------------------------------------------------------------------------


def recorded_steps(scenario, choose=None):
    """Run the scenario once after a rehearsal; return its steps as (thread, kind, line), and its outcome."""
    with Session(scenario, Threads(Selection(sources=(__file__,))).install(), measuring=True) as session:
        session.rehearse()
        execution = session.run(choose or Sequential().choose)
        steps, _ = execution.observed
        lines = [(thread, kind, session.table[site].line if site else 0) for thread, kind, _, site in steps]
    return lines, execution.outcome


def kinds_in_thread(steps, thread):
    return [
        kind
        for step_thread, kind, _ in steps
        if step_thread == thread and kind not in ("begin", "end", "enter", "leave")
    ]


def test_the_mutex_is_held_while_put_runs_user_code():
    steps, _ = recorded_steps(read_under_mutex)
    assert kinds_in_thread(steps, 1) == ["acquire", "write", "release", "put"]
    # The acquire, release and put steps are all on the line of the call to `put`.
    at_call = {line for step_thread, kind, line in steps if step_thread == 1 and kind in ("acquire", "release", "put")}
    assert len(at_call) == 1
    assert at_call.isdisjoint({line for step_thread, kind, line in steps if step_thread == 1 and kind == "write"})


def test_the_mutex_is_held_while_items_are_compared():
    steps, _ = recorded_steps(compare_jobs)
    # The first put compares nothing. The second put reads what the first thread wrote before the first put.
    first, second = kinds_in_thread(steps, 1), kinds_in_thread(steps, 2)
    assert [kind for kind in first if kind not in ("read", "write")] == ["acquire", "release", "put"]
    assert [kind for kind in second if kind not in ("read", "write")] == ["acquire", "release", "put"]
    assert "read" in second[second.index("acquire") : second.index("release")]


@pytest.mark.parametrize("kind", [queue.Queue, queue.LifoQueue, queue.PriorityQueue])
def test_no_mutex_steps_are_recorded_for_queues_without_user_code(kind):
    def scenario():
        pipe = kind()
        run_in_threads(lambda: pipe.put((1, "a")), lambda: pipe.put((2, "b")))
        pipe.get()
        pipe.task_done()

    steps, _ = recorded_steps(scenario)
    assert kinds_in_thread(steps, 1) == kinds_in_thread(steps, 2) == ["put"]
    assert kinds_in_thread(steps, 0) == ["start", "start", "join", "join", "get", "task-done"]


def test_a_thread_blocks_while_another_holds_the_mutex():
    # The second thread requests the mutex while the first one holds it.
    steps, _ = recorded_steps(read_under_mutex)
    assert kinds_in_thread(steps, 2)[:2] == ["blocked", "acquire"]


def test_a_put_that_blocks_forever_is_a_deadlock():
    class Stuck(queue.Queue):
        last = 0

        def _put(self, item):
            self.last = item
            gate.acquire()

    gate = threading.Lock()

    def scenario():
        pipe = Stuck()
        gate.acquire()
        run_in_threads(lambda: pipe.put(1), lambda: pipe.put(2))

    steps, outcome = recorded_steps(scenario)
    assert outcome.kind == "deadlock"
    assert "holds" not in {kind for _, kind, _ in steps}
    assert [kind for step_thread, kind, _ in steps if step_thread == 1 and kind in ("acquire", "write", "release")][
        :1
    ] == ["acquire"]


def test_a_put_that_raises_releases_the_mutex():
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

        run_in_threads(offer, lambda: pipe.put(2))
        assert pipe.get() == 2

    steps, outcome = recorded_steps(scenario)
    assert outcome.kind == "passed"
    assert kinds_in_thread(steps, 1) == ["acquire", "write", "release"]
