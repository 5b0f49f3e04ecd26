"""Human-readable output of commands: on stderr, colored on a terminal."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

from raddle.cli.safe_text import safe_text
from raddle.execute.debugging import debuggable
from raddle.exploring.progress import SEARCHING, ProgressUpdate
from raddle.finding import Finding
from raddle.guide.targets import TRIES
from raddle.record import Record
from raddle.refusal import unwatched_calls
from raddle.report.coverage import Row, rows
from raddle.report.stop_text import orders_line, stop_text
from raddle.report.story import story_text
from raddle.report.summary import Summary, summarize
from raddle.report.tables import criteria_table, legend
from raddle.result import CORPUS_NOTE, Result
from raddle.stop_reason import StopReason
from raddle.store import DATA_FILE, Contents, contents_of
from raddle.story_length import StoryLength
from raddle.wording import count

MAX_WARNINGS = 5  # maximum number of warnings shown after a run; `raddle report` shows all of them
MAX_GIVEN_UP = 3  # maximum number of abandoned targets to list; the JSON output has more


def headline(result: Result) -> str:
    """Return the summary line: findings, executions, time, seed, why the search stopped, and uninstrumented code.

    >>> from raddle.refusal import NotInstrumented
    >>> unwatched = NotInstrumented("cachetools.cached", "not selected", source="cachetools", called=True)
    >>> result = Result("passed", (), 8, 90, 0.1, StopReason.EXHAUSTED_IN_PART, 1, not_instrumented=(unwatched,))
    >>> for part in headline(result).split("; "): print(part)
    0 findings in 8 executions (0.10 s, seed 1)
    exhausted in part: threads call cachetools, which is not instrumented: add --source cachetools
    """
    found = f"{count(len(result.findings), 'finding')} in {count(result.executions, 'execution')}"
    unwatched = "" if result.findings else unwatched_calls(result.not_instrumented)
    if unwatched and result.stopped_because is StopReason.EXHAUSTED_IN_PART:
        reason = f"exhausted in part: {unwatched}"
    else:
        reason = f"{stop_text(result)}; {unwatched}" if unwatched else stop_text(result)
    return f"{found} ({result.seconds:.2f} s, seed {result.seed}); {reason}"


def console() -> Console:
    """Return a console on stderr that does not wrap lines, so that commands can be copied."""
    return Console(stderr=True, soft_wrap=True, highlight=False)


def show_finding(
    screen: Console, finding: Finding, target: str | None, length: StoryLength = StoryLength.SHORT
) -> None:
    """Print the story of a finding."""
    show_story(screen, story_text(finding, target, length=length))


def show_story(screen: Console, story: str, indent: str = "") -> None:
    """Print a story with its headline, preemptions and replay command highlighted."""
    for number, line in enumerate(story.split("\n")):
        style = "yellow" if line.startswith("  -----") else "bold" if line.startswith("replay: ") else ""
        screen.print(safe_text(f"{indent}{line}".rstrip(), style=style if number else "bold red"))


def show_table(screen: Console, rows: Sequence[Row], *, more: Sequence[Row] = ()) -> None:
    """Print the coverage table, and a legend that explains the terms in `rows` and `more`."""
    screen.print()
    screen.print(criteria_table(rows), soft_wrap=False)
    for line in legend([*rows, *more]):
        screen.print(safe_text(f"  {line}", style="dim"))


def show_result(
    screen: Console,
    result: Result,
    target: str,
    length: StoryLength = StoryLength.SHORT,
    *,
    verbose: bool = False,
) -> None:
    """Show the stories, the notes and the summary line; if verbose, also details of the search.

    The note about replayed schedules does not qualify the result, so only verbose output includes it.
    """
    for finding in result.findings:
        show_finding(screen, finding, target, length)
        screen.print()
    for note in result.notes:
        if verbose or not note.startswith(CORPUS_NOTE):
            screen.print(safe_text(f"note: {note}", style="yellow"))
    for refused in result.not_instrumented:
        screen.print(safe_text(str(refused), style="yellow"))
    screen.print(
        safe_text(
            headline(result),
            style="bold red" if result.findings else "bold yellow" if result.not_instrumented else "bold green",
        )
    )
    for line in search_lines(result) if verbose else ():
        screen.print(safe_text(line, style="dim"))


def search_lines(result: Result) -> list[str]:
    """Return lines about the search: what each scheduler contributed, the targets, and the chance of new coverage.

    >>> for line in search_lines(Result("passed", (), 4, 9, 0.1, StopReason.EXECUTIONS, 1, "pos", chance_of_new=0.021,
    ...                                 shares={"pos": {"executions": 4, "covered": 7, "found": 1}})): print(line)
      scheduler: pos, 9 scheduling points
      pos: 4 executions, 7 new requirements, 1 finding
      about 2 % chance that the next 1,000 executions cover anything new
    """
    lines = [f"  scheduler: {result.scheduler}, {count(result.scheduling_points, 'scheduling point')}"]
    lines += [
        f"  {name}: {count(share['executions'], 'execution')}, {count(share['covered'], 'new requirement')}, "
        f"{count(share['found'], 'finding')}"
        for name, share in result.shares.items()
        if share["executions"]
    ]
    if result.exhausted and result.orders:
        lines.append(f"  exhausted: {orders_line(result.orders)}")
    if result.aims.get("aimed"):
        aims = result.aims
        lines.append(
            f"  targets: {count(aims['aimed'], 'requirement')} tried in {count(aims['plans'], 'execution')}; "
            f"{aims['covered']:,} covered, {aims['given_up']:,} given up after {TRIES} attempts"
        )
        # After an exhausted search, the abandoned requirements are known to be infeasible, so they are not listed.
        given_up = () if result.exhausted else aims.get("given_up_requirements", ())
        lines += [f"    given up: {sentence}" for sentence in given_up[:MAX_GIVEN_UP]]
        if given_up and aims["given_up"] > MAX_GIVEN_UP:
            lines.append(f"    ... and {aims['given_up'] - MAX_GIVEN_UP:,} more")
    if result.chance_of_new is not None and not result.stopped_because.ran_out:
        percent = round(100 * result.chance_of_new)
        chance = "under 1 %" if percent < 1 else "over 99 %" if percent > 99 else f"about {percent} %"
        lines.append(f"  {chance} chance that the next 1,000 executions cover anything new")
    return lines


def show_coverage(
    screen: Console, record: Record | Contents, data_file: str, *, stored: bool = True, verbose: bool = False
) -> None:
    """Show the warnings and the coverage of a run, and name the command that shows more.

    The warnings come first, because they are clear even to readers who do not know the criteria.
    """
    summary = _summary(record)
    _show_remarks(screen, summary, verbose=verbose)
    show_table(screen, summary.rows)
    if stored:
        screen.print(safe_text(f"added to {data_file}: `{report_command(data_file)}` shows more", style="dim"))


def show_outlook(screen: Console, record: Record, data_file: str, *, stored: bool = True, failed: bool = False) -> None:
    """Show the warnings of a run, and name the commands that show its coverage.

    After a failure, the story matters most. So if `raddle report` can list the warnings, only their number is shown.
    """
    summary = _summary(record)
    counted = failed and stored
    _show_remarks(screen, summary, warnings=not counted)
    if stored:
        number = len(summary.warning_groups)
        warnings = f" and {count(number, 'warning')}" if counted and number else ""
        more = f"`{report_command(data_file)}` shows coverage{warnings}; -v shows details of the search"
        screen.print(safe_text(f"added to {data_file}: {more}", style="dim"))


def _summary(record: Record | Contents) -> Summary:
    contents = record if isinstance(record, Contents) else contents_of(record)
    return summarize(contents, rows(contents))


def _show_remarks(screen: Console, summary: Summary, *, verbose: bool = False, warnings: bool = True) -> None:
    if summary.nothing:
        screen.print(safe_text(summary.nothing, style="yellow"))
    lines = summary.warning_lines(verbose=verbose) if warnings else []
    shown = lines if verbose else lines[:MAX_WARNINGS]
    for line in shown:
        screen.print(safe_text(f"warning: {line}", style="yellow"))
    if len(lines) > len(shown):
        screen.print(safe_text(f"and {count(len(lines) - len(shown), 'more warning')}", style="yellow"))


def report_command(data_file: str) -> str:
    """Return the command that shows the report of a data file.

    >>> report_command("all.raddle")
    'raddle report --data-file all.raddle'
    """
    named = [] if data_file == DATA_FILE else ["--data-file", str(data_file)]
    return shlex.join(["raddle", "report", *named])


class Live:
    """A progress display, shown only on a terminal. No thread is started: each update redraws the display.

    Once a debugger is entered, the display stops and leaves the terminal to the debugger's prompt.
    """

    def __init__(self, screen: Console, *, total: int | None) -> None:
        self._shown = screen.is_terminal
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
            TimeElapsedColumn(),
            console=screen,
            expand=True,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,  # debuggers print to stdout
        )
        self._debuggable = debuggable(lambda debugger: self.stop())
        self._task = self._progress.add_task("rehearsing", total=total)
        self._last = 0.0

    def __enter__(self) -> Live:
        self._debuggable.__enter__()
        if self._shown:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._debuggable.__exit__(kind, error, trace)
        self.stop()

    def stop(self) -> None:
        """Remove the progress display permanently."""
        if self._shown:
            self._shown = False
            self._progress.stop()

    def __call__(self, update: ProgressUpdate) -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < 0.1:
            return
        self._last = now
        self._progress.update(self._task, description=progress_text(update))
        self._progress.refresh()


def progress_text(update: ProgressUpdate) -> str:
    """Return a progress line. The least important parts come last, because a narrow terminal truncates the line.

    >>> progress_text(ProgressUpdate(1200, 1, 2.0, {"map": 31, "sync": 4}, 0.3))
    '1,200 executions, 600/s, 1 finding, no new coverage for 0 s, map 31, sync 4'
    >>> progress_text(ProgressUpdate(3, 0, 2.0, {}, 0.0, doing="shrinking"))
    'shrinking; 3 executions, 2/s, 0 findings'
    """
    if update.doing != SEARCHING:
        progress = progress_text(replace(update, doing=SEARCHING))
        return f"{update.doing}; {progress}" if update.executions else update.doing
    rate = update.executions / update.seconds if update.seconds else 0
    parts = [count(update.executions, "execution"), f"{rate:,.0f}/s", count(update.findings, "finding")]
    if update.covered:
        parts.append(f"no new coverage for {update.seconds_since_new:.0f} s")
        parts += [f"{name} {number:,}" for name, number in update.covered.items()]
    return ", ".join(parts)
