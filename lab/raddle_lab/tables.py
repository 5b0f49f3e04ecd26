"""Tables as text, the results beside what was published."""

from __future__ import annotations

from collections.abc import Sequence

from raddle_lab.cases import CASES
from raddle_lab.krena import MEASURED, CaseResult, verdicts
from raddle_lab.published import TABLE_2, TABLE_3, Quantities

MODE_TITLES = {"controlled": "under control", "noise": "own threads, with noise"}


def aligned(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Rows as lines, the first one above a rule; the first columns to the left, the others to the right.

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
    return "\n".join([lines[0], "-" * (sum(widths) + 2 * len(widths) - 2), *lines[1:]])


def table_2(results: Sequence[CaseResult]) -> str:
    """Test cases and abstract identifiers, each row followed by the published one."""
    head = ["", "Classes", "Errors", "Objects", "Type", "Abs", "Threads", "Type", "Abs10", "Abs20"]
    rows = [head]
    for result in results:
        for title, row in ((CASES[result.case].title, result.abstraction), ("  (paper)", TABLE_2[result.case])):
            rows.append([title, *(f"{cell:.4f}" if isinstance(cell, float) else f"{cell:,}" for cell in row)])
    return aligned(rows)


def table_3(results: Sequence[CaseResult]) -> str:
    """Total, Average % and Smooth % of each metric in each case."""
    rows = [["", *(cell for r in results for cell in (CASES[r.case].title, "avg%", "smooth%"))]]
    for metric in MEASURED:
        rows.append([metric])
        for result in results:
            grown = result.growth[metric]
            rows[-1] += _three(Quantities(grown.total, grown.average_percent, grown.smooth_percent))
    return aligned(rows)


def published_table_3(results: Sequence[CaseResult]) -> str:
    """The same of the paper."""
    rows = [["", *(cell for r in results for cell in (CASES[r.case].title, "avg%", "smooth%"))]]
    rows += [
        [metric, *(cell for result in results for cell in _three(row[result.case]))] for metric, row in TABLE_3.items()
    ]
    return aligned(rows)


def verdict_table(results: Sequence[CaseResult]) -> str:
    """Where series settle, in percent of their length, and what follows from that."""
    rows = [["", *(CASES[result.case].title for result in results), "verdict", "paper", ""]]
    for metric, (here, paper) in verdicts(results).items():
        shares = [result.growth[metric].settled for result in results]
        settled = ["-" if share is None else f"{100 * share:.0f}" for share in shares]
        rows.append([metric, *settled, here, paper, "same" if here == paper else "differs"])
    return aligned(rows)


def beginning_table(results: Sequence[CaseResult]) -> str:
    """How much of what a series covers its first tenth covers, in percent."""
    rows = [["", *(CASES[result.case].title for result in results)]]
    for metric in MEASURED:
        shares = [result.growth[metric].beginning_percent for result in results]
        rows.append([metric, *("-" if share is None else f"{share:.0f}" for share in shares)])
    return aligned(rows)


def report(results: Sequence[CaseResult]) -> str:
    """Everything about the results of one mode."""
    mode = MODE_TITLES[results[0].mode]
    sizes = ", ".join(f"{CASES[r.case].title} {r.length:,} of {r.collected:,}" for r in results)
    return "\n\n".join(
        [
            f"Table 2 ({mode}): test cases and abstract identifiers; objects and threads of 10 executions",
            table_2(results),
            f"Table 3 ({mode}): total, average % and smooth % over random series; executions of a series: {sizes}",
            table_3(results),
            "Table 3 as published (series of 2,000 executions)",
            published_table_3(results),
            f"Verdict ({mode}): percent of a series until 95 % of what it covers is covered; at most 10 saturates at "
            "once, above 75 hardly saturates; by the median of the cases",
            verdict_table(results),
            f"Beginning ({mode}): percent of what a series covers that its first tenth covers",
            beginning_table(results),
        ]
    )


def _three(row: Quantities) -> list[str]:
    average = "-" if row.average_percent is None else f"{row.average_percent:.0f}"
    return [f"{row.total:,.0f}", average, f"{row.smooth_percent:.0f}"]
