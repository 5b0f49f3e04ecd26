"""Direct access to the state of a queue through `q.queue` and `q.unfinished_tasks`."""

from __future__ import annotations

import queue
import threading

import pytest

import raddle

READS = {
    "list": lambda q: list(q.queue),
    "len": lambda q: len(q.queue),
    "in": lambda q: 1 in q.queue,
    "first": lambda q: q.queue[0] if q.queue else None,
    "unfinished": lambda q: q.unfinished_tasks,
}
CHANGES = {
    "put": lambda q: q.put(1),
    "get": lambda q: q.get(),
    "done": lambda q: q.task_done(),
}


def run(threads):
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    ("read", "change"),
    [
        *((read, "put") for read in READS),
        *((read, "get") for read in READS if read != "unfinished"),
        ("unfinished", "done"),
    ],
)
@pytest.mark.parametrize("kind", [queue.Queue, queue.LifoQueue])
@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_a_direct_read_is_observed_before_and_after_each_change(read, change, kind, scheduler):
    """A read can come before or after the change, and the search observes both results."""
    seen = []

    def scenario():
        q = kind()
        if change != "put":
            q.put(1)
        found = []
        threads = [
            threading.Thread(target=lambda: found.append(READS[read](q))),
            threading.Thread(target=lambda: CHANGES[change](q)),
        ]
        run(threads)
        seen.append(found[0])

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert len(set(map(str, seen))) == 2


def test_a_queue_without_direct_access_has_one_step_per_put():
    """Each put is one step, so the puts of two threads can happen in two orders."""

    def scenario():
        q = queue.Queue()
        threads = [threading.Thread(target=q.put, args=(n,)) for n in range(2)]
        run(threads)

    result = raddle.explore(scenario, source=[__file__], scheduler="reachability", until="exhausted")
    assert (result.exhausted, result.orders["partial_orders"]) == (True, 2)


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
@pytest.mark.parametrize(
    ("modify", "query"),
    [
        (lambda q: q.queue.append(1), lambda q: q.qsize()),
        (lambda q: q.queue.append(1), lambda q: q.empty()),
        (lambda q: q.queue.append(1), lambda q: get_or_nothing(q)),
    ],
)
def test_a_direct_modification_is_observed_before_and_after_each_query(modify, query, scheduler):
    seen = []

    def scenario():
        q = queue.Queue()
        found = []
        threads = [threading.Thread(target=lambda: modify(q)), threading.Thread(target=lambda: found.append(query(q)))]
        run(threads)
        seen.append(found[0])

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert len(set(map(str, seen))) == 2


def get_or_nothing(q):
    try:
        return q.get_nowait()
    except queue.Empty:
        return "nothing"


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_task_done_after_an_empty_get_fails_unless_an_item_was_put_in_between(scheduler):
    """After `get_nowait` has found the queue empty, `task_done` fails unless another thread has put an item first."""
    seen = set()

    def scenario():
        q, results = queue.Queue(), []

        def work():
            results.append(get_or_nothing(q))
            try:
                q.task_done()
            except ValueError:
                results.append("too many")

        threads = [threading.Thread(target=work), threading.Thread(target=q.put, args=(1,))]
        run(threads)
        seen.add(tuple(results))

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert seen == {("nothing", "too many"), ("nothing",), (1,)}


class OwnList(list):
    def __len__(self):
        return super().__len__()


class OwnContainerQueue(queue.Queue):
    """A queue that replaces its container after the base class's constructor has run."""

    def __init__(self):
        super().__init__()
        self.queue = OwnList()

    def _get(self):
        return self.queue.pop(0)


def test_a_queue_with_a_user_defined_container_passes():
    # A container whose `__len__` is written in Python makes the queue use the standard library's code.
    def scenario():
        q = OwnContainerQueue()
        threads = [threading.Thread(target=q.put, args=(n,)) for n in range(2)]
        run(threads)
        assert q.qsize() == 2

    assert raddle.explore(scenario, source=[__file__], scheduler="reachability", executions=200).findings == ()
