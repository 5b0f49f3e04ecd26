"""The human-readable output of `raddle generate`."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf

from rich.console import Console
from rich.table import Table

from raddle.cli.progress_line import ProgressLine
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import show_story
from raddle.execute.fork import can_fork
from raddle.generation.coverage_meter import CriterionCoverage
from raddle.generation.generate import GenerationProgress
from raddle.generation.generation_result import ClassReport, GeneratedFinding, GenerationResult
from raddle.generation.search_end import SearchEnd
from raddle.wording import count

MAX_NAMES = 8  # names of methods in a line
MAX_MISSING = 3  # uncovered requirements of each criterion that are shown without -v


class GenerationScreen:
    """Shows progress, and each finding as soon as its test is written. It is a context manager."""

    def __init__(self, screen: Console, *, is_silent: bool, is_verbose: bool) -> None:
        self._screen = screen
        self._is_silent = is_silent
        self._is_verbose = is_verbose
        self._line = ProgressLine(shown=not is_silent)

    def __enter__(self) -> GenerationScreen:
        return self

    def __exit__(self, *exc: object) -> None:
        self._line.clear()

    def __call__(self, update: GenerationProgress) -> None:
        """Show an update."""
        if self._is_silent:
            if update.report is not None:
                self._show_internal_error(update.report)
        elif update.finding is not None:
            self._line.clear()
            self._show_finding(update.finding, update)
        elif update.report is not None:
            self._line.clear()
            if update.classes == 1 or update.report.findings or update.report.error or update.report.traceback:
                self._show_report(update.report)
        else:
            self._line.show(progress_text(update))

    def _show_finding(self, finding: GeneratedFinding, update: GenerationProgress) -> None:
        if update.classes > 1:
            self._screen.print(safe_text(f"{finding.cls}:", style="bold"))
        for line in finding_lines(finding):
            if line is None:
                show_story(self._screen, _without_replay(finding.story))
            else:
                self._screen.print(safe_text(line))
        self._screen.print()

    def _show_report(self, report: ClassReport) -> None:
        for line in report_lines(report, is_verbose=self._is_verbose):
            self._screen.print(safe_text(line))
        for note in report.notes:
            self._screen.print(safe_text(f"note: {note}", style="yellow"))
        self._show_internal_error(report)
        self._screen.print()

    def _show_internal_error(self, report: ClassReport) -> None:
        if report.traceback:
            self._screen.print(safe_text(report.traceback.rstrip()))
            self._screen.print(safe_text("raddle: internal error: this is a bug in raddle, not in your code"))

    def show_result(self, result: GenerationResult) -> None:
        """Show the table of classes, and the summary line."""
        if len(result.classes) > 1 or result.skipped:
            self._screen.print(summary_table(result), soft_wrap=False)
            self._screen.print()
        for one in result.skipped:
            self._screen.print(safe_text(f"skipped: {one.file}: {one.reason}", style="yellow"))
        for note in result.notes:
            self._screen.print(safe_text(f"note: {note}", style="yellow"))
        style = "bold red" if result.findings else "bold green" if result.has_tested else "bold yellow"
        self._screen.print(safe_text(headline(result), style=style))


def progress_text(update: GenerationProgress) -> str:
    """Return the progress line.

    >>> progress_text(GenerationProgress("shop:Cart", 1, 3, "searching", 12.0, 60.0, 1010, 7433, 1))
    'shop:Cart (1 of 3): searching, 12 of 60 s, 1,010 tests, 7,433 executions, 1 bug'
    """
    which = f"{update.cls} ({update.number} of {update.classes})" if update.classes > 1 else update.cls
    if not update.seconds:
        return f"{which}: {update.doing}"
    limit = "" if isinf(update.limit) else f" of {update.limit:.0f}"
    return (
        f"{which}: {update.doing}, {update.seconds:.0f}{limit} s, {count(update.tests, 'test')}, "
        f"{count(update.executions, 'execution')}, {count(update.findings, 'bug')}"
    )


def finding_lines(finding: GeneratedFinding) -> Iterator[str | None]:
    """Yield the lines about a finding; None stands for its story.

    >>> list(finding_lines(GeneratedFinding("shop:Cart", "hang", "hangs", "take() never ended", file="test_cart.py",
    ...                                     story="...")))
    [None, '', 'written to test_cart.py; it fails until the bug is fixed: pytest test_cart.py']
    """
    if finding.story:
        yield None
        if finding.file:
            yield ""
            yield f"written to {finding.file}; it fails until the bug is fixed: {finding.command}"
        elif finding.reason:
            yield f"no test was written: {finding.reason}"
        return
    yield finding.message
    yield from (f"  {line}" for line in finding.calls)
    yield f"no test was written: {finding.reason}"


def _without_replay(story: str) -> str:
    """Return a story without its last line, because the test contains the schedule."""
    return story.rpartition("\n\nreplay: ")[0] or story


def report_lines(report: ClassReport, *, is_verbose: bool) -> Iterator[str]:
    """Yield the lines about what was tried with a class."""
    if report.error:
        yield f"{report.cls}: {report.error}"
        return
    yield f"{report.cls}: {report.why.sentence}"
    yield (
        f"  tried: {len(report.called)} of {count(len(report.methods), 'method')}, {report.pairs:,} of "
        f"{count(report.possible_pairs, 'pair')}, {count(report.tests, 'test')}, "
        f"{count(report.executions, 'execution')} in {report.seconds:.2f} s"
    )
    if report.learned is not None:
        values, parameters = report.learned.count, len(report.learned.values)
        yield f"  learned from the tests: {count(values, 'value')} for {count(parameters, 'parameter')}"
    extra = [
        *([f"{count(report.restarts, 'restart')} with other arguments"] if report.restarts else []),
        *([f"{report.unusable:,} of {count(report.tests, 'test')} could not be judged"] if report.unusable else []),
    ]
    if extra:
        yield f"  {', '.join(extra)}"
    if report.coverage.executions:
        for row in report.coverage.criteria:
            yield from coverage_lines(row, is_verbose=is_verbose)
        yield f"  coverage was measured in {report.coverage.tests:,} of {count(report.tests, 'test')}"
    elif report.tests:
        yield f"  coverage is not known: {_why_not_measured(report)}"
    yield from _not_called(report, is_verbose=is_verbose)
    guards = ", without network; changes of other files, programs and signals were refused" if can_fork() else ""
    yield f"  the calls ran in a temporary folder{guards}"


def coverage_lines(row: CriterionCoverage, *, is_verbose: bool) -> Iterator[str]:
    """Yield the lines about the coverage of a criterion: the numbers, and what is missing.

    >>> from raddle.tally import STATIC, Total
    >>> for line in coverage_lines(CriterionCoverage("map", 1, Total(6, STATIC), tuple("abcde")), is_verbose=False):
    ...     print(line)
      map: 1 of 6 (static); not covered by the measured tests:
        a
        b
        c
        ... and 2 more; -v lists them
    """
    numbers = f"{row.name}: {row.total}" if row.total.number == 0 else f"{row.name}: {row.covered:,} of {row.total}"
    if not row.missing:
        yield f"  {numbers}"
        return
    yield f"  {numbers}; not covered by the measured tests:"
    shown = row.missing if is_verbose else row.missing[:MAX_MISSING]
    yield from (f"    {clause}" for clause in shown)
    more = (row.total.number or 0) - row.covered - len(shown)
    if more > 0:
        yield f"    ... and {more:,} more" + ("" if is_verbose else "; -v lists them")


def _why_not_measured(report: ClassReport) -> str:
    if report.why is SearchEnd.INTERRUPTED:
        return "the search was interrupted before it was reported"
    if report.why is SearchEnd.PROCESS_DIES:
        return "the process of the search died before it was reported"
    return "it is measured on controlled threads, and reported every few seconds"


def _not_called(report: ClassReport, *, is_verbose: bool) -> Iterator[str]:
    """Yield the methods that no test called, grouped by the reason."""
    reasons: dict[str, list[str]] = {}
    for name, reason in report.not_called.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        shown = names if is_verbose else names[:MAX_NAMES]
        more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
        yield f"  not called: {', '.join(shown)}{more} ({reason})"


def summary_table(result: GenerationResult) -> Table:
    """Return the table of all classes."""
    table = Table(box=None, pad_edge=False)
    table.add_column("class", no_wrap=True, overflow="ignore")
    for name in ("bugs", "methods", "tests", "map", "method-pairs"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for report in result.classes:
        rows = {row.name: f"{row.covered:,} of {row.total.number or 0:,}" for row in report.coverage.criteria}
        table.add_row(
            safe_text(report.cls),
            f"{len(report.findings)}",
            "" if report.error else f"{len(report.called)} of {len(report.methods)}",
            f"{report.tests:,}",
            rows.get("map", ""),
            rows.get("method-pairs", ""),
            safe_text(report.why.sentence.removeprefix("stopped: ").partition(":")[0]),
        )
    for one in result.skipped:
        table.add_row(safe_text(one.file), "", "", "", "", "", "not tested: skipped")
    return table


def headline(result: GenerationResult) -> str:
    """Return the summary line."""
    found = count(len(result.findings), "bug")
    classes = f" of {count(len(result.classes), 'class', 'classes')}" if len(result.classes) > 1 else ""
    files = f"; {count(len(result.files), 'file')} written" if result.files else ""
    if result.skipped:
        files += f"; {count(len(result.skipped), 'file')} skipped"
    return (
        f"{found} in {count(result.tests, 'test')}{classes} ({count(result.executions, 'execution')}, "
        f"{result.seconds:.2f} s, {result.method}, seed {result.seed}); {result.stopped_because.sentence}{files}"
    )
