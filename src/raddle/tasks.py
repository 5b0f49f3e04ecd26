"""Tasks of thread pools that a program implements itself."""

from __future__ import annotations

import sys
from collections.abc import Callable

from raddle.inspection import function_name


def on_task_begin(name: str) -> None:
    """Ignore the beginning of a task. A measurement replaces this hook with one that records the task."""


def begin_task(task: str | Callable[..., object]) -> None:
    """Announce that the running thread begins a task.

    Call this function in the workers of a custom thread pool, once for each task. A `ThreadPoolExecutor` needs no such
    calls. If nothing is being measured, the call has no effect.

    Criteria distinguish threads by their types and the first methods that they ran. After this call, the criteria treat
    the worker as a new thread: its type is the name of the task, and its methods are counted from zero.

    Args:
        task: The name of the task, or the function that it runs.

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
        raise TypeError(f"begin_task takes a function or the name of a task, not {type(task).__name__}")
    on_task_begin(task if isinstance(task, str) else function_name(task))


# `raddle` imports its names lazily. If a scenario triggered such an import, its first execution would differ from later
# ones, and the search would report the scenario as nondeterministic. So this name is set as soon as the module is
# imported.
vars(sys.modules["raddle"])["begin_task"] = begin_task
