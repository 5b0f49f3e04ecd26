"""Learns arguments from the tests of a project (`--learn tests/`), by running them in a child process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from raddle.errors import UsageError
from raddle.execute.fork import how_it_ended
from raddle.generation.learned_values import LearnedValues
from raddle.generation.project_tests import TestReport
from raddle.generation.surface import Surface

SECONDS = 60.0  # time limit for the tests
_GRACE_SECONDS = 10.0  # additional time for starting the process and for writing the values


@dataclass(frozen=True, slots=True)
class Learned:
    """The values that tests passed to a class, and why some tests could not be run."""

    values: LearnedValues
    problem: str = ""  # a sentence for the user; "" if all tests were run


def learn(surface: Surface, tests: str, *, seconds: float = SECONDS) -> Learned:
    """Run tests and return the arguments that they passed to the methods of the class.

    When the time is over, the tests are ended, and the values collected so far are returned. No files are written to
    the project, unless the tests themselves write some.

    Raises:
        UsageError: If there are no such tests.
    """
    if not os.path.exists(tests):
        raise UsageError("no-such-file", f"there are no tests in {tests}: the file or folder does not exist")
    with tempfile.TemporaryDirectory(prefix="raddle-") as folder:
        output = Path(folder) / "values.json"
        command = [sys.executable, "-m", "raddle.generation.argument_recorder"]
        command += [surface.cls.module, surface.cls.name, tests, str(output), str(seconds)]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(os.path.abspath(entry) for entry in sys.path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",  # the same values in every run
            "HYPOTHESIS_STORAGE_DIRECTORY": folder,
        }
        ended = _run(command, environment, seconds + _GRACE_SECONDS)
        try:
            values, report = json.loads(output.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # the process has ended before it could write
            return Learned(LearnedValues(), f"nothing was learned from {tests}: the process of the tests {ended}")
    return Learned(LearnedValues.from_json(values), problem_of(TestReport.from_json(report), tests, seconds=seconds))


def problem_of(report: TestReport, tests: str, *, seconds: float) -> str:
    """Return a sentence about the tests that could not be run; "" if all were.

    >>> problem_of(TestReport(problems=("test_a.py could not be imported: OSError",)), "tests", seconds=60)
    'nothing was learned from tests: test_a.py could not be imported: OSError'
    >>> problem_of(TestReport(0), "tests", seconds=60)
    'nothing was learned from tests: it contains no tests'
    """
    others = f" (and {len(report.problems) - 1} more)" if len(report.problems) > 1 else ""
    reasons = [f"{problem}{others}" for problem in report.problems[:1]]
    if report.timed_out:
        reasons.append(f"the tests were ended after {seconds:g} s")
    elif not report.count and not report.problems:
        reasons.append("it contains no tests")
    if not reasons:
        return ""
    begin = "nothing was learned from" if not report.count else "not everything was learned from"
    return f"{begin} {tests}: {'; '.join(reasons)}"


def _run(command: list[str], environment: dict[str, str], seconds: float) -> str:
    """Run a command silently; end it and all of its children when the time is over. Return how it ended."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
            ended = f"ended ({how_it_ended(process.returncode)})"
        except subprocess.TimeoutExpired:
            ended = f"did not end within {seconds:g} s"
        finally:
            if os.name == "posix":
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            process.wait()
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
    return f"{ended}: {lines[-1]}" if lines and process.returncode else ended
