"""What a command shows people: on stderr, in colour where that is a terminal."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from raddle.finding import Finding
from raddle.record import Record
from raddle.report.coverage import rows
from raddle.report.story import tell
from raddle.report.summary import summarize
from raddle.report.tables import criteria_table, legend
from raddle.result import Result
from raddle.store import contents_of

MOST_WARNINGS = 5  # after a run; `raddle report` has them all

WHY = {
    "first-finding": "stopped at the first finding",
    "exhausted": "exhausted: no other schedule exists for this scenario",
    "exhausted-within-bound": "every schedule within the bound on preemptions was run",
    "exhausted-in-part": "every schedule of what is under control was run",
    "executions": "the number of executions asked for is reached",
    "seconds": "the time asked for is over",
    "interrupted": "interrupted",
}


def console() -> Console:
    """A console for people; lines stay whole, so that commands can be copied."""
    return Console(stderr=True, soft_wrap=True, highlight=False)


def show_finding(screen: Console, finding: Finding, target: str | None) -> None:
    """A finding's story, its headline and the stops in colour."""
    for number, line in enumerate(tell(finding, target).split("\n")):
        style = ""
        if number == 0:
            style = "bold red"
        elif line.startswith("  -----"):
            style = "yellow"
        elif line.startswith("replay: "):
            style = "bold"
        screen.print(Text(line, style=style))


def show_result(screen: Console, result: Result, target: str) -> None:
    """The whole outcome of an exploration."""
    for finding in result.findings:
        show_finding(screen, finding, target)
        screen.print()
    for note in result.notes:
        screen.print(Text(f"note: {note}", style="yellow"))
    for what, why in result.not_instrumented:
        screen.print(Text(f"not instrumented: {what}: {why}", style="yellow"))
    count = f"{len(result.findings)} finding{'' if len(result.findings) == 1 else 's'}"
    screen.print(
        Text(
            f"{count} in {result.executions:,} execution{'' if result.executions == 1 else 's'} "
            f"({result.scheduling_points:,} scheduling points, {result.seconds:.2f} s, "
            f"{result.scheduler}, seed {result.seed}); {WHY[result.stopped_because]}",
            style="bold red" if result.findings else "bold green",
        )
    )


def show_coverage(screen: Console, record: Record, data_file: str) -> None:
    """What the executions of one run covered, and where to look further."""
    summary = summarize(contents_of(record), rows(contents_of(record)))
    screen.print()
    screen.print(criteria_table(summary.rows), soft_wrap=False)
    for line in legend(summary.rows):
        screen.print(Text(f"  {line}", style="dim"))
    for sentence in summary.sentences[:MOST_WARNINGS]:
        screen.print(Text(f"warning: {sentence}", style="yellow"))
    if len(summary.sentences) > MOST_WARNINGS:
        screen.print(Text(f"and {len(summary.sentences) - MOST_WARNINGS} more warnings", style="yellow"))
    screen.print(Text(f"added to {data_file}: `raddle report` tells more", style="dim"))


class Live:
    """Progress on a terminal; nothing anywhere else. It has no thread of its own: the run redraws it."""

    def __init__(self, screen: Console, *, total: int | None) -> None:
        self._shown = screen.is_terminal
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=screen,
            auto_refresh=False,
            transient=True,
        )
        self._task = self._progress.add_task("rehearsing", total=total)
        self._last = 0.0

    def __enter__(self) -> Live:
        if self._shown:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._progress.stop()

    def __call__(self, executions: int, findings: int, seconds: float) -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < 0.1:
            return
        self._last = now
        rate = executions / seconds if seconds else 0
        text = f"{executions:,} executions, {rate:,.0f}/s, {findings} finding{'' if findings == 1 else 's'}"
        self._progress.update(self._task, description=text)
        self._progress.refresh()
