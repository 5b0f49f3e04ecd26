"""Every test here runs a small project's own pytest, in a process of its own: patches must not leak."""

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
        "A call: where CPython with the GIL can switch."


    def together(*targets):
        threads = [threading.Thread(target=target) for target in targets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""


@pytest.fixture
def is_installed() -> bool:
    """Does pytest find the plugin by itself, or only when it is told of it?"""
    return any(point.name == "raddle" for point in entry_points(group="pytest11"))


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Options that load the plugin, and no other one: importing those would take a third of the time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return ("-p", "raddle_pytest")


@pytest.fixture
def load_all(is_installed: bool) -> tuple[str, ...]:
    """Options that load the plugin with all others, as users do."""
    return () if is_installed else ("-p", "raddle_pytest")


@pytest.fixture
def run(pytester: pytest.Pytester, load: tuple[str, ...]) -> Run:
    """Runs pytest on a test file, beside which there is a module `counter`."""
    pytester.makepyfile(counter=COUNTER)

    def run(source: str | None, *args: str) -> pytest.RunResult:
        if source is not None:
            head = "import threading\nimport pytest\nfrom counter import Counter, together\n"
            pytester.makepyfile(test_it=head + source)
        if "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ:  # then it is about starting up
            return pytester.runpytest_subprocess(*load, "-p", "no:randomly", *args)
        options = ["--basetemp", str(pytester.path / "basetemp"), *load, "-p", "no:randomly"]
        return run_in_a_fork("pytest", *options, *args)

    return run


def run_in_a_fork(module: str, *args: str) -> pytest.RunResult:
    """Run a module in the current folder, as `pytester.run` does."""
    since = time.perf_counter()
    done = warm.run(module, *args, cwd=Path.cwd())
    print(done.stdout, done.stderr)  # for a test that fails
    seconds = time.perf_counter() - since
    return pytest.RunResult(done.returncode, done.stdout.splitlines(), done.stderr.splitlines(), seconds)


@pytest.fixture
def run_module() -> Run:
    """Runs a module in the current folder, in a process of its own."""
    return run_in_a_fork
