"""What a command shows people: on stderr, in colour where that is a terminal."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

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
from raddle.report.story import tell
from raddle.report.summary import summarize
from raddle.report.tables import criteria_table, legend
from raddle.result import Result
from raddle.stop_reason import StopReason
from raddle.store import DATA_FILE, Contents, contents_of
from raddle.story_length import StoryLength
from raddle.tally import ESTIMATED, UNKNOWN
from raddle.wording import count

MAX_WARNINGS = 5  # after a run; `raddle report` has them all
MAX_GIVEN_UP = 3  # requirements that were aimed at in vain; the JSON has more
LIKELY = 0.5  # that something new comes: a search that expects this much is not called saturated


def why(result: Result) -> str:
    """Return why an exploration stopped.

    >>> why(Result("passed", (), 400, 9, 0.1, StopReason.SATURATED, 1, chance_of_new=0.02))
    'saturated: nothing new came for long'
    >>> why(Result("passed", (), 400, 9, 0.1, StopReason.SATURATED, 1, chance_of_new=0.92))
    'stopped, as nothing new came for long, but more is likely to come'
    """
    if result.stopped_because is StopReason.EXHAUSTED and result.orders:
        safe_text = "every partial order was run"
        if not result.findings:
            safe_text = "no failure exists for this scenario within these bounds"
        return f"exhausted: {safe_text}{besides(result)}"
    if result.stopped_because is StopReason.SATURATED and (result.chance_of_new or 0) >= LIKELY:
        return "stopped, as nothing new came for long, but more is likely to come"
    if result.stopped_because is StopReason.COVERED:
        return all_covered(result.criteria)
    return result.stopped_because.sentence


def headline(result: Result) -> str:
    """What was found in how many executions, why the search stopped, and what was not watched.

    >>> from raddle.refusal import NotInstrumented
    >>> unseen = NotInstrumented("cachetools.cached", "not selected", source="cachetools", called=True)
    >>> result = Result("passed", (), 8, 90, 0.1, StopReason.EXHAUSTED_IN_PART, 1, not_instrumented=(unseen,))
    >>> headline(result).split("; ")[1]
    'exhausted in part: threads call cachetools, which has no probes: add --source cachetools'
    """
    found = f"{count(len(result.findings), 'finding')} in {count(result.executions, 'execution')}"
    how = f"{result.scheduling_points:,} scheduling points, {result.seconds:.2f} s, {result.scheduler}"
    unwatched = "" if result.findings else unwatched_calls(result.not_instrumented)
    if unwatched and result.stopped_because is StopReason.EXHAUSTED_IN_PART:
        reason = f"exhausted in part: {unwatched}"
    else:
        reason = f"{why(result)}; {unwatched}" if unwatched else why(result)
    return f"{found} ({how}, seed {result.seed}); {reason}"


def all_covered(criteria: Mapping[str, Mapping[str, Any]]) -> str:
    """What it means that everything is covered: for some criteria it is not known what there is.

    >>> counted = {"covered": 8, "total": 8, "total_kind": "static"}
    >>> all_covered({"map": counted})
    'everything known to be possible is covered'
    >>> all_covered({"map": counted, "sync": {"covered": 5, "total": 5, "total_kind": "estimated"}})
    'everything that can be named is covered, and of sync as much as is estimated to be possible'
    >>> all_covered({"sync": {"covered": 5, "total": 6, "total_kind": "estimated"}})
    'nothing new of sync came for long, and nothing else can be named'
    """
    kinds = {name: one["total_kind"] for name, one in criteria.items()}
    guessed = [name for name, kind in kinds.items() if kind in (ESTIMATED, UNKNOWN)]
    if not guessed:
        return "everything known to be possible is covered"
    full = [
        name for name in guessed if kinds[name] == ESTIMATED and criteria[name]["covered"] >= criteria[name]["total"]
    ]
    rest = [name for name in guessed if name not in full]
    named = "everything that can be named is covered" if len(guessed) < len(kinds) else ""
    if rest:
        quiet = f"nothing new of {', '.join(rest)} came for long"
        named = f"{named}, and {quiet}" if named else f"{quiet}, and nothing else can be named"
    if full:
        much = f"of {', '.join(full)} as much {'' if named else 'is covered '}as is estimated to be possible"
        named = f"{named}, and {much}" if named else much
    return named


def besides(result: Result) -> str:
    """What a search through partial orders ran besides them.

    >>> orders = {"partial_orders": 4, "interleavings": 10}
    >>> besides(Result("passed", (), 14, 9, 0.1, StopReason.EXHAUSTED, 1, orders=orders))
    ' (4 partial orders, and 10 interleavings besides for the criteria that tell them apart)'
    """
    more = result.orders.get("interleavings", 0)
    if not more:
        return ""
    orders = count(result.orders["partial_orders"], "partial order")
    return f" ({orders}, and {count(more, 'interleaving')} besides for the criteria that tell them apart)"


def console() -> Console:
    """A console for people; lines stay whole, so that commands can be copied."""
    return Console(stderr=True, soft_wrap=True, highlight=False)


def show_finding(
    screen: Console, finding: Finding, target: str | None, length: StoryLength = StoryLength.SHORT
) -> None:
    """A finding's story, its headline and the stops in colour."""
    show_story(screen, tell(finding, target, length=length))


def show_story(screen: Console, story: str, indent: str = "") -> None:
    """Show the lines of a story: its headline, the stops and the command in colour."""
    for number, line in enumerate(story.split("\n")):
        style = "yellow" if line.startswith("  -----") else "bold" if line.startswith("replay: ") else ""
        screen.print(safe_text(f"{indent}{line}".rstrip(), style=style if number else "bold red"))


