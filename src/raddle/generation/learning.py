"""Learns arguments from the tests of a project (`--learn tests/`), by running them in a child process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from raddle.errors import UsageError
from raddle.generation.learned_values import LearnedValues
from raddle.generation.surface import Surface

SECONDS = 60.0  # time limit for the tests
_GRACE_SECONDS = 10.0  # additional time for starting the process and for writing the values


def learn(surface: Surface, tests: str, *, seconds: float = SECONDS) -> LearnedValues:
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
        _run(command, environment, seconds + _GRACE_SECONDS)
        try:
            return LearnedValues.from_json(json.loads(output.read_text(encoding="utf-8")))
        except (OSError, ValueError):  # the process was killed before it could write
            return LearnedValues()


def _run(command: list[str], environment: dict[str, str], seconds: float) -> None:
    """Run a command silently; end it and all of its children when the time is over."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass
    finally:
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
