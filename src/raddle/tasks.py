"""Tasks of pools that a program has written itself."""

from __future__ import annotations

import sys
from collections.abc import Callable

from raddle.inspection import function_name


def on_task_begin(name: str) -> None:
    """Be told that the running thread takes up a task; replaced while a program is measured."""


def begin_task(task: str | Callable[..., object]) -> None:
    """Say that the running thread begins a task: call it in the worker of a thread pool of your own, for each task.

    Criteria that name threads tell them apart by their types and the first methods that they ran. A worker that runs
    many tasks is as many threads to them: its type is the task's name, or that of the function that is given, and its
    methods are counted from zero again. A `ThreadPoolExecutor` does this by itself. Without a measurement, this does
    nothing.

    >>> import queue, threading, raddle
    >>> def worker(tasks):
    ...     for task in iter(tasks.get, None):
    ...         raddle.begin_task(task)
    ...         task()
    >>> tasks = queue.SimpleQueue()
    >>> for task in (lambda: print("deposit"), lambda: print("withdraw"), None): tasks.put(task)
    >>> thread = threading.Thread(target=worker, args=(tasks,))
    >>> thread.start(); thread.join()
    deposit
    withdraw
    """
    if not (isinstance(task, str) or callable(task)):
        raise TypeError(f"a task is given by its name or as a function, not as {type(task).__name__}")
    on_task_begin(task if isinstance(task, str) else function_name(task))


# `raddle` looks its names up when they are first used. In an execution that would be a step of the first one alone, and
# the search would take the scenario for one that is not deterministic.
vars(sys.modules["raddle"])["begin_task"] = begin_task
