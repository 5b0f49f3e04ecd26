"""What each page says, as values: the templates only lay it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import floor

from raddle.analysis.saturation import chance_of_anything_new
from raddle.criteria import NAMES, criterion_class
from raddle.outcome import OutcomeKind
from raddle.report.coverage import Row
from raddle.report.files import Cell
from raddle.report.html.curves import Chart, chart, sparkline
from raddle.report.numbers import number_text, percent_text, total_text
from raddle.report.plain import plain, shortened
from raddle.report.stored_findings import Stored
from raddle.report.summary import Summary
from raddle.report.tables import MEANINGS
from raddle.store.contents import Contents
from raddle.tally import ESTIMATED, EXACT
from raddle.wording import count

LONGEST_MESSAGE = 300  # characters, in lists
RAISED = frozenset(kind for kind in OutcomeKind if kind.raised)


@dataclass(frozen=True, slots=True)
class CriterionView:
    """A line of the table of criteria."""

    name: str
    anchor: str
    summary: str
    paper: str
    covered: int
    total: str
    kind: str
    percent: str
    share: float | None  # between 0 and 100
    executions: int
    since_new: int
    spark: str


def criterion_views(contents: Contents, rows: Sequence[Row]) -> list[CriterionView]:
    """A line for each criterion."""
    views = []
    for place, row in enumerate(rows):
        known = criterion_class(row.name) if row.name in NAMES else None
        growth = contents.tally.growth.get(row.name, [])
        views.append(
            CriterionView(
                name=row.name,
                anchor=f"criterion-{place}",
                summary=_summary(known.summary) if known is not None else "",
                paper=known.paper if known is not None else "",
                covered=row.covered,
                total=total_text(row).partition(" (")[0],
                kind=_kind(row),
                percent=percent_text(row),
                share=None if row.percent is None else round(min(100.0, row.percent), 2),
                executions=row.executions,
                since_new=row.since_new,
                spark=sparkline(growth, contents.tally.executions),
            )
        )
    return views


def pattern_views(summary: Summary) -> list[tuple[str, str, str, str]]:
    """A line for each pattern of map: its numbers, what was covered, the total, and its steps."""
    return [(one.name, f"{one.row.covered:,}", total_text(one.row), one.steps) for one in summary.patterns]


def _kind(row: Row) -> str:
    """The kind of total, with what belongs to it; "" where there is no total."""
    _, _, said = total_text(row).partition(" (")
    return said.removesuffix(")")


def _summary(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def meanings(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The kinds of total that are there, and what they mean."""
    kinds = {row.total.kind for row in rows if not row.nothing}
    return [(kind, meaning) for kind, meaning in MEANINGS.items() if kind in kinds]


@dataclass(frozen=True, slots=True)
class FileView:
    """A line of the table of files."""

    label: str
    page: str
    cells: tuple[tuple[str, str, str], ...]  # text, what it is sorted by, and how much it is: "all", "some", "none", ""
    state: str = ""


def file_view(label: str, page: str, cells: Mapping[str, Cell], names: Sequence[str], state: str = "") -> FileView:
    """A file; criteria that have nothing in it have an empty cell."""
    return FileView(label, page, tuple(_cell(cells.get(name)) for name in names), state)


def _cell(cell: Cell | None) -> tuple[str, str, str]:
    if cell is None or cell.total == 0:
        return "", "-1", ""
    if cell.total is None:
        return f"{cell.covered:,}", f"{cell.covered}", ""
    share = floor(1000 * cell.covered / cell.total) / 10
    return f"{cell.covered:,} of {cell.total:,}", f"{share}", _how_much(cell)


def _how_much(cell: Cell) -> str:
    return "all" if cell.covered == cell.total else "some" if cell.covered else "none"


@dataclass(frozen=True, slots=True)
class FindingView:
    """A line of the list of findings."""

    number: int
    page: str  # "" where it has none
    kind: str
    message: str
    thread: str
    origin: str
    possible_on: str
    every_order: str  # in words, where it fails in every order
    place: str  # where its thread was last
    code: str  # what stands there
    raised: bool  # did that line raise it?
    execution: int  # counted over all runs; 0 where that is not known


