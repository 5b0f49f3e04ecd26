"""Tables and lists of the report, for a terminal or a text file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from raddle.report.coverage import Row
from raddle.report.files import Cell
from raddle.report.missing import Missing
from raddle.report.numbers import percent_text, total_text
from raddle.report.patterns import PatternRow
from raddle.report.plain import plain
from raddle.tally import ESTIMATED, EXACT, PRUNED, STATIC, UNKNOWN

MAX_COLUMNS = 8  # maximum number of criteria in a table of files

# Explains each kind of total in the legend below the table
MEANINGS = {
    STATIC: "counted from the source or from the accesses seen so far; may include infeasible requirements",
    PRUNED: "excludes requirements that observed starts, joins or locks make infeasible",
    EXACT: "the search was exhausted, so this is the true total",
    ESTIMATED: "from the number of executions that covered each requirement (Chao2), with a 95 % confidence interval",
    UNKNOWN: "too few executions for an estimate",
}
_RAISED = "more was covered than the static model predicted"


def criteria_table(rows: Iterable[Row]) -> Table:
    """Return the coverage table, with a row for each criterion."""
    table = _table("criterion", "covered", "total", "percent", "executions", "since new")
    for row in rows:
        style = "green" if row.covered == row.total.number and row.covered else ""
        table.add_row(
            row.name,
            f"{row.covered:,}",
            total_text(row),
            Text(percent_text(row), style=style),
            f"{row.executions:,}",
            f"{row.since_new:,}",
        )
    return table


def pattern_table(patterns: Iterable[PatternRow]) -> Table:
    """Return a table with a row for each pattern of the criterion `map`."""
    table = _table("pattern of map", "steps", "covered", "total", "percent")
    for one in patterns:
        table.add_row(one.name, one.steps, f"{one.row.covered:,}", total_text(one.row), percent_text(one.row))
    return table


def legend(rows: Sequence[Row]) -> list[str]:
    """Return explanations of the terms that occur in the rows."""
    kinds = {row.total.kind for row in rows if not row.nothing}
    lines = [f"{kind}: {meaning}" for kind, meaning in MEANINGS.items() if kind in kinds]
    if any(row.raised for row in rows):
        lines.append(f"raised: {_RAISED}")
    return [*lines, "since new: executions since coverage last grew"]


def file_tables(files: Mapping[str, Mapping[str, Cell]], rows: Sequence[Row]) -> list[Table]:
    """Return tables with a row for each file and a column for each criterion, `MAX_COLUMNS` criteria per table."""
    names = [row.name for row in rows if any(row.name in cells for cells in files.values())]
    tables = []
    for start in range(0, len(names), MAX_COLUMNS):
        some = names[start : start + MAX_COLUMNS]
        table = _table("file", *some)
        for file, cells in files.items():
            if any(name in cells for name in some):
                table.add_row(plain(file), *(str(cells[name]) if name in cells else "-" for name in some))
        tables.append(table)
    return tables


def missing_lines(missing: Missing) -> list[str]:
    """Return the sentences about missing requirements, grouped by file."""
    # A line can contain several accesses, so count the requirements described by the same sentence.
    alike: dict[tuple[str, str], int] = {}
    for gap in missing.gaps:
        alike[gap.file, gap.sentence] = alike.get((gap.file, gap.sentence), 0) + 1
    lines, before = [], None
    for (file, sentence), number in alike.items():
        if file != before:
            before = file
            lines.append(f"{file}:")
        lines.append(f"  {sentence}" + (f" ({number} times: these lines have several accesses)" if number > 1 else ""))
    if missing.more:
        lines.append(f"... and {missing.more:,} more; raise --limit to see them")
    return [*lines, *missing.remarks]


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="left" if name in ("total", "steps") else "right")
    return table
