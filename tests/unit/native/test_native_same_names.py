"""Objects that modules create during import have the same names in native and controlled executions."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from controlled_recording import controlled, imported
from native_recording import record

from raddle.entities import Entities
from raddle.execute.fork import can_fork
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.schedulers.sequential import Sequential
from raddle.site import SiteTable
from raddle.threads.data_model.creation_sites import ModuleObjects

BOUND = """\
import queue
import threading

lock = threading.Lock()
first, second = threading.Lock(), threading.RLock()
condition = threading.Condition()
own = threading.Condition(lock)
event = threading.Event()
semaphore = threading.Semaphore(1)
items = queue.Queue()
simple = queue.SimpleQueue()
several = [threading.Lock() for _ in range(2)]
listed = [
    threading.Lock(),
    threading.RLock(),
]
if several:
    named = {
        "one": threading.Lock(),
        "other": threading.Lock(),
    }


class Account:
    shared = threading.Lock()

    class Inner:
        nested = threading.RLock()

    def __init__(self):
        self.lock = threading.Lock()
        self.total = 0

    def add(self):
        with self.lock:
            self.total += 1


account = Account()
alias = lock


def work():
    for one in (lock, first, second, *several, *listed, *named.values(), Account.shared, Account.Inner.nested, alias):
        with one:
            pass
    with condition:
        condition.notify()
    with own:
        own.notify()
    event.set()
    with semaphore:
        items.put(1)
    simple.put(1)
    account.add()


def main():
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def resources(entities: Entities) -> list[tuple[str, int]]:
    """Return the types and creation lines of the resources, sorted."""
    return sorted((resource.type, int(resource.created.rpartition(":")[2] or 0)) for resource in entities.resources)


def line_numbers(source: str, *calls: str) -> list[int]:
    lines = source.split("\n")
    return [number for number, line in enumerate(lines, 1) if line in calls]


def test_module_level_primitives_are_named_by_their_lines(tmp_path: Path) -> None:
    with imported(tmp_path, "bound_names", BOUND) as module:
        entities = controlled(module)
    found = resources(entities)
    lines = BOUND.split("\n")
    account, condition = line_numbers(BOUND, "account = Account()", "condition = threading.Condition()")[::-1]
    # These locks are created inside constructors, so they are named by the lines that call the constructors.
    in_constructors = {"Lock": account, "RLock": condition}
    for kind, line in in_constructors.items():
        calls = {n for n, text in enumerate(lines, 1) if f".{kind}(" in text and "self." not in text}
        assert {at for found_type, at in found if found_type == kind} == calls | {line}, kind
    for kind in ("Condition", "Event", "Semaphore", "Queue", "SimpleQueue"):
        found_lines = [line for found_type, line in found if found_type == kind]
        assert found_lines == [n for n, line in enumerate(lines, 1) if f".{kind}(" in line], kind
    total = next(variable for variable in entities.variables if variable.name == "total")
    assert total.created == f"bound_names.py:{line_numbers(BOUND, 'account = Account()')[0]}"


def test_module_level_primitives_have_the_same_names_natively(tmp_path: Path) -> None:
    native = record(tmp_path, BOUND)
    with imported(tmp_path, "bound_twice", BOUND) as module:
        entities = controlled(module)
    assert resources(entities) == resources(native.entities)
    line = {variable.created.rpartition(":")[2] for variable in native.entities.variables if variable.name == "total"}
    assert {v.created.rpartition(":")[2] for v in entities.variables if v.name == "total"} == line


def test_locks_of_a_module_imported_during_an_execution_keep_their_names(tmp_path: Path) -> None:
    source = """\
    import threading


    def work():
        import imported_late
        with imported_late.lock:
            pass


    def main():
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    (tmp_path / "imported_late.py").write_text("import threading\n\nlock = threading.Lock()\n", encoding="utf-8")
    late = str(tmp_path / "imported_late.py")
    try:
        with imported(tmp_path, "importing_late", source) as module:
            sources = (str(module.__file__), late)
            with Session(module.main, Threads(Selection(sources=sources)).install(), measuring=True) as session:
                for _ in range(3):
                    execution = session.run(Sequential().choose)
                    assert execution.observed is not None
                    assert ("Lock", 3) in resources(execution.observed[1])
    finally:
        sys.modules.pop("imported_late", None)


@pytest.mark.parametrize("isolate", [False, True] if can_fork() else [False])
def test_a_lock_created_in_setup_is_named_by_its_line(tmp_path: Path, isolate: bool) -> None:
    source = """\
    import threading

    lock = None

    def prepare():
        global lock
        lock = threading.Lock()

    def work():
        with lock:
            pass

    def main():
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    with imported(tmp_path, f"recreated_{isolate}", source) as module:
        entities = controlled(module, times=3, setup=module.prepare, isolate=isolate)
    assert resources(entities) == [("Lock", 7)]


def test_proxy_objects_are_not_accessed(tmp_path: Path) -> None:
    source = """\
    import threading

    class Lazy:
        accessed = False

        @property
        def __class__(self):
            Lazy.accessed = True
            return dict

        def __getattr__(self, name):
            Lazy.accessed = True
            raise AttributeError(name)

    lazy = Lazy()
    lock = threading.Lock()

    def main():
        with lock:
            pass
    """
    with imported(tmp_path, "lazy_proxy", source) as module:
        module.Lazy.accessed = False
        ModuleObjects(_table_of(module))
        assert not module.Lazy.accessed


def _table_of(module: ModuleType) -> SiteTable:
    table = SiteTable()
    table.add(1 << 16, (), file="lazy_proxy.py", path=str(module.__file__))
    return table


NAMELESS_AT_FIRST = """\
import json
import threading


def count(stack):
    len(stack)
    json.dumps(stack)


def fill(stack):
    stack.append(1)


def main():
    stack = []
    for work in (count, fill):
        thread = threading.Thread(target=work, args=(stack,))
        thread.start()
        thread.join()
    threads = [threading.Thread(target=work, args=(stack,)) for work in (count, fill)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""


def test_a_container_is_named_by_the_first_site_that_has_a_name(tmp_path: Path) -> None:
    """`len(stack)` and `json.dumps(stack)` run first, but the list is named by `stack.append`."""
    native = record(tmp_path, NAMELESS_AT_FIRST)
    with imported(tmp_path, "nameless_at_first", NAMELESS_AT_FIRST) as module:
        entities = controlled(module)
    assert "stack[]" in {str(variable) for variable in entities.variables}
    contents = [str(variable) for variable in native.entities.variables if str(variable).endswith("[]")]
    assert "stack[]" in contents
    assert not {"list[]", "json[]"} & set(contents)
