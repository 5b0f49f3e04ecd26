"""What is in a queue can be looked at without asking it: `q.queue`, `q.unfinished_tasks`."""

from __future__ import annotations

import queue
import threading

import pytest

import raddle

LOOKS = {
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
    ("look", "change"),
    [
        *((look, "put") for look in LOOKS),
        *((look, "get") for look in LOOKS if look != "unfinished"),
        ("unfinished", "done"),
    ],
)
@pytest.mark.parametrize("kind", [queue.Queue, queue.LifoQueue])
@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_before_and_after(look, change, kind, scheduler):
    """Whatever is put or taken can be so before somebody looks, or after."""
    seen = []

    def scenario():
        q = kind()
        if change != "put":
            q.put(1)
        found = []
        threads = [
            threading.Thread(target=lambda: found.append(LOOKS[look](q))),
            threading.Thread(target=lambda: CHANGES[change](q)),
        ]
        run(threads)
        seen.append(found[0])

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert len(set(map(str, seen))) == 2


def test_a_queue_that_nobody_looks_into_is_as_it_was():
    """Two puts by two threads, in two orders: what they do is one step each."""

    def scenario():
        q = queue.Queue()
        threads = [threading.Thread(target=q.put, args=(n,)) for n in range(2)]
        run(threads)

    result = raddle.explore(scenario, source=[__file__], scheduler="reachability", until="exhausted")
    assert (result.exhausted, result.orders["partial_orders"]) == (True, 2)


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
@pytest.mark.parametrize(
    ("by_hand", "asked"),
    [
        (lambda q: q.queue.append(1), lambda q: q.qsize()),
        (lambda q: q.queue.append(1), lambda q: q.empty()),
        (lambda q: q.queue.append(1), lambda q: taken(q)),
    ],
)
def test_changed_by_hand_before_and_after_it_is_asked(by_hand, asked, scheduler):
    seen = []

    def scenario():
        q = queue.Queue()
        found = []
        threads = [threading.Thread(target=lambda: by_hand(q)), threading.Thread(target=lambda: found.append(asked(q)))]
        run(threads)
        seen.append(found[0])

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert len(set(map(str, seen))) == 2


def taken(q):
    try:
        return q.get_nowait()
    except queue.Empty:
        return "nothing"


@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_who_took_nothing_may_be_done_too_often(scheduler):
    """Or not, if something was put in between."""
    seen = set()

    def scenario():
        q, ended = queue.Queue(), []

        def work():
            ended.append(taken(q))
            try:
                q.task_done()
            except ValueError:
                ended.append("too often")

        threads = [threading.Thread(target=work), threading.Thread(target=q.put, args=(1,))]
        run(threads)
        seen.add(tuple(ended))

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert seen == {("nothing", "too often"), ("nothing",), (1,)}


class Counting(list):
    def __len__(self):
        return super().__len__()


class Own(queue.Queue):
    """Keeps its items in something of its own, which it has only after the rest was made."""

    def __init__(self):
        super().__init__()
        self.queue = Counting()

    def _get(self):
        return self.queue.pop(0)


def test_nobody_s_own_code_is_asked_how_much_there_is():
    def scenario():
        q = Own()
        threads = [threading.Thread(target=q.put, args=(n,)) for n in range(2)]
        run(threads)
        assert q.qsize() == 2

    assert raddle.explore(scenario, source=[__file__], scheduler="reachability", executions=200).findings == ()
