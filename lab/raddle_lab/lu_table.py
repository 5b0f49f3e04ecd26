"""Formats the tables of the experiment on Lu's criteria."""

from __future__ import annotations

from collections.abc import Sequence

from raddle_lab.lu import ProgramResult, Summary, summaries
from raddle_lab.lu_bounds import BOUNDS, CRITERIA
from raddle_lab.tables import aligned, paragraph

ILLEGIBLE = "-"


def bounds_table() -> str:
    """Return Table 1 of the paper."""
    rows = [["criterion", "lower bound", "upper bound"]]
    for criterion, (lower, upper) in BOUNDS.items():
        rows.append([criterion, lower.formula if lower else ILLEGIBLE, upper.formula])
    return aligned(rows, left=3)


def summary_table(found: dict[str, Summary]) -> str:
    """Return one row per criterion."""
    rows = [["criterion", "programs", "feasible", "set size", "to complete", "exposes %", "at random %", "unseen %"]]
    for criterion, one in found.items():
        numbers = [f"{one.feasible:,.0f}", f"{one.size:,.1f}", f"{one.executions:,.1f}"]
        shares = [f"{100 * share:.0f}" for share in (one.exposing, one.at_random, one.unseen)]
        rows.append([criterion, str(one.programs), *numbers, *shares])
    return aligned(rows)


def program_table(results: Sequence[ProgramResult]) -> str:
    """Return one row per program: its size, and the cost and upper bound of each criterion."""
    rows = [["program", "runs", "M", "n", "V", *CRITERIA]]
    for result in results:
        runs = f"{result.executions:,}" + ("" if result.exhausted else "+")
        shape = result.shape
        rows.append([result.program, runs, str(shape.threads), f"{shape.accesses:.1f}", str(shape.variables)])
        rows[-1] += [_cost(result, criterion) for criterion in CRITERIA]
    return aligned(rows)


def report(results: Sequence[ProgramResult]) -> str:
    """Return the full report."""
    exhausted = [result for result in results if result.exhausted]
    others = len(results) - len(exhausted)
    harmless = [result.program for result in results if not result.failures]
    parts = [
        "Table 1 of Lu, Jiang and Zhou: number of executions that each criterion requires, without constant factors "
        "(M threads, n accesses each, V variables; - marks a bound that is illegible in the available copy)",
        bounds_table(),
        f"Programs: {len(results)} (exhausted: {len(exhausted)}). The column `runs` shows the "
        "number of executions (+ if the program has more). The columns of the criteria show the size of a complete set "
        "/ the upper bound (- for `all` if the program was not exhausted)",
        program_table(results),
    ]
    columns = (
        "feasible requirements, size of a complete test set, executions in random order until everything is covered, "
        "share of complete sets that expose the bug, probability that as many random executions expose it"
    )
    if exhausted:
        parts += [f"Averages over the exhausted programs: {columns}", summary_table(summaries(results, exhausted=True))]
    if others:
        parts += [
            f"Averages over the programs that were not exhausted ({others}): as above, and an upper bound on the "
            "probability that one more execution covers something new. Only requirements that were covered count as "
            "feasible, so the sets may be incomplete",
            summary_table(summaries(results, exhausted=False)),
        ]
    if harmless:
        parts.append(f"Programs in which no execution failed, so there was no bug to expose: {', '.join(harmless)}")
    return "\n\n".join(part if "\n" in part else paragraph(part) for part in parts)


def _cost(result: ProgramResult, criterion: str) -> str:
    if criterion not in result.sets:
        return "-"
    _, upper = BOUNDS[criterion]
    size = result.sets[criterion].size
    return f"{size:.0f}/{upper.value(result.shape)}"
