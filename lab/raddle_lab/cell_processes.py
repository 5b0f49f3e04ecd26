"""Runs the cells of an experiment, each in its own process with a time limit.

A class under test can hang, exhaust the memory or end its process. The other cells are not affected: the cell gets a
result that says how it ended.

    python -m raddle_lab.cell_processes MODULE DESCRIPTION FILE

This command calls `MODULE.run` with the description of a cell, given as JSON, and writes the result to the file.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from raddle_lab.result_log import Json

KILLED = "killed"  # the cell reached the time limit of its process
DIED = "died"  # the process ended without a result


@dataclass(frozen=True, slots=True)
class CellTask:
    """A cell and its limit."""

    description: Mapping[str, Any]  # JSON data
    limit_seconds: float


class CellProcesses:
    """Runs cells in up to `jobs` processes at a time; `module` is the name of the module that runs them."""

    def __init__(self, module: str, *, jobs: int) -> None:
        self._module = module
        self._jobs = jobs
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def results(self, tasks: Iterable[CellTask]) -> Iterator[tuple[CellTask, Json]]:
        """Yield each task with its result, in the order in which they end. Kill all processes on any exception."""
        with ThreadPoolExecutor(self._jobs) as executor:
            futures = {executor.submit(self._run, task): task for task in tasks}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                self._stop()
                raise

    def _run(self, task: CellTask) -> Json:
        with tempfile.TemporaryDirectory(prefix="raddle-") as folder:
            result, errors = Path(folder) / "result.json", Path(folder) / "errors.txt"
            command = [sys.executable, "-m", __spec__.name, self._module, json.dumps(task.description), str(result)]
            with errors.open("wb") as stream:
                ended = self._wait(command, stream, task.limit_seconds)
            with suppress(OSError, ValueError):
                found: Json = json.loads(result.read_text(encoding="utf-8"))
                return found
            lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            return {"end": DIED if ended else KILLED, "error": lines[-1] if lines else ""}

    def _wait(self, command: list[str], errors: Any, seconds: float) -> bool:
        """Run a command; return False if it was killed because it took too long."""
        with self._lock:
            if self._stopped:
                return False
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
            )
            self._running.add(process)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        finally:
            _kill(process)
            with self._lock:
                self._running.discard(process)
        return True

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._running:
                _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and its children."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def main(module: str, description: str, file: str) -> None:
    """Run one cell."""
    result = import_module(module).run(json.loads(description))
    Path(file).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # threads of the class under test must not keep the process alive
