"""The content of the pages as plain values. The templates contain only the layout."""

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

LONGEST_MESSAGE = 300  # maximum length of a message in a list
RAISED = frozenset(kind for kind in OutcomeKind if kind.raised)


@dataclass(frozen=True, slots=True)
class CriterionView:
    """A row of the table of criteria."""

    name: str
    anchor: str
    summary: str
    paper: str
    covered: int
    total: str
    kind: str
    percent: str
    share: float | None  # percentage between 0 and 100, or None if the total is unknown
    executions: int
    since_new: int
    spark: str  # SVG path of the sparkline


def criterion_views(contents: Contents, rows: Sequence[Row]) -> list[CriterionView]:
    """Return a table row for each criterion."""
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
    """Return a table row for each pattern of `map`: its numbers, covered requirements, total and steps."""
    return [(one.name, f"{one.row.covered:,}", total_text(one.row), one.steps) for one in summary.patterns]


def _kind(row: Row) -> str:
    """Return the kind of total with its remarks, or "" if there is no total."""
    _, _, kind = total_text(row).partition(" (")
    return kind.removesuffix(")")


def _summary(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def total_kinds(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Return the kinds of total in the rows, each with its meaning."""
    kinds = {row.total.kind for row in rows if not row.nothing}
    return [(kind, meaning) for kind, meaning in MEANINGS.items() if kind in kinds]


@dataclass(frozen=True, slots=True)
class FileView:
    """A row of the table of files."""

    label: str
    page: str
    cells: tuple[tuple[str, str, str], ...]  # (text, sort value, status); the status is "all", "some", "none" or ""
    state: str = ""


def file_view(label: str, page: str, cells: Mapping[str, Cell], names: Sequence[str], state: str = "") -> FileView:
    """Return the table row of a file; a criterion without requirements in the file gets an empty cell."""
    return FileView(label, page, tuple(_cell(cells.get(name)) for name in names), state)


def _cell(cell: Cell | None) -> tuple[str, str, str]:
    if cell is None or cell.total == 0:
        return "", "-1", ""
    if cell.total is None:
        return f"{cell.covered:,}", f"{cell.covered}", ""
    share = floor(1000 * cell.covered / cell.total) / 10
    return f"{cell.covered:,} of {cell.total:,}", f"{share}", _status(cell)


def _status(cell: Cell) -> str:
    return "all" if cell.covered == cell.total else "some" if cell.covered else "none"


@dataclass(frozen=True, slots=True)
class FindingView:
    """An entry in the list of findings."""

    number: int
    page: str  # "" if the finding has no page
    kind: str
    message: str
    thread: str
    origin: str
    possible_on: str
    every_order: str  # description of a failure that happens in every order; "" for any other failure
    place: str  # where the thread took its last step
    code: str  # source line of the thread's last step
    raised: bool  # True if the line in `code` raised an exception
    execution: int  # number of the execution, counted over all runs; 0 if unknown


def finding_view(
    one: Stored, number: int, page: str, contents: Contents, code: Callable[[str, int], str]
) -> FindingView:
    """Return the list entry of a finding."""
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
    """Return the number of the execution that failed, counted over all runs, or 0 if it is unknown.

    A finding stores the number within its own run.
    """
    own = one.finding.execution
    runs = contents.runs if len(contents.runs) == 1 else [run for run in contents.runs if run.origin == one.origin]
    return next((run.before + own for run in runs if 1 <= own <= run.executions), 0)


@dataclass(frozen=True, slots=True)
class GrowthView:
    """One criterion on the growth page."""

    view: CriterionView
    straight: Chart
    logarithmic: Chart
    remains: str


def growth_views(contents: Contents, rows: Sequence[Row], found: Sequence[FindingView]) -> list[GrowthView]:
    """Return a linear and a logarithmic chart for each criterion."""
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
    """Return a sentence on the number of requirements that remain, and on how this number was determined."""
    if row.nothing:
        return "There is nothing to cover."
    if row.total.kind == EXACT:
        return "No requirements remain: the search was exhausted."
    if row.total.number is None:
        return "The number of remaining requirements is unknown: there were too few executions for an estimate."
    left = row.total.number - row.covered
    if row.total.kind == ESTIMATED:
        upper_bound = (row.total.high or 0) - row.covered
        about = f"about {count(left, 'requirement')}" if left else "none"
        bound = f" (at most {number_text(upper_bound)} with 95 % confidence)" if upper_bound > 0 else ""
        return f"Estimated to remain: {about}{bound}, assuming that further executions resemble the previous ones."
    if not left:
        return "No requirements remain."
    remaining = "requirement remains" if left == 1 else "requirements remain"
    kind = row.total.kind
    return f"At most {number_text(left)} {remaining}. The total is {kind}, so it may include infeasible requirements."


def chance_sentence(contents: Contents) -> str:
    """Return a sentence on the chance that more executions cover anything new.

    Return "" if nothing was covered, or if runs have different origins, because growth starts over with each origin.
    """
    if not contents.tally.executions or not contents.tally.covered or len({run.origin for run in contents.runs}) > 1:
        return ""
    chance = chance_of_anything_new(contents.tally)
    if chance is None:
        return (
            f"{count(contents.tally.executions, 'execution')}: too few to estimate the chance of covering anything new."
        )
    percent = 100 * chance
    chance_text = (
        "less than 0.1 %" if percent < 0.1 else "more than 99.9 %" if percent > 99.9 else f"about {percent:.1f} %"
    )
    return f"The chance that 1,000 more executions cover anything new in any criterion is {chance_text}."


def headline(summary: Summary) -> str:
    """Return the numbers of runs and executions."""
    return f"{count(summary.runs, 'run')}, {count(summary.executions, 'execution')}"
