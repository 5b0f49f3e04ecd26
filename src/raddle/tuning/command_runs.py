"""Evaluates noise: runs a whole command natively a few times, and records the coverage of the runs.

Each run is a `raddle run` process. All runs with one configuration share a temporary data file, whose contents are then
added to the common data file. A run fails if its exit code is not 0, if an exception ended one of its threads, or if it
does not end in time.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from raddle.errors import UsageError
from raddle.execute.fork import how_it_ended
from raddle.exit_code import ExitCode
from raddle.origin import Command, Origin
from raddle.record import Record
from raddle.refusal import NotInstrumented
from raddle.store import Contents, NoDataError, read
from raddle.tally import Tally
from raddle.tuning.configurations import Configuration
from raddle.tuning.runs import Runs
from raddle.tuning.search import Measured, SearchEnd

PATIENCE = 10  # a run may take this many times as long as the longest successful run
MIN_SECONDS = 30.0  # minimum time limit of a run
MAX_SECONDS = 600.0  # time limit of a run until a run has succeeded
GRACE_SECONDS = 2.0  # time for an interrupted run to store its data, after each interrupt
INTERRUPTS = 3  # maximum number of interrupts sent to a run; after the second, the run no longer waits for its threads
MAX_READ = 1 << 16  # bytes read from the end of a run's output

_monotonic = time.monotonic
_REFUSAL = re.compile(r"^raddle: (?P<message>.*) \[(?P<slug>[a-z-]+)\]$", re.MULTILINE | re.DOTALL)
_THREAD_DIED = re.compile(r"^Exception in thread ", re.MULTILINE)
_ERROR = re.compile(
    r"^(?:E   )?\s*(?P<name>[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Group))\b.*$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one process."""

    code: int | None  # exit code, or None if the process was stopped at its time limit
    seconds: float
    error: str = ""  # the last exception that the process printed
    thread_died: bool = False  # True if a thread ended with an exception

    @property
    def how(self) -> str:
        """What went wrong, or "" if nothing did.

        >>> Run(1, 0.2).how, Run(-11, 0.2).how, Run(None, 30.0).how, Run(0, 0.2).how
        ('exit code 1', 'killed by SIGSEGV', 'did not end within 30 s', '')
        """
        if self.code is None:
            return f"did not end within {self.seconds:.0f} s"
        if self.code:
            return how_it_ended(self.code)
        return "exit code 0, but a thread raised an exception" if self.thread_died else ""


@dataclass(frozen=True, slots=True)
class Failures:
    """Runs that failed in the same way."""

    how: str  # what went wrong
    error: str  # exception printed by the first run that failed in this way
    configuration: Configuration  # configuration of the first run that failed in this way
    runs: int = 1  # number of runs that failed in this way

    def __add__(self, other: Failures) -> Failures:
        return Failures(self.how, self.error, self.configuration, self.runs + other.runs)