def show_table(screen: Console, rows: Sequence[Row], *, more: Sequence[Row] = ()) -> None:
    """Show how much of each criterion was covered, and what the words in it mean; also those in `more` rows."""
    screen.print()
    screen.print(criteria_table(rows), soft_wrap=False)
    for line in legend([*rows, *more]):
        screen.print(safe_text(f"  {line}", style="dim"))


def show_result(screen: Console, result: Result, target: str, length: StoryLength = StoryLength.SHORT) -> None:
    """The whole outcome of an exploration."""
    for finding in result.findings:
        show_finding(screen, finding, target, length)
        screen.print()
    for note in result.notes:
        screen.print(safe_text(f"note: {note}", style="yellow"))
    for refused in result.not_instrumented:
        screen.print(safe_text(str(refused), style="yellow"))
    screen.print(
        safe_text(
            headline(result),
            style="bold red" if result.findings else "bold yellow" if result.not_instrumented else "bold green",
        )
    )
    for line in told_shares(result):
        screen.print(safe_text(line, style="dim"))


def told_shares(result: Result) -> list[str]:
    """Which scheduler brought what, and whether more can be expected.

    >>> told_shares(Result("passed", (), 4, 9, 0.1, StopReason.EXECUTIONS, 1, chance_of_new=0.021,
    ...                    shares={"pos": {"executions": 4, "covered": 7, "found": 1}}))[-1]
    'about 2 % chance that the next 1,000 executions cover anything new'
    """
    lines = [
        f"  {name}: {count(share['executions'], 'execution')}, {count(share['covered'], 'new requirement')}, "
        f"{count(share['found'], 'finding')}"
        for name, share in result.shares.items()
        if share["executions"]
    ]
    if result.aims.get("aimed"):
        aims = result.aims
        lines.append(
            f"  aimed at {count(aims['aimed'], 'requirement')} in {count(aims['plans'], 'execution')}: "
            f"{aims['covered']:,} covered, {aims['given_up']:,} given up after {TRIES} tries"
        )
        told = () if result.exhausted else aims.get("given_up_requirements", ())  # there it is known: no way
        lines += [f"    given up: {sentence}" for sentence in told[:MAX_GIVEN_UP]]
        if told and aims["given_up"] > MAX_GIVEN_UP:
            lines.append(f"    ... and {aims['given_up'] - MAX_GIVEN_UP:,} more")
    if result.chance_of_new is not None and not result.stopped_because.ran_out:  # there is no next one
        percent = round(100 * result.chance_of_new)
        chance = "under 1 %" if percent < 1 else "over 99 %" if percent > 99 else f"about {percent} %"
        lines.append(f"{chance} chance that the next 1,000 executions cover anything new")
    return lines


def show_coverage(screen: Console, record: Record | Contents, data_file: str, *, stored: bool = True) -> None:
    """What the executions of one run covered, and where to look further."""
    contents = record if isinstance(record, Contents) else contents_of(record)
    summary = summarize(contents, rows(contents))
    show_table(screen, summary.rows)
    if summary.nothing:
        screen.print(safe_text(summary.nothing, style="yellow"))
    for sentence in summary.sentences[:MAX_WARNINGS]:
        screen.print(safe_text(f"warning: {sentence}", style="yellow"))
    if len(summary.sentences) > MAX_WARNINGS:
        screen.print(safe_text(f"and {count(len(summary.sentences) - MAX_WARNINGS, 'more warning')}", style="yellow"))
    if stored:
        screen.print(safe_text(where_to_look(data_file), style="dim"))


def where_to_look(data_file: str) -> str:
    """
    >>> where_to_look("all.raddle")
    'added to all.raddle: `raddle report --data-file all.raddle` tells more'
    """
    named = [] if data_file == DATA_FILE else ["--data-file", str(data_file)]
    return f"added to {data_file}: `{shlex.join(['raddle', 'report', *named])}` tells more"


class Live:
    """Progress on a terminal; nothing anywhere else. It has no thread of its own: the run redraws it.

    Once a debugger has been entered, nothing more is drawn: the terminal belongs to its prompt.
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
            redirect_stdout=False,  # which is where debuggers print
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
        """Take the progress off the screen, for good."""
        if self._shown:
            self._shown = False
            self._progress.stop()

    def __call__(self, moment: ProgressUpdate) -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < 0.1:
            return
        self._last = now
        self._progress.update(self._task, description=progress_text(moment))
        self._progress.refresh()


def progress_text(moment: ProgressUpdate) -> str:
    """One line of progress; what a narrow terminal cuts off comes last.

    >>> progress_text(ProgressUpdate(1200, 1, 2.0, {"map": 31, "sync": 4}, 0.3))
    '1,200 executions, 600/s, 1 finding, nothing new for 0 s, map 31, sync 4'
    >>> progress_text(ProgressUpdate(3, 0, 2.0, {}, 0.0, doing="shrinking"))
    'shrinking; 3 executions, 2/s, 0 findings'
    """
    if moment.doing != SEARCHING:
        told = progress_text(replace(moment, doing=SEARCHING))
        return f"{moment.doing}; {told}" if moment.executions else moment.doing
    rate = moment.executions / moment.seconds if moment.seconds else 0
    parts = [count(moment.executions, "execution"), f"{rate:,.0f}/s", count(moment.findings, "finding")]
    if moment.covered:
        parts.append(f"nothing new for {moment.seconds_since_new:.0f} s")
        parts += [f"{name} {number:,}" for name, number in moment.covered.items()]
    return ", ".join(parts)
