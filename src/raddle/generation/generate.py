"""The public function `generate`: looks for calls that break a class when two threads make them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from raddle.errors import RaddleError, UsageError
from raddle.generation.bug import Bug
from raddle.generation.class_search import Counts
from raddle.generation.exporting import ClassExport, TestFolder
from raddle.generation.expressions import Imported
from raddle.generation.factory import Factory, load_factory
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.generation_result import ClassReport, GeneratedFinding, GenerationResult
from raddle.generation.inspect_class import inspect_class
from raddle.generation.learning import learn as learn_values
from raddle.generation.oracle_names import ORACLES
from raddle.generation.owned_folder import delete_abandoned
from raddle.generation.package_classes import imported
from raddle.generation.public_names import PublicNames, is_private
from raddle.generation.rejection import reason_not_tested
from raddle.generation.run_options import RunOptions
from raddle.generation.search_end import SearchEnd
from raddle.generation.silence import Silence
from raddle.generation.supervision import Searched, Supervisor
from raddle.generation.surface import Surface
from raddle.generation.targets import Target, Targets, search_target
from raddle.generation.time_budget import GRACE_SECONDS, TimeBudget
from raddle.generation.unbuildable import UnbuildableError
from raddle.generation.verification import Verifier
from raddle.generation.watched_search import SearchRequest
from raddle.inspection import module_of, qualname_of


@dataclass(frozen=True, slots=True)
class GenerationProgress:
    """What test generation is doing."""

    cls: str  # the class, as "package.module:Class"
    number: int  # number of the class
    classes: int  # number of classes
    doing: str  # "searching", "learning from the tests", "writing a test"
    seconds: float = 0.0  # time spent on this class
    limit: float = 0.0  # time limit for this class
    tests: int = 0
    executions: int = 0
    findings: int = 0
    finding: GeneratedFinding | None = None  # a new finding
    report: ClassReport | None = None  # of a class that is done


T = TypeVar("T")
ProgressCallback = Callable[[GenerationProgress], None]


def generate(
    target: type | str,
    *,
    method: str = "portfolio",
    seconds: float | None = None,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    methods: Sequence[str] = (),
    exclude: Sequence[str] = (),
    oracle: str | Sequence[str] = ORACLES,
    learn: str | None = None,
    factory: str | None = None,
    workers: int | None = None,
    keep_coverage_tests: bool = False,
    max_tests: int | None = None,
    progress: ProgressCallback | None = None,
) -> GenerationResult:
    """Look for calls that break a class when two threads make them, and create a pytest file for each bug.

    Args:
        target: A class, or its name, such as `"shop:Cart"` or `"shop.py:Cart"`. The name of a module or folder stands
            for all of its public classes that look as if they were meant to be shared between threads.
        method: The method of generation: `"portfolio"`, `"maptest"`, `"maptest-random"`, `"covcon"`, `"covcon*"`,
            `"contege"`, `"contege*"`, `"autocontest"` or `"random"`.
        seconds: Time limit for the search, including the time for writing tests. raddle may take 5 seconds longer to
            finish a test, and the modules of the last class are instrumented in addition. Several classes share the
            time; the last ones are not searched if nothing is left of it. The default is 60 seconds, or no limit if
            `max_tests` is given.
        seed: The seed for all random choices.
        out: The folder to write to. By default, no files are written, and the findings contain the text of the tests.
        methods: Patterns of the methods to call, such as `["get*"]`.
        exclude: Patterns of the methods not to call.
        oracle: What is compared with the orders of whole calls: `"exceptions"`, `"hangs"`, `"results"`, `"state"` and
            `"invariants"`, and `"private"` for attributes that no method shows.
        learn: A file or folder with tests. The arguments that they pass to the class are used, too.
        factory: A file that defines what cannot be guessed.
        workers: Number of processes, which use different seeds.
        keep_coverage_tests: Whether to write passing tests that raised the coverage of `map` to another file.
        max_tests: Maximum number of tests for each class.
        progress: Called with each `GenerationProgress`.

    Raises:
        UsageError: If there is no such class, or if it cannot be tested.

    >>> import raddle
    >>> result = raddle.generate("graphlib:TopologicalSorter", max_tests=40)
    >>> result.failed, result.tests
    (True, 40)
    """
    given = RunOptions(
        method=method, seconds=seconds, seed=seed, out=out, methods=methods, exclude=exclude, oracle=oracle,
        learn=learn, factory=factory, workers=workers, keep_coverage_tests=keep_coverage_tests, max_tests=max_tests,
    )  # fmt: skip
    folder = given.folder()
    delete_abandoned()
    with _unchanged_process():
        targets = _targets(target)
        loaded = Factory() if factory is None else _quietly(lambda: load_factory(factory))
        with Verifier() as verifier:
            options = given.for_search(loaded)
            return _Generation(given, options, folder, verifier, progress or (lambda update: None)).run(targets)


class _Generation:
    """One run, for several classes."""

    def __init__(
        self,
        given: RunOptions,
        options: GenerationOptions,
        folder: TestFolder,
        verifier: Verifier,
        progress: ProgressCallback,
    ) -> None:
        self._given = given
        self._verifier = verifier
        self._options = options
        self._folder = folder
        self._factory = None if given.factory is None else _module_of_factory(given.factory)
        self._progress = progress
        self._budget = TimeBudget(options.seconds, classes=1)
        self._notes: dict[str, None] = {}

    def run(self, found: Targets) -> GenerationResult:
        """Search the classes one after the other."""
        targets = found.classes
        self._budget = TimeBudget(self._options.seconds, classes=len(targets))
        began = time.monotonic()
        reports: list[ClassReport] = []
        notes: list[str] = []
        for number, target in enumerate(targets):
            seconds = self._budget.share(number)
            if not seconds:
                names = ", ".join(map(_name, targets[number:]))
                notes.append(f"not searched, because the time was up: {names}; use more --seconds for all classes")
                break
            update = GenerationProgress(_name(target), number + 1, len(targets), "inspecting", limit=seconds)
            try:
                report = self._report(target, seconds, update)
            except RaddleError as error:
                if len(targets) == 1:
                    raise
                why = SearchEnd.UNBUILDABLE if isinstance(error, UnbuildableError) else SearchEnd.REJECTED
                report = ClassReport(update.cls, why, target.sharing, error=str(error))
            reports.append(report)
            self._progress(replace(update, doing="done", report=report))
            if report.why is SearchEnd.INTERRUPTED:
                rest = [_name(other) for other in targets[number + 1 :]]
                notes += [f"not searched, because of the interruption: {', '.join(rest)}"] if rest else []
                break
        return GenerationResult(
            self._options.method, self._options.seed, tuple(reports), time.monotonic() - began,
            (*self._notes, *notes, *self._folder.notes), found.skipped,
        )  # fmt: skip

    def _report(self, target: Target, seconds: float, update: GenerationProgress) -> ClassReport:
        """Search one class."""
        options, cls = replace(self._options, seconds=seconds), target.cls
        factory = options.factory
        patterns = (*options.methods, *factory.methods), (*options.exclude, *factory.exclude)
        surface = inspect_class(cls, methods=patterns[0], exclude=patterns[1])
        reason = reason_not_tested(cls, surface, is_restricted=any(patterns), has_factory=factory.make is not None)
        if reason:
            raise UsageError("not-testable", reason)
        if self._given.learn is not None:
            self._progress(replace(update, doing="learning from the tests"))
            with self._budget.suspended():
                learned = learn_values(surface, self._given.learn)
            options = replace(options, learned=learned.values)
            self._notes |= dict.fromkeys([learned.problem] if learned.problem else [])
        work = _ClassWork(
            self._class_export(target, surface),
            replace(update, doing="searching"),
            self._progress,
            self._budget,
        )
        request = SearchRequest(cls, options, keeps_tests=self._given.keep_coverage_tests)
        supervisor = Supervisor(
            request, surface, workers=self._given.workers or 1, on_bug=work.on_bug, on_progress=work.on_progress
        )
        self._verifier.meanwhile = supervisor.attend
        searched = supervisor.run()
        if searched.error is not None:
            raise searched.error
        notes = list(searched.notes)
        if self._given.keep_coverage_tests and searched.why is not SearchEnd.INTERRUPTED:
            self._progress(replace(work.update, doing="writing coverage tests"))
            left = self._budget.for_test(update.number - 1, seconds - searched.seconds)
            notes += filter(None, [work.export.keep_coverage_tests(searched.tests, seconds=left)])
        report = _class_report(target, surface, inspect_class(cls), searched, work, tuple(notes))
        return report if self._given.learn is None else replace(report, learned=options.learned)

    def _class_export(self, target: Target, surface: Surface) -> ClassExport:
        names = _names(target)
        module, factory = self._factory or "", self._options.factory
        return ClassExport(
            surface.cls,
            self._folder,
            command=self._given.command(target.cls, names.of(surface.cls)),
            factory=module,
            names=names,
            verify=self._verifier.verify,
            reset=None if factory.reset is None else Imported(module, "reset"),
            invariant=None if factory.invariant is None else Imported(module, "invariant"),
        )


class _ClassWork:
    """The findings of one class, as they are made."""

    def __init__(
        self, export: ClassExport, update: GenerationProgress, progress: ProgressCallback, budget: TimeBudget
    ) -> None:
        self.export = export
        self._budget = budget
        self.update = update
        self.findings: list[GeneratedFinding] = []
        self._progress = progress

    def on_progress(self, counts: Counts, seconds: float) -> None:
        self.update = replace(
            self.update, seconds=seconds, tests=counts.tests, executions=counts.executions, findings=len(self.findings)
        )
        self._progress(self.update)

    def on_bug(self, bug: Bug, left: float) -> None:
        """Export a bug. If Ctrl-C interrupts that, it is done again, because a first Ctrl-C keeps what was found."""
        self._progress(replace(self.update, doing="writing a test"))
        interrupted = False
        try:
            finding = self.export.finding(bug, seconds=self._budget.for_test(self.update.number - 1, left))
        except KeyboardInterrupt:
            interrupted = True
            finding = self.export.finding(bug, seconds=max(left, GRACE_SECONDS))
        self.findings.append(finding)
        self.update = replace(self.update, findings=len(self.findings))
        self._progress(replace(self.update, finding=finding))
        if interrupted:
            raise KeyboardInterrupt


def _class_report(
    target: Target, surface: Surface, whole: Surface, searched: Searched, work: _ClassWork, notes: tuple[str, ...]
) -> ClassReport:
    counts, findings = searched.counts, tuple(work.findings)
    names = tuple(dict.fromkeys(map(str, surface.methods)))
    excluded = [name for name in dict.fromkeys(map(str, whole.methods)) if name not in names]
    not_called = dict.fromkeys(excluded, "excluded by a pattern")
    not_called |= {name: _why_not_called(name, searched) for name in names if name not in counts.methods}
    return ClassReport(
        work.export.name,
        searched.why,
        target.sharing,
        findings,
        (*names, *excluded),
        tuple(name for name in names if name in counts.methods),
        not_called,
        sum(one in names and other in names for one, other in counts.pairs),
        counts.tests,
        counts.executions,
        counts.unusable,
        counts.restarts,
        searched.seconds,
        searched.coverage,
        tuple(work.export.files),
        notes,
        traceback=searched.traceback,
    )


def _why_not_called(name: str, searched: Searched) -> str:
    """Return why no test called a method in a thread."""
    record = searched.records.get(name)
    if name in searched.refused:
        return f"excluded: it {searched.refused[name]}"
    if record is None:
        return "no test called it in the time"
    if record.returned:
        return "it works, but no test in the time called it in a thread"
    if record.error:
        return f"it never worked; the last exception was {record.error}"
    return "it never returned: it waits for another thread, ends the process, or takes too long"


def _names(target: Target) -> PublicNames:
    """Return the names for tests of a class. The name that the user has given is preferred, unless it is private."""
    defined = imported(target.cls)
    if defined is None or target.name is None or is_private(target.name):
        return PublicNames()
    return PublicNames({defined: target.name})


def _name(target: Target) -> str:
    defined = imported(target.cls)
    name = Imported(module_of(target.cls), qualname_of(target.cls)) if defined is None else _names(target).of(defined)
    return f"{name.module}:{name.name}"


def _targets(target: type | str) -> Targets:
    if isinstance(target, str):
        return _quietly(lambda: search_target(target))
    if not isinstance(target, type):
        raise UsageError("no-such-class", f"the target must be a class or the name of one, not {target!r:.60}")
    return Targets((Target(target),))


def _module_of_factory(path: str) -> str:
    """Return the name of the module that was loaded from a factory file."""
    file = os.path.realpath(path)
    for name, module in list(sys.modules.items()):
        if os.path.realpath(getattr(module, "__file__", None) or "") == file:
            return name
    return path


def _quietly(call: Callable[[], T]) -> T:
    """Call a function that imports code of the user, which may print."""
    with Silence():
        return call()


@contextmanager
def _unchanged_process() -> Iterator[None]:
    """Write no compiled files beside the modules of the user, and restore the path at the end."""
    before = sys.dont_write_bytecode, os.environ.get("PYTHONDONTWRITEBYTECODE")
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        yield
    finally:
        sys.dont_write_bytecode = before[0]
        if before[1] is None:
            del os.environ["PYTHONDONTWRITEBYTECODE"]
        else:
            os.environ["PYTHONDONTWRITEBYTECODE"] = before[1]
