"""Exports failing tests as pytest files that people would keep.

    exporter = Exporter(folder, cls=Imported("streams", "Stream"), command="raddle generate streams.Stream")
    exported = exporter.export(test, violation)   # -> Exported or NotExported
    exporter.write(exported)                       # -> NotExported if the file must not be overwritten

`export` renders the test, verifies the text in a child process, and adds the schedule that the verified text needs.
The same test gives the same file.
"""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib import import_module, metadata
from pathlib import Path

from raddle.generation.expressions import Imported
from raddle.generation.naming import Problem, file_name, test_name
from raddle.generation.rendering import MARK, Header, Shown, render
from raddle.generation.source import NotWritableError
from raddle.generation.testcase import TestCase
from raddle.generation.verification import MAX_SECONDS, Report, Verify, verify
from raddle.instrument import Selection
from raddle.instrument.selection import PROJECT_MARKS
from raddle.linearizability.judgment import Oracle, Violation
from raddle.thread_scenario import project_root

MAX_LINES = 25  # a test has fewer lines of code
TIME_UP = "the time limit was reached before a test was written and verified"
ROUNDS = 4  # maximum number of verifications; two are usual, because names and docstring depend on the first


@dataclass(frozen=True, slots=True)
class Exported:
    """A verified test file."""

    path: Path
    text: str = field(repr=False)
    test: str  # the name of the test function
    report: Report = field(repr=False)  # with the story and the schedule


@dataclass(frozen=True, slots=True)
class NotExported:
    """Why a test was not exported or written."""

    reason: str


class Exporter:
    """Exports the tests of one class into a folder."""

    def __init__(
        self,
        folder: Path | str,
        *,
        cls: Imported,
        command: str,
        seconds: float = MAX_SECONDS,
        is_free: Callable[[Path], bool] = lambda path: True,
        reset: Imported | None = None,
        invariant: Imported | None = None,
        verify: Verify = verify,
    ) -> None:
        self._folder = Path(folder)
        self._verify = verify
        self._cls = cls
        self._seconds = seconds
        self._is_free = is_free  # whether no test of another class is in a file
        self._header = replace(header_of(cls, command=command, folder=self._folder), reset=reset, invariant=invariant)
        self._taken: set[str] = set()  # the names of the files exported so far

    def export(self, test: TestCase, violation: Violation, *, seconds: float = float("inf")) -> Exported | NotExported:
        """Return the verified file for a shrunk test, or the reason why it cannot be exported.

        `seconds` limits the time for all verifications together.
        """
        until = time.monotonic() + seconds
        problem = Problem(violation.oracle, violation.calls, violation.exception)
        shown = Shown(problem)
        text = ""
        for _ in range(ROUNDS):
            before = text
            try:
                text = render(test, shown, self._header)
            except NotWritableError as error:
                return NotExported(str(error))
            path = self._path(test_name(test, shown.problem))
            if text == before:
                break
            left = until - time.monotonic()
            limit = min(self._seconds, left)
            report = self._verify(text, file=path, seconds=limit) if left > 0 else Report(error=TIME_UP)
            if report.problem:
                if time.monotonic() >= until:
                    return NotExported(TIME_UP)
                return NotExported(report.problem)
            shown = _shown(report)
        else:
            return NotExported("the test fails differently each time it is run")
        if not report.hint_fails:
            return NotExported("the schedule does not reproduce the failure")
        lines = code_lines(text)
        if lines >= MAX_LINES:
            return NotExported(f"the test has {lines} lines of code, which is too long to read")
        self._taken.add(path.name)
        return Exported(path, text, test_name(test, shown.problem), report)

    def _path(self, test: str) -> Path:
        """Return the file for a test. The name of the module is part of it if another class has the same name."""
        path = self._folder / file_name(self._cls.name, test, self._taken)
        if self._is_free(path):
            return path
        return self._folder / file_name(f"{self._cls.module}:{self._cls.name}", test, self._taken)

    def write(self, exported: Exported) -> NotExported | None:
        """Write a file; return the reason if a file that raddle did not generate is in the way."""
        path = exported.path
        if path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(MARK):
            return NotExported(f"{path} exists, and raddle did not generate it")
        if path.resolve().parent != self._folder.resolve():
            return NotExported(f"{path} is not in {self._folder}")
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.tmp")
        temporary.write_text(exported.text, encoding="utf-8")
        os.replace(temporary, path)
        return None


def _shown(report: Report) -> Shown:
    problem = Problem(
        Oracle(report.oracle),
        report.calls,
        report.exception,
        kind=report.kind,
        lost_update=report.lost_update,
        preempted=report.preempted,
    )
    return Shown(problem, report.schedule, report.file, report.line, needs_folder=report.needs_folder)


def header_of(cls: Imported, *, command: str, folder: Path) -> Header:
    """Return the header of the tests of a class that are written to a folder."""
    module = import_module(cls.module)
    file = getattr(module, "__file__", None) or ""
    root = project_root(str(folder.resolve()))
    in_project = bool(Selection(root=root)(cls.module, file))
    top = cls.module.partition(".")[0]
    distribution = _distribution(top)
    origin = origin_of(cls) + (f" ({distribution})" if distribution else "")
    return Header(origin, command, () if in_project else (top,), partial(is_first_party, root=_sorting_root(root)))


def origin_of(cls: Imported) -> str:
    """Return what the first line of a test says about where it comes from, without the version."""
    return f"{cls.module}.{cls.name}"


def is_test_of_another_class(file: Path, cls: Imported) -> bool:
    """Return whether a file is a generated test of another class."""
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            first = lines.readline()
    except OSError:
        return False
    begin = f"{MARK} from "
    return first.startswith(begin) and first.removeprefix(begin).partition(" ")[0].strip().rstrip(".") != origin_of(cls)


def _sorting_root(root: str) -> Path:
    """Return the folder from which import sorters look for modules: without a project, the working directory."""
    is_project = any(os.path.exists(os.path.join(root, mark)) for mark in PROJECT_MARKS)
    return Path(root) if is_project else Path.cwd()


def is_first_party(module: str, root: Path) -> bool:
    """Return whether import sorters take a module for a part of the project: it is in its root or its `src` folder.

    >>> is_first_party("json", Path("/nowhere"))
    False
    """
    top = module.partition(".")[0]
    return any((folder / top).is_dir() or (folder / f"{top}.py").is_file() for folder in (root, root / "src"))


@lru_cache(maxsize=64)
def _distribution(package: str) -> str:
    """Return the name and version of the distribution of a package, such as "kafka-python 2.0.2"; "" if unknown."""
    names = sorted(set(metadata.packages_distributions().get(package, ())))
    return f"{names[0]} {metadata.version(names[0])}" if len(names) == 1 else ""


def code_lines(text: str) -> int:
    """Return the number of lines of code, without blank lines, comments and docstrings.

    >>> code_lines("# about\\n\\nx = 1\\n")
    1
    """
    documented = [
        node.body[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None
    ]
    inside = {line for node in documented for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    return sum(
        1
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#") and number not in inside
    )
