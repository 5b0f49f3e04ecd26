"""Verifies the text of an exported test: it passes in every sequential order, and fails when searched.

    with Verifier() as verifier:
        verifier.verify(text, file=path)   # -> Report

The text itself is run, in a child process with a time limit. The child process replaces `raddle.linearizable` by a
function that runs the same check three times: with whole calls, with a search, and with the schedule only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from raddle.errors import RaddleError
from raddle.event import Event
from raddle.generation.file_guard import FileGuard
from raddle.generation.module_state import ModuleState
from raddle.generation.owned_folder import OwnedFolder
from raddle.generation.process_guard import ProcessGuard
from raddle.generation.shared_variables import SharedVariables
from raddle.instrument import Selection
from raddle.linearizable_check import Checked, LinearizabilityCheck
from raddle.operation import READ, WRITE
from raddle.schedule import parse_place
from raddle.thread_scenario import project_root

MAX_SECONDS = 60.0  # time limit of a verification
POLL_SECONDS = 0.02
RESULT = "result.json"
MAX_NAMES = 3  # changed variables that a message names
ADVICE = "define reset() in a factory, and pass the file with --with"


@dataclass(frozen=True, slots=True)
class Report:
    """What running the text showed."""

    error: str = ""  # why the text could not be run; the other fields are meaningless then
    passes_sequentially: bool = False
    fails: bool = False  # whether a search without the schedule finds a violation
    hint_fails: bool = False  # whether the schedule reproduces the violation
    oracle: str = ""
    calls: tuple[tuple[int, int], ...] = ()  # the calls that the violation is about
    exception: str = ""
    kind: str = ""  # of the finding
    schedule: str = ""
    file: str = ""  # the place where it goes wrong; "" if it is not known
    line: int = 0
    lost_update: bool = False
    preempted: int = 0  # the index of the thread that is preempted last
    needs_folder: bool = False  # whether files in the working directory were changed
    message: str = ""  # the message of the failing test, with the story
    finding: Mapping[str, Any] | None = None  # the failing execution, in its JSON form

    @property
    def problem(self) -> str:
        """Why the test must not be exported; "" if it may be."""
        if self.error:
            return self.error
        if not self.passes_sequentially:
            return "its calls do not behave in the same way in every execution, even if they are made one at a time"
        return "" if self.fails else "the test passes when it is searched"


class Verify(Protocol):
    """A function that verifies a text."""

    def __call__(self, text: str, *, file: Path, seconds: float) -> Report: ...


class Verifier:
    """Verifies texts in child processes, one at a time, as a context manager.

    Modules are instrumented in each process. Their code is kept in a folder, so that it is compiled only once.
    """

    def __init__(self) -> None:
        self.meanwhile: Callable[[], object] = lambda: None  # called again and again while a child process runs
        self._cache = OwnedFolder()

    def __enter__(self) -> Verifier:
        return self

    def __exit__(self, *exc: object) -> None:
        self._cache.delete()

    def verify(self, text: str, *, file: Path, seconds: float = MAX_SECONDS) -> Report:
        """Run the text of a test file, which is going to be written to `file`, and report what happened.

        It runs in a temporary folder, so that relative paths do not name the user's files.
        """
        with OwnedFolder() as owned:
            copy = Path(owned.work, file.name)
            copy.write_text(text, encoding="utf-8")
            try:
                code, errors = self._run([str(copy), str(file.resolve().parent)], owned.work, seconds)
            except subprocess.TimeoutExpired:
                return Report(error=f"the test was still running after {seconds:g} seconds")
            try:
                value = json.loads(Path(owned.work, RESULT).read_text(encoding="utf-8"))
            except (OSError, ValueError):
                last = errors.strip().rpartition("\n")[2]
                return Report(error=f"the test cannot be run: {last or f'exit code {code}'}")
        return Report(**{**value, "calls": tuple((thread, index) for thread, index in value["calls"])})

    def _run(self, arguments: Sequence[str], folder: Path, seconds: float) -> tuple[int, str]:
        """Run a child process; return its exit code, and what it has written to the error stream."""
        command = [sys.executable, "-m", __name__, *arguments, str(self._cache.work)]
        paths = [str(Path(__file__).resolve().parents[2]), *(os.path.abspath(entry or ".") for entry in sys.path)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        until = time.monotonic() + seconds
        with (
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
            ) as process,
        ):
            try:
                while process.poll() is None:
                    if time.monotonic() >= until:
                        raise subprocess.TimeoutExpired(command, seconds)
                    self.meanwhile()
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(POLL_SECONDS)
            except BaseException:
                process.kill()
                raise
            errors.seek(0)
            return process.returncode, errors.read().decode("utf-8", "replace")


def verify(text: str, *, file: Path, seconds: float = MAX_SECONDS) -> Report:
    """Verify a single text."""
    with Verifier() as verifier:
        return verifier.verify(text, file=file, seconds=seconds)


# -- the child process ----------------------------------------------------------------------------------


class _Recorder:
    """Replaces `raddle.linearizable`: runs the check in three ways and keeps the report."""

    def __init__(self, file: str, folder: str) -> None:
        self._file = file
        self._folder = folder
        self.report = Report(error="the test does not call raddle.linearizable")

    def __call__(self, setup: Any, *threads: Any, **options: Any) -> None:
        schedule = options.pop("schedule", None)
        selection = self._selection(options.get("source", ()))
        check = LinearizabilityCheck(setup, threads, **options, selection=selection)
        modules = [
            module
            for name, module in list(sys.modules.items())
            if isinstance(module, ModuleType) and selection(name, getattr(module, "__file__", None))
        ]
        state, variables = ModuleState(modules), SharedVariables(modules)
        error: RaddleError | None = None
        try:
            self.report = self._check(check, schedule)
            if not self.report.problem and (not variables.changed() or not self._check(check, schedule).problem):
                return  # also after the changes that the first run has made
        except RaddleError as raised:
            error = raised
        changed = variables.changed()
        if changed and not self._works_with(state, check):
            changed = []
        if changed:
            names = ", ".join(changed[:MAX_NAMES]) + (" and more" if len(changed) > MAX_NAMES else "")
            self.report = Report(error=f"its calls change {names}, and the test does not put that back: {ADVICE}")
        elif error is not None:
            raise error

    def _works_with(self, state: ModuleState, check: LinearizabilityCheck) -> bool:
        """Return whether the test would be verified if it put back the state of modules before each execution."""
        before = check.reset

        def reset() -> None:
            state.restore()
            if before is not None:
                before()

        try:
            return not self._check(replace(check, reset=reset), None).problem
        except RaddleError:
            return False

    def _check(self, check: LinearizabilityCheck, schedule: Any) -> Report:
        """Run a check without preemptions, with a search, and with the schedule only."""
        hinted = None
        with check.workbench(check.selection or Selection()) as workbench:  # instrumenting takes longer than the rest
            is_repeatable = check.is_repeatable(workbench)
            searched = check.run(workbench)
            if schedule is not None:
                hint = replace(check, schedule=schedule, max_executions=1, preemptions=0)
                hinted = hint.run(workbench)
        return replace(
            _report(searched, self._file),
            passes_sequentially=is_repeatable,
            hint_fails=hinted is not None and hinted.explanation is not None,
        )

    def _selection(self, source: Sequence[str]) -> Selection:
        """Return the modules that will be instrumented when the test is run at its final place."""
        root = project_root(self._folder)
        return Selection(sources=(*(source or (root,)), self._file), root=root)


def _report(checked: Checked, file: str) -> Report:
    explanation = checked.explanation
    if explanation is None:
        return Report()
    finding, violation = explanation.finding, explanation.violation
    name = os.path.basename(file)
    label = next((label for label, path in finding.paths.items() if os.path.realpath(path) == file), name)
    place = finding.place
    preempted = 0
    if finding.preemptions:
        last = finding.preemptions[-1]
        place = place or parse_place(last.place)
        preempted = _number(last.thread)
    is_known = place is not None and place.line > 0 and place.file != label
    return Report(
        fails=finding.schedule is not None,
        oracle=violation.oracle,
        calls=violation.calls,
        exception=violation.exception,
        kind=finding.kind,
        schedule=str(finding.schedule or "").replace(f" {label}:", f" {name}:"),
        file=place.file if place is not None and is_known else "",
        line=place.line if place is not None and is_known else 0,
        lost_update=is_lost_update(finding.trace.events),
        preempted=preempted,
        message=checked.message.replace(label, name),
        finding=_with_name(finding.as_json(), label, name),
    )


def _with_name(value: Any, label: str, name: str) -> Any:
    """Return JSON data in which the file of the test has the name that it is going to have."""
    match value:
        case str():
            return value.replace(label, name)
        case dict():
            return {key: _with_name(one, label, name) for key, one in value.items()}
        case list():
            return [_with_name(one, label, name) for one in value]
    return value


def _number(label: str) -> int:
    """Return the index of the thread with this label, counted from the first thread that makes calls."""
    number = label[1:].partition(".")[0]
    return max(int(number) - 1, 0)


def is_lost_update(events: Sequence[Event]) -> bool:
    """Return whether a thread writes an attribute that another thread has written since the first one read it."""
    stale: dict[
        tuple[str, int], set[str]
    ] = {}  # maps a variable to the threads whose value another thread has replaced
    readers: dict[tuple[str, int], set[str]] = {}  # maps a variable to the threads that know its current value
    for event in events:
        variable = event.variable, event.object
        if event.variable.endswith("[]") or event.kind not in (READ, WRITE) or event.thread == "T0":
            continue
        if event.kind == READ:
            readers.setdefault(variable, set()).add(event.thread)
            stale.setdefault(variable, set()).discard(event.thread)
        else:
            if event.thread in stale.get(variable, ()):
                return True
            stale.setdefault(variable, set()).update(readers.get(variable, set()) - {event.thread})
            readers[variable] = {event.thread} & readers.get(variable, set())
    return False


def main(file: str, folder: str, cache: str) -> int:
    """Run the test in a file, as if the file was in the given folder, and write the report beside it.

    `cache` is a folder for compiled code.
    """
    file = os.path.realpath(file)
    recorder = _Recorder(file, folder)
    vars(import_module("raddle"))["linearizable"] = recorder
    tempfile.tempdir = os.path.dirname(file)  # the parent deletes this folder
    sys.pycache_prefix, sys.dont_write_bytecode = cache, False
    guard, processes = FileGuard(tempfile.tempdir, cache), ProcessGuard()

    def install_guards() -> None:
        guard.install()
        processes.install()

    report = replace(_run(file, recorder, install_guards), needs_folder=guard.saw_relative_path)
    if guard.refused:
        report = replace(report, error=f"its calls change files outside the temporary folder, such as {guard.refused}")
    if processes.refused:
        report = replace(report, error=f"its calls reach other processes: they {processes.refused}")
    Path(file).with_name(RESULT).write_text(json.dumps(asdict(report)), encoding="utf-8")
    return 0


def _run(file: str, recorder: _Recorder, install_guards: Callable[[], None]) -> Report:
    import pytest

    sys.path.insert(0, os.path.dirname(file))
    name = Path(file).stem
    with tempfile.TemporaryDirectory(prefix="raddle-verify-") as temporary:
        try:
            module = import_module(name)
            install_guards()  # what an import does says nothing about the calls
            tests = [value for key, value in vars(module).items() if key.startswith("test_")]
            for test in tests:
                with pytest.MonkeyPatch.context() as monkeypatch:
                    fixtures = {"tmp_path": Path(temporary), "monkeypatch": monkeypatch}
                    test(*(fixtures[name] for name in test.__code__.co_varnames[: test.__code__.co_argcount]))
        except Exception as error:
            return Report(error=f"the test cannot be run: {type(error).__name__}: {error}")
    return recorder.report


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
