"""Fixtures that run pytest on a small project in a separate process, so that raddle's patches do not leak."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import warm

Run = Callable[..., pytest.RunResult]

COUNTER = """
    import threading


    class Counter:
        def __init__(self):
            self.value = 0

        def increment(self):
            value = self.value
            pause()
            self.value = value + 1

        def bare_increment(self):
            self.value += 1


    def pause():
        "Do nothing. CPython with the GIL can switch threads at this call."


    def together(*targets):
        threads = [threading.Thread(target=target) for target in targets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""


@pytest.fixture
def is_installed() -> bool:
    """Whether pytest finds the plugin through its entry point."""
    return any(point.name == "raddle" for point in entry_points(group="pytest11"))


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Options that load only this plugin. Importing the other plugins would take a third of the run time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return ("-p", "raddle_pytest")


@pytest.fixture
def load_all(is_installed: bool) -> tuple[str, ...]:
    """Options that load the plugin together with all other installed plugins."""
    return () if is_installed else ("-p", "raddle_pytest")


@pytest.fixture
def run(pytester: pytest.Pytester, load: tuple[str, ...]) -> Run:
    """Return a function that runs pytest on a test file next to a module `counter`."""
    pytester.makepyfile(counter=COUNTER)

    def run(source: str | None, *args: str) -> pytest.RunResult:
        if source is not None:
            head = "import threading\nimport pytest\nfrom counter import Counter, together\n"
            pytester.makepyfile(test_it=head + source)
        if "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ:  # the test needs all plugins
            return pytester.runpytest_subprocess(*load, "-p", "no:randomly", *args)
        options = ["--basetemp", str(pytester.path / "basetemp"), *load, "-p", "no:randomly"]
        return run_in_a_fork("pytest", *options, *args)

    return run


def run_in_a_fork(module: str, *args: str) -> pytest.RunResult:
    """Run a module in the current folder and return its result, as `pytester.run` does."""
    start = time.perf_counter()
    completed = warm.run(module, *args, cwd=Path.cwd())
    print(completed.stdout, completed.stderr)  # pytest shows this if the test fails
    seconds = time.perf_counter() - start
    return pytest.RunResult(completed.returncode, completed.stdout.splitlines(), completed.stderr.splitlines(), seconds)


@pytest.fixture
def run_module() -> Run:
    """Return a function that runs a module in the current folder, in a forked process."""
    return run_in_a_fork