class CommandRuns(Runs):
    """Evaluates noise configurations and counts failed runs.

    `command` is the part of the command line after the options of `raddle run`. `arguments` are additional options of
    `raddle run`.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        executions: int,
        criteria: Sequence[str],
        data_file: str,
        source: Sequence[str] = (),
        run_seconds: float | None = None,
        arguments: Sequence[str] = (),
        origin: str = "",
    ) -> None:
        super().__init__(data_file)
        self._arguments = tuple(arguments)
        self._origin = origin or str(Origin(Command.SEARCH, " ".join(command)))
        self._command = tuple(command)
        self._executions = executions
        self._criteria = tuple(criteria)
        self._source = tuple(source)
        self._run_seconds = run_seconds
        self._longest: float | None = None
        self.runs = 0
        self.failures: dict[tuple[str, str], Failures] = {}

    def __call__(self, configuration: Configuration, seconds: float | None) -> Measured:
        """Run the command a few times with the given noise, and store the coverage of the runs."""
        until = None if seconds is None else _monotonic() + seconds
        failed = 0
        ended: SearchEnd | Literal[""] = ""
        # The file is created next to the common one, because the directory of a data file determines how `raddle run`
        # names source files.
        data = Path(f"{self._data_file}.search-{os.getpid()}")
        try:
            with TemporaryDirectory(prefix="raddle-search-") as folder:
                for _ in range(self._executions):
                    failed += self._one(configuration, data, Path(folder), until)
                    if until is not None and _monotonic() >= until:
                        break
        except KeyboardInterrupt:
            ended = SearchEnd.INTERRUPTED
        try:
            return Measured(self._keep(data), failed=failed, ended=ended)
        finally:
            for leftover in (data, Path(f"{data}-journal")):
                leftover.unlink(missing_ok=True)

    def _one(self, configuration: Configuration, data: Path, folder: Path, until: float | None) -> bool:
        """Run the command once, at most until the given time. Return whether it failed."""
        summary = folder / "summary"
        summary.unlink(missing_ok=True)
        limit = self._limit
        left = limit if until is None else max(until - _monotonic(), 0.0)
        run, printed = self._start(self._whole_command(configuration, data, summary), folder, min(limit, left))
        self.runs += 1
        if not summary.exists() and run.code == ExitCode.USAGE:  # raddle could not even start the program
            refusal = _REFUSAL.search(printed)
            if refusal is not None:
                raise UsageError(refusal["slug"], refusal["message"])
        self._note(summary)
        if run.code is None and left < limit:
            return False  # the time for all runs is used up
        if not run.how:
            self._longest = max(run.seconds, self._longest or 0.0)
            return False
        key = run.how, run.error.partition(":")[0]
        one = Failures(run.how, run.error, configuration)
        self.failures[key] = self.failures[key] + one if key in self.failures else one
        return True

    def _whole_command(self, configuration: Configuration, data: Path, summary: Path) -> list[str]:
        sources = [part for name in self._source for part in ("--source", name)]
        kept = ["--criteria", ",".join(self._criteria), "--data-file", str(data), "--json-file", str(summary)]
        options = [*configuration.arguments, *self._arguments, *kept, *sources]
        return [sys.executable, "-m", "raddle", "run", *options, *self._command]

    @property
    def _limit(self) -> float:
        """The time limit of one run in seconds. It is generous, because noise slows runs down."""
        if self._run_seconds is not None:
            return self._run_seconds
        return MAX_SECONDS if self._longest is None else max(MIN_SECONDS, PATIENCE * self._longest)

    def _start(self, command: Sequence[str], folder: Path, limit: float) -> tuple[Run, str]:
        """Run one process for at most `limit` seconds. Return how it ended and the end of its error output."""
        start = _monotonic()
        code: int | None
        with open(folder / "out", "wb") as out, open(folder / "error", "wb") as error:
            # A new session shields the process from Ctrl-C, and allows its child processes to be stopped together with
            # it.
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=error, start_new_session=True
            )
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                if process.poll() is None:
                    end(process)
        printed = _tail(folder / "error")
        errors = list(_ERROR.finditer(printed)) or list(_ERROR.finditer(_tail(folder / "out")))
        return (
            Run(
                code,
                limit if code is None else _monotonic() - start,
                error=errors[-1][0].removeprefix("E   ").strip() if errors and code is not None else "",
                thread_died=_THREAD_DIED.search(printed) is not None,
            ),
            printed,
        )

    def _note(self, summary: Path) -> None:
        if not summary.exists():
            self.notes["a run wrote no summary: it was killed, or the program ended itself with os._exit"] = None
            return
        data = json.loads(summary.read_text(encoding="utf-8"))
        self.notes.update(dict.fromkeys(data["notes"]))
        self.not_instrumented.update(dict.fromkeys(NotInstrumented(**one) for one in data["not_instrumented"]))

    def _keep(self, data: Path) -> Tally:
        """Return the coverage of the runs, after adding it to the common data file."""
        try:
            contents = read(data)
        except NoDataError:
            return Tally()
        record = as_record(contents, origin=self._origin)
        self.record = record if self.record is None else self.record + record
        self._store(record)
        return contents.tally


def as_record(contents: Contents, *, origin: str) -> Record:
    """Return one record of all native runs in a data file.

    When the record is added to a data file, coverage of source files that have changed is dropped.
    """
    return Record(**contents.measured_fields() | {"notes": (), "corpus": ()}, origin=origin, mode="native")


def end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt a process and its children, so that they can store their data; then kill them."""
    if not hasattr(os, "killpg"):
        process.kill()
        process.wait()
        return
    try:
        for _ in range(INTERRUPTS):
            _signal(process, signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_SECONDS)
                return
    finally:
        _signal(process, signal.SIGKILL)  # also kills child processes that are still running
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _tail(file: Path) -> str:
    return file.read_bytes()[-MAX_READ:].decode("utf-8", "replace")
