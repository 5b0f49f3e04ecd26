"""The steps and entities that criteria receive from controlled executions."""

import json
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.schedulers.sequential import Sequential


class Counter:
    def __init__(self):
        self.value = 0
        self.items = []
        self.lock = threading.Lock()

    def increment(self):
        self.value += 1

    def add(self):
        with self.lock:
            self.items.append(1)


TOTAL = 0


def observe(scenario, choose=None):
    """Rehearse a scenario, run it once, and return the steps and entities of that execution.

    The rehearsal shows which variables the threads share. By default the execution has no preemptions.
    """
    with Session(scenario, Threads(Selection(sources=(__file__,))).install(), measuring=True) as session:
        session.rehearse()
        execution = session.run(choose or Sequential().choose)
        assert execution.outcome.kind == "passed", execution.outcome
        steps, entities = execution.observed
        table = session.table
        return [(t, k, target, table[site].line if site else 0) for t, k, target, site in steps], entities


def line_with(text):
    """Return the number of the first line of this file that contains `text`."""
    lines = Path(__file__).read_text(encoding="utf-8").split("\n")
    return next(number for number, line in enumerate(lines, 1) if text in line)


def run_all(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def synchronization(steps, *, thread):
    """Return the kinds of a thread's synchronization steps, except `blocked`, which has a separate test."""
    return [k for t, k, _, _ in steps if k not in ("enter", "leave", "read", "write", "blocked") and t == thread]


def test_accesses_to_shared_variables_are_recorded_in_order():
    def scenario():
        counter = Counter()
        run_all(counter.increment, counter.increment)

    steps, entities = observe(scenario)
    touched = [(t, k, entities.variables[v].name) for t, k, v, _ in steps if k in ("read", "write")]
    # The constructor's write is recorded because the variable is shared later. `items` and `lock` are not shared.
    assert touched == [
        (0, "write", "value"),
        (1, "read", "value"),
        (1, "write", "value"),
        (2, "read", "value"),
        (2, "write", "value"),
    ]
    variable = entities.variables[next(v for _, k, v, _ in steps if k == "read")]
    assert variable.owner.endswith("test_measured.py:Counter")
    line = line_with("counter = Counter()")
    assert variable.created.endswith(f"test_measured.py:{line}")


def test_the_content_of_a_container_belongs_to_the_object_that_holds_it():
    def scenario():
        counter = Counter()
        run_all(counter.add, counter.add)

    steps, entities = observe(scenario)
    content = {entities.variables[v] for _, k, v, _ in steps if k in ("read", "write")}
    assert {(v.owner.rpartition(":")[2], v.name) for v in content} == {("Counter", "items[]")}


def test_thread_starts_ends_and_joins_are_recorded():
    def scenario():
        run_all(lambda: None)

    steps, entities = observe(scenario)
    lifecycle = [(t, k, target) for t, k, target, _ in steps if k in ("start", "begin", "end", "join")]
    # The new thread is thread 1 and actor 1. It ends before the main thread's join returns.
    assert lifecycle == [(0, "start", 1), (1, "begin", 1), (1, "end", 1), (0, "join", 1), (0, "end", 0)]
    assert entities.actors == 2


def test_a_lock_is_acquired_and_released_at_the_with_statement():
    def scenario():
        counter = Counter()
        run_all(counter.add, counter.add)

    steps, entities = observe(scenario)
    locking = [(t, k, line) for t, k, _, line in steps if k in ("acquire", "release")]
    line = line_with("with self.lock:")
    assert locking == [(1, "acquire", line), (1, "release", line), (2, "acquire", line), (2, "release", line)]
    assert {r.type for r in entities.resources} == {"Lock"}


def test_a_thread_waiting_for_a_held_lock_is_recorded_as_blocked():
    class LowestFirst:
        """Runs the enabled thread with the lowest number, and T0 only if no other thread is enabled."""

        def choose(self, enabled, current):
            return min(enabled, key=lambda thread: thread.index or 9)

    def scenario():
        counter = Counter()
        run_all(counter.add, counter.add)

    steps, _ = observe(scenario, LowestFirst().choose)
    order = [(t, k) for t, k, _, _ in steps if k in ("acquire", "release", "blocked")]
    # Both threads are about to acquire the lock when T1 gets it.
    assert order[:3] == [(1, "acquire"), (2, "blocked"), (1, "release")]


def test_waiting_on_a_condition_releases_its_lock():
    def scenario():
        changed = threading.Condition()
        ready = []

        def wait():
            with changed:
                while not ready:
                    changed.wait()

        def notify():
            with changed:
                ready.append(1)
                changed.notify()

        run_all(wait, notify)

    steps, _ = observe(scenario)
    # Without preemption T1 runs first: it waits, T2 notifies it, and T1 continues.
    assert synchronization(steps, thread=1) == [
        "begin", "acquire", "release", "wait", "woken", "acquire", "release", "end",
    ]  # fmt: skip
    assert synchronization(steps, thread=2) == [
        "begin", "acquire", "notify", "release", "end",
    ]  # fmt: skip
    both = [(t, k) for t, k, _, _ in steps if k in ("notify", "woken")]
    assert both == [(2, "notify"), (1, "woken")]


def test_operations_on_events_semaphores_and_queues_are_recorded():
    def scenario():
        go, permits, items = threading.Event(), threading.Semaphore(0), queue.Queue()

        def give():
            go.set()
            permits.release()
            items.put(1)

        def take():
            go.wait()
            permits.acquire()
            items.get()
            items.task_done()

        run_all(give, take)
        items.join()

    steps, entities = observe(scenario)
    giving, taking = {"set", "up", "put", "task-done"}, {"wait-set", "down", "get", "join-queue"}
    assert [(t, k) for t, k, _, _ in steps if k in giving | taking] == [
        (1, "set"), (1, "up"), (1, "put"),
        (2, "wait-set"), (2, "down"), (2, "get"), (2, "task-done"),
        (0, "join-queue"),
    ]  # fmt: skip
    assert {resource.type for resource in entities.resources} == {"Event", "Semaphore", "Queue"}
    assert all(resource.created.rpartition(":")[0].endswith("test_measured.py") for resource in entities.resources)


def test_each_task_of_a_pool_is_a_separate_actor():
    def work():
        pass

    def other():
        pass

    def scenario():
        with ThreadPoolExecutor(max_workers=1) as pool:
            pool.submit(work)
            pool.submit(other)

    steps, entities = observe(scenario)
    tasks = [target for _, k, target, _ in steps if k == "task"]
    assert [entities.thread(actor).type.rpartition(".")[2] for actor in tasks] == ["work", "other"]


def test_entering_a_method_records_the_object():
    def scenario():
        one, other = Counter(), Counter()
        run_all(one.increment, one.increment, other.increment)

    steps, _ = observe(scenario)
    line = line_with("def increment")
    objects = [target for _, k, target, at in steps if k == "enter" and at == line]
    assert objects[0] == objects[1] != objects[2]
    assert 0 not in objects


def test_globals_belong_to_their_module():
    def increment():
        global TOTAL
        TOTAL += 1

    def scenario():
        run_all(increment, increment)

    _, entities = observe(scenario)
    named = [
        (v.owner, v.name) for v in entities.variables if v.name != "threads[]"
    ]  # `threads` is the list in `run_all`
    assert [(owner.endswith("test_measured.py"), name) for owner, name in named] == [(True, "TOTAL")]


def test_the_same_schedule_gives_the_same_steps():
    def scenario():
        counter = Counter()
        run_all(counter.increment, counter.add, counter.add)

    one, other = observe(scenario), observe(scenario)
    assert one[0] == other[0]
    assert one[1].abstract() == other[1].abstract()


def accessed_variables(scenario, first):
    """Return the names of the accessed variables when thread `first` runs before the others."""

    def choose(enabled, current):
        return min(enabled, key=lambda thread: (thread.index != first, thread.index))

    steps, entities = observe(scenario, choose)
    return {str(entities.variables[target]) for _, kind, target, _ in steps if kind in ("read", "write")}


def test_the_name_of_a_container_does_not_depend_on_which_thread_accesses_it_first():
    # The site of the bound method `clear` does not name the container, but the site of the read does.
    def scenario():
        box = [1]

        def read():
            return bool(box)

        run_all(read, box.clear)

    assert accessed_variables(scenario, 1) == accessed_variables(scenario, 2) == {"scenario.box[]"}


def test_a_container_that_no_site_names_is_named_after_its_class():
    def scenario():
        box = [1]
        run_all(box.clear, box.reverse)

    assert accessed_variables(scenario, 1) == accessed_variables(scenario, 2) == {"list[]"}


def test_a_container_is_not_named_after_the_module_whose_function_reads_it():
    def scenario():
        boxes = ([1],)
        run_all(lambda: json.dumps(*boxes), boxes[0].clear)

    assert accessed_variables(scenario, 1) == accessed_variables(scenario, 2) == {"list[]"}
