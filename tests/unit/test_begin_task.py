"""`raddle.begin_task` marks the tasks of a thread pool that a program implements itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import raddle
from raddle.store import read

PROGRAM = """
import queue
import threading

import raddle


class Account:
    def __init__(self):
        self.balance = 0

    def deposit(self):
        self.balance += 1

    def withdraw(self):
        self.balance -= 1


def worker(tasks):
    for task in iter(tasks.get, None):
        BEGIN
        task()


def scenario():
    account, tasks = Account(), queue.SimpleQueue()
    for task in (account.deposit, account.withdraw, account.deposit, None, None):
        tasks.put(task)
    workers = [threading.Thread(target=worker, args=(tasks,)) for _ in range(2)]
    for thread in workers:
        thread.start()
    for thread in workers:
        thread.join(60)
    account.balance


if __name__ == "__main__":
    scenario()
"""

EXPECTED = {
    "raddle.begin_task(task)": {"main", "Account.deposit", "Account.withdraw"},
    "raddle.begin_task(task.__name__)": {"main", "deposit", "withdraw"},
    "pass": {"main", "worker"},
}


def types_of(covered: object) -> set[str]:
    """Return the types of the threads that the requirements name."""
    return {part[0].rpartition(":")[2] for key in covered for part in key[-2:]}  # type: ignore[attr-defined]


@pytest.mark.parametrize("begin", EXPECTED)
def test_each_task_counts_as_a_separate_thread(tmp_path: Path, begin: str) -> None:
    """At the end, the main thread reads a value that a task wrote.

    Each task reads the value that the constructor or another task wrote.
    """
    path = tmp_path / "written_pool.py"
    path.write_text(PROGRAM.replace("BEGIN", begin), encoding="utf-8")
    sys.path.insert(0, str(tmp_path))
    try:
        import written_pool  # type: ignore[import-not-found]

        result = raddle.explore(
            written_pool.scenario, criteria="du-pairs*", scheduler="random", until="budget", executions=300,
            source=[str(path)],
        )  # fmt: skip
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("written_pool", None)
    assert types_of(result.tally.covered["du-pairs*"]) == EXPECTED[begin]
    options = ["--criteria", "du-pairs*", "--data-file", "data", "written_pool.py"]
    subprocess.run([sys.executable, "-m", "raddle", "run", *options], cwd=tmp_path, check=True, timeout=120)
    found = types_of(read(tmp_path / "data").tally.covered["du-pairs*"])
    assert "main" in found  # the main thread reads what the last task wrote
    assert found <= EXPECTED[begin]


def test_begin_task_does_nothing_outside_an_execution() -> None:
    assert raddle.begin_task("task") is None  # type: ignore[func-returns-value]
    assert raddle.begin_task(print) is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize("task", [3, None, b"deposit", object()])
def test_a_task_that_is_neither_a_name_nor_a_function_is_rejected(task: object) -> None:
    with pytest.raises(TypeError, match="takes a function or the name of a task"):
        raddle.begin_task(task)  # type: ignore[arg-type]


def test_begin_task_does_not_make_the_first_execution_differ(tmp_path: Path) -> None:
    """`begin_task` is looked up in the module before the first execution, so the search can be exhausted."""
    (tmp_path / "tasks_named.py").write_text(
        "import threading, raddle\n"
        "def work(): raddle.begin_task('work')\n"
        "def scenario():\n"
        "    thread = threading.Thread(target=work)\n"
        "    thread.start(); thread.join()\n"
    )
    command = ["explore", "tasks_named.py::scenario", "--scheduler", "exhaustive", "--until", "exhausted", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "raddle", *command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["stopped_because"] == "exhausted"
    assert "differs" not in done.stderr
