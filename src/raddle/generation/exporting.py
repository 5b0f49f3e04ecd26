"""Turns bugs into findings with test files, and the tests that raise coverage into one more file."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from raddle.errors import UsageError
from raddle.finding import Finding
from raddle.generation.bug import Bug
from raddle.generation.call_text import test_lines
from raddle.generation.export import Exporter, NotExported, header_of, is_test_of_another_class
from raddle.generation.expressions import Imported
from raddle.generation.generation_result import GeneratedFinding
from raddle.generation.naming import file_name
from raddle.generation.public_names import PublicNames
from raddle.generation.pytest_paths import CONFTEST, missing_paths, write_conftest
from raddle.generation.rendering import MARK, render_passing
from raddle.generation.source import NotWritableError
from raddle.generation.surface import MethodKind
from raddle.generation.testcase import TestCase
from raddle.generation.verification import MAX_SECONDS, Verify, verify
from raddle.place import Place

DEFAULT_FOLDER = "raddle-tests"


def checked_folder(out: str | os.PathLike[str]) -> Path:
    """Return the folder to write to, which need not exist yet.

    Raises:
        UsageError: If it cannot be a folder for tests.
    """
    text = os.fspath(out)
    if not text:
        raise UsageError("bad-out", f"out is empty: name a folder for the tests, such as {DEFAULT_FOLDER}")
    folder = Path(text)
    nearest = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not nearest.is_dir():
        where = text if nearest == folder else f"{text} lies below {nearest}, which"
        raise UsageError("bad-out", f"{where} is not a folder: name another folder for the tests with --out")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise UsageError("bad-out", f"{nearest} is not writable: name another folder for the tests with --out")
    return folder


class TestFolder:
    """The folder that receives the tests of one run. Without `is_written`, the tests are only created as text."""

    __test__ = False  # pytest must not collect this class

    def __init__(self, folder: Path, *, is_written: bool) -> None:
        self.path = folder
        self.notes: list[str] = []
        self.is_written = is_written
        self._files: dict[Path, str] = {}  # the files of this run, each with the class that it tests
        self._paths: dict[Path, None] = {}  # the folders that conftest.py adds to the path

    def write(self, path: Path, cls: str, write: Callable[[], NotExported | None]) -> str:
        """Write a file, and return why that is not possible; "" if it is."""
        owner = self._files.setdefault(path, cls)
        if owner != cls:
            return f"{path} contains a test of {owner}; use --out for one of the two classes"
        if not self.is_written:
            return ""
        try:
            refused = write()
        except OSError as error:
            return f"{path} cannot be written: {error.strerror or error}"
        return "" if refused is None else refused.reason

    def is_free(self, path: Path, cls: Imported) -> bool:
        """Return whether a file contains no test of another class, from this run or an earlier one."""
        owner = self._files.get(path)
        return owner in (None, f"{cls.module}:{cls.name}") and not is_test_of_another_class(path, cls)

    def make_importable(self, modules: Sequence[str]) -> str:
        """Make modules importable for the tests; return the name of the `conftest.py` if one was written."""
        paths = missing_paths(modules, self.path) if self.is_written else []
        if not paths or all(path in self._paths for path in paths):
            return ""
        self._paths.update(dict.fromkeys(paths))
        advice = write_conftest(list(self._paths), self.path)
        if advice:
            self.notes.append(advice)
            return ""
        return shown_path(self.path / CONFTEST)


class ClassExport:
    """The tests of one class."""

    def __init__(
        self,
        cls: Imported,
        folder: TestFolder,
        *,
        command: str,
        factory: str = "",
        names: PublicNames | None = None,
        reset: Imported | None = None,
        invariant: Imported | None = None,
        verify: Verify = verify,
    ) -> None:
        self._names = PublicNames() if names is None else names
        self._cls = cls = self._names.of(cls)
        self._folder = folder
        self._command = command
        self._modules = (cls.module, *([factory] if factory else []))
        self._exporter = Exporter(
            folder.path, cls=cls, command=command, is_free=self._is_free, reset=reset, invariant=invariant,
            verify=verify,
        )  # fmt: skip
        self._verify = verify
        self.files: list[str] = []

    @property
    def name(self) -> str:
        """The class, as "package.module:Class"."""
        return f"{self._cls.module}:{self._cls.name}"

    def finding(self, bug: Bug, *, seconds: float = float("inf")) -> GeneratedFinding:
        """Export a bug; return the finding. If the test cannot be verified in this time, there is none."""
        bug = replace(bug, test=self._names.in_test(bug.test))
        found = GeneratedFinding(
            self.name,
            bug.identity.kind,
            str(bug.oracle),
            bug.sentence,
            test_lines(bug.test),
            tuple(tuple(str(call.method) for call in thread) for thread in bug.test.threads),
            bug.identity.exception,
            bug.identity.function,
            bug.identity.variable,
            seconds=bug.seconds,
            tests=bug.tests,
            executions=bug.executions,
        )
        if bug.unfinished:
            return replace(found, reason=bug.unfinished)
        exported = self._exporter.export(bug.test, bug.violation, seconds=seconds)
        if isinstance(exported, NotExported):
            return replace(found, reason=exported.reason)
        reason = self._folder.write(exported.path, self.name, lambda: self._exporter.write(exported))
        if not reason:
            self._wrote(exported.path)
        report = exported.report
        return replace(
            found,
            oracle=report.oracle,
            file=shown_path(exported.path) if not reason and self._folder.is_written else "",
            test=exported.test,
            source=exported.text,
            schedule=report.schedule,
            place=Place(report.file, report.line) if report.line else None,
            story=self._with_folder(report.message),
            failure=None if report.finding is None else self._failure(report.finding),
            reason=reason,
        )

    def _failure(self, data: Mapping[str, Any]) -> Finding:
        """Return the failing execution of a test, as if the test had been run in its folder."""
        found = Finding.from_json(data)
        return replace(found, details=tuple(map(self._with_folder, found.details)))

    def _with_folder(self, text: str) -> str:
        """Return a text in which the folder of the tests replaces the one in which the test was verified."""
        folder = shown_path(self._folder.path)
        pattern = r'(?<=File ")[^"\n]*raddle-generate-[^/\\"]*[/\\]work(?=[/\\])'
        return re.sub(pattern, lambda _: folder, text)

    def _is_free(self, path: Path) -> bool:
        return self._folder.is_free(path, self._cls)

    def _wrote(self, path: Path) -> None:
        conftest = self._folder.make_importable(self._modules)
        if self._folder.is_written:
            self.files += [file for file in (shown_path(path), conftest) if file and file not in self.files]

    def keep_coverage_tests(self, tests: Sequence[TestCase], *, seconds: float = float("inf")) -> str:
        """Write the tests that pass to a file; return a note if there is none. `seconds` limits the time."""
        until = time.monotonic() + seconds
        # Only this file depends on the option, which is therefore not part of the command in the others.
        command = f"{self._command} --keep-coverage-tests"
        header = header_of(self._cls, command=command, folder=self._folder.path)
        path = self._folder.path / file_name(self._cls.name, "coverage")
        if not self._is_free(path):
            path = path.with_name(file_name(self.name, "coverage"))
        passing = []
        for test in map(self._names.in_test, map(_without_attributes, tests)):
            try:
                text = render_passing([test], header)
            except NotWritableError:
                continue
            if time.monotonic() >= until:
                break
            report = self._verify(text, file=path, seconds=min(MAX_SECONDS, until - time.monotonic()))
            if not report.error and report.passes_sequentially and not report.fails:
                passing.append(test)
        if not passing:
            return "no passing test raised the coverage, so there is no file of coverage tests"
        try:
            text = render_passing(passing, header)
        except NotWritableError as error:
            return f"the coverage tests cannot be written: {error}"

        def write() -> NotExported | None:
            if path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(MARK):
                return NotExported(f"{path} exists, and raddle did not generate it")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return None

        reason = self._folder.write(path, self.name, write)
        if not reason:
            self._wrote(path)
        return reason


def _without_attributes(test: TestCase) -> TestCase:
    """Return a test without the observers of attributes and callbacks, for brevity."""
    left_out = (MethodKind.PROPERTY, MethodKind.CALLBACK)
    kept = tuple(call for call in test.observers if call.method.kind not in left_out)
    return TestCase(test.prefix, test.threads, kept)


def shown_path(path: Path) -> str:
    """Return a path as the user would write it: relative to the working directory if it is below it."""
    resolved = path.resolve()
    here = Path.cwd()
    return str(resolved.relative_to(here)) if here in resolved.parents else str(resolved)