def finding_view(
    one: Stored, number: int, page: str, contents: Contents, code: Callable[[str, int], str]
) -> FindingView:
    """Return a finding in short."""
    finding = one.finding
    own = [event for event in finding.trace if event.thread == finding.thread and event.line]
    file, line = (own[-1].file, own[-1].line) if own else ("", 0)
    first = next(iter(plain(finding.message).strip().split("\n")), "")
    return FindingView(
        number=number,
        page=page,
        kind=finding.kind or "?",
        message=shortened(first, LONGEST_MESSAGE),
        thread=finding.thread,
        origin=one.origin,
        possible_on=finding.possible_on,
        every_order=str(finding.every_order or ""),
        place=f"{file}:{line}" if line else "",
        code=shortened(code(file, line).strip(), LONGEST_MESSAGE) if line else "",
        raised=finding.kind in RAISED,
        execution=execution_of(one, contents),
    )


def execution_of(one: Stored, contents: Contents) -> int:
    """Return the number of the execution that showed it, counted over all runs; a finding counts within its own."""
    own = one.finding.execution
    runs = contents.runs if len(contents.runs) == 1 else [run for run in contents.runs if run.origin == one.origin]
    return next((run.before + own for run in runs if 1 <= own <= run.executions), 0)


@dataclass(frozen=True, slots=True)
class GrowthView:
    """One criterion on the page of growth."""

    view: CriterionView
    straight: Chart
    logarithmic: Chart
    remains: str


def growth_views(contents: Contents, rows: Sequence[Row], found: Sequence[FindingView]) -> list[GrowthView]:
    """A chart for each criterion, twice."""
    shown: dict[int, int] = {}
    for finding in found:
        if finding.execution:
            shown.setdefault(finding.execution, finding.number)
    ticks = sorted(shown.items())[:100]
    executions = contents.tally.executions
    views = []
    for row, view in zip(rows, criterion_views(contents, rows), strict=True):
        interval = (row.total.low, row.total.high)
        both = [
            chart(
                contents.tally.growth.get(row.name, []),
                executions,
                logarithmic=logarithmic,
                total=row.total.number,
                interval=(interval[0], interval[1]) if interval[0] is not None and interval[1] is not None else None,
                findings=ticks,
            )
            for logarithmic in (False, True)
        ]
        views.append(GrowthView(view, both[0], both[1], remains(row)))
    return views


def remains(row: Row) -> str:
    """What is left, in a sentence that says how that is known."""
    if row.nothing:
        return "There is nothing to cover."
    if row.total.kind == EXACT:
        return "Nothing is left: every execution was seen."
    if row.total.number is None:
        return "How many are left is not known: there were too few executions for an estimate."
    left = row.total.number - row.covered
    if row.total.kind == ESTIMATED:
        most = (row.total.high or 0) - row.covered
        about = f"about {count(left, 'requirement')}" if left else "nothing"
        bound = f" (at 95 %: at most {number_text(most)})" if most > 0 else ""
        return f"By estimate {about}{bound} would be left, if executions went on as they did."
    if not left:
        return "Nothing is left."
    return f"At most {number_text(left)} {'is' if left == 1 else 'are'} left: the total is {row.total.kind}."


def chance_sentence(contents: Contents) -> str:
    """How probable it is that going on brings anything; "" before the first execution.

    It is judged by how coverage grew; with several subjects, each of them begins anew, and nothing can be said.
    """
    if not contents.tally.executions or not contents.tally.covered or len({run.origin for run in contents.runs}) > 1:
        return ""
    chance = chance_of_anything_new(contents.tally)
    if chance is None:
        return f"{count(contents.tally.executions, 'execution')}: too few to say how likely it is that more cover more."
    percent = 100 * chance
    said = "less than 0.1 %" if percent < 0.1 else "more than 99.9 %" if percent > 99.9 else f"about {percent:.1f} %"
    return f"The chance that 1,000 more executions cover anything new, by any criterion, is {said}."


def headline(summary: Summary) -> str:
    """How much was measured."""
    return f"{count(summary.runs, 'run')}, {count(summary.executions, 'execution')}"
