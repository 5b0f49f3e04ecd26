"""Formats the tables of Křena's experiment, with the published numbers beside the results."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from raddle_lab.krena import MEASURED, CaseResult, verdicts
from raddle_lab.published import TABLE_2, TABLE_3, Abstraction, Quantities
from raddle_lab.series import Growth

WIDTH = 120  # maximum length of a line

MODE_TITLES = {"controlled": "under control", "noise": "native threads, with noise"}


def aligned(rows: Sequence[Sequence[str]], *, left: int = 1, heads: int = 1) -> str:
    """Align rows in columns, with a rule below the first `heads` rows. All but the first `left` columns are
    right-aligned.

    >>> print(aligned([["metric", "total"], ["avio", "6"], ["concur-pairs", "4,059"]]))
    metric        total
    -------------------
    avio              6
    concur-pairs  4,059
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if number < left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines[:heads], "-" * (sum(widths) + 2 * len(widths) - 2), *lines[heads:]])


def paragraph(text: str) -> str:
    """Wrap text to the width of the tables.

    >>> max(map(len, paragraph("requirement " * 50).splitlines())) < WIDTH
    True
    """
    return textwrap.fill(text, WIDTH - 1, break_on_hyphens=False)


def table_2(results: Sequence[CaseResult]) -> str:
    """Return Table 2 (test cases and abstract identifiers), with the published row below each row."""
    head = ["", "Classes", "Errors", "Objects", "Type", "Abs", "Threads", "Type", "Abs10", "Abs20"]
    rows = [head]
    for result in results:
        rows.append(_row_2(result.title, result.abstraction))
        if result.is_published:
            rows.append(_row_2("  (paper)", TABLE_2[result.case]))
    return aligned(rows)


def table_3(results: Sequence[CaseResult]) -> str:
    """Return Table 3: Total, Average % and Smooth % for each metric and case."""
    return _threes(
        {result.title: {name: _quantities(grown) for name, grown in result.growth.items()} for result in results}
    )


def published_table_3(results: Sequence[CaseResult]) -> str:
    """Return Table 3 as published."""
    return _threes({r.title: {metric: row[r.case] for metric, row in TABLE_3.items()} for r in results})


def verdict_table(results: Sequence[CaseResult]) -> str:
    """Return a table that shows the percentage of a series after which it has settled, and the resulting verdicts."""
    published = all(result.is_published for result in results)
    rows = [["", *(result.title for result in results), "verdict", *(["paper", ""] if published else [])]]
    for metric, (here, paper) in verdicts(results).items():
        shares = [result.growth[metric].settled for result in results]
        settled = ["-" if share is None else f"{100 * share:.0f}" for share in shares]
        rows.append([metric, *settled, here])
        if paper is not None:
            rows[-1] += [paper, "same" if here == paper else "differs"]
    return aligned(rows)


def beginning_table(results: Sequence[CaseResult]) -> str:
    """Return a table that shows the percentage of a series' coverage reached in its first tenth."""
    rows = [["", *(result.title for result in results)]]
    for metric in MEASURED:
        shares = [result.growth[metric].beginning_percent for result in results]
        rows.append([metric, *("-" if share is None else f"{share:.0f}" for share in shares)])
    return aligned(rows)


def report(results: Sequence[CaseResult]) -> str:
    """Return all tables for the results of one mode."""
    mode = MODE_TITLES[results[0].mode]
    sizes = ", ".join(f"{r.title} {r.length:,} of {r.collected:,}" for r in results)
    judged = "; the verdict follows from the median over the cases" if len(results) > 1 else ""
    parts = []
    if any(result.abstraction.threads_real for result in results):  # the threads of a script are not counted
        parts += [
            f"Table 2 ({mode}): test cases and abstract identifiers; objects and threads in the first 10 executions",
            table_2(results),
        ]
    parts += [
        f"Table 3 ({mode}): total, average % and smooth % over random series. Executions per series: {sizes}",
        table_3(results),
    ]
    if all(result.is_published for result in results):
        parts += ["Table 3 as published (series of 2,000 executions)", published_table_3(results)]
    parts += [
        f"Verdict ({mode}): percentage of a series after which 95 % of its coverage is reached; up to 10: saturates at "
        f"once; above 75: hardly saturates{judged}",
        verdict_table(results),
        f"Beginning ({mode}): percentage of a series' coverage that its first tenth reaches",
        beginning_table(results),
    ]
    return "\n\n".join(part if "\n" in part else paragraph(part) for part in parts)


def _row_2(title: str, row: Abstraction) -> list[str]:
    return [title, *(f"{cell:.4f}" if isinstance(cell, float) else f"{cell:,}" for cell in row)]


def _quantities(grown: Growth) -> Quantities:
    return Quantities(grown.total, grown.average_percent, grown.smooth_percent)


def _threes(cases: Mapping[str, Mapping[str, Quantities]]) -> str:
    """Return a table with one column per case, so that five cases fit into 120 characters. A cell has three numbers."""
    metrics = next(iter(cases.values()))
    rows = [["", *cases], ["", *("total avg% smo%" for _ in cases)]]
    rows += [[metric, *(_three(own[metric]) for own in cases.values())] for metric in metrics]
    return aligned(rows, heads=2)


def _three(row: Quantities) -> str:
    average = "-" if row.average_percent is None else f"{row.average_percent:.0f}"
    return f"{row.total:,.0f} {average:>4} {row.smooth_percent:>4.0f}"
