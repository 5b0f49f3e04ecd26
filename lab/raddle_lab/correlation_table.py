"""The table of the correlation experiment as text."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from raddle_lab.correlation import Correlation, Mean, SubjectResult, ahead
from raddle_lab.published import KENDALL, TABLE_4
from raddle_lab.tables import aligned, paragraph

COMPARED = ("map", "method-pairs")  # by the paper


def correlation_table(correlations: Sequence[Correlation]) -> str:
    """Criteria, the highest τ first."""
    rows = [["criterion", "τ", "95 %", "significant", "pooled", "τ, equal size", "95 %", "p", "published τ"]]
    highest_first = sorted(correlations, key=lambda row: row.all_sizes.tau if row.all_sizes else -2, reverse=True)
    return aligned([*rows, *(_cells(row) for row in highest_first)])


def subject_table(results: Sequence[SubjectResult]) -> str:
    """What the experiment is made of."""
    kinds = sorted({kind for result in results for kind in result.outcomes} - {"passed"})
    rows = [["subject", "mutants", "that fail", "test sets", "executions", "passed", *kinds]]
    for result in results:
        counts = [result.mutants, result.bugs, len(result.points), sum(result.outcomes.values())]
        counts += [result.outcomes.get(kind, 0) for kind in ("passed", *kinds)]
        rows.append([result.subject, *(f"{count:,}" for count in counts)])
    return aligned(rows)


def report(results: Sequence[SubjectResult], correlations: Sequence[Correlation]) -> str:
    """Everything."""
    mutants, bugs = sum(result.mutants for result in results), sum(result.bugs for result in results)
    parts = [
        f"Subjects: {len(results)} programs, of which each mutant lacks one lock; {bugs} of {mutants} mutants fail; "
        "how their executions ended",
        subject_table(results),
        f"Kendall's τ between coverage and mutants found, of {bugs} in {len(results)} subjects: mean over subjects and "
        "its interval; the subjects in which it is significant by itself (p < 0.05); τ over the sets of all subjects; "
        "mean among test sets of equal size, its interval, and how likely it is by chance; what was published for Java",
        correlation_table(correlations),
    ]
    by_name = {row.criterion: row for row in correlations}
    if all(name in by_name for name in COMPARED):
        one, other = COMPARED
        lead = ahead(by_name[one], by_name[other])
        if lead is not None:
            parts.append(
                f"The τ of {one} less that of {other}, mean over the {lead.subjects} subjects that have both: "
                f"{_number(lead.tau)} ({_between(lead)}, p {_chance(lead)})"
            )
    parts.append(
        "Published, by the last row of the table and by the mean of its rows: "
        + "; ".join(f"{name} {KENDALL[name]:.2f} and {fmean(rows):.2f}" for name, rows in TABLE_4.items())
    )
    return "\n\n".join(part if "\n" in part else paragraph(part) for part in parts)


def _cells(row: Correlation) -> list[str]:
    every, equal = row.all_sizes, row.equal_size
    significant = f"{row.significant} of {every.subjects}" if every else "-"
    return [
        row.criterion,
        _number(every and every.tau),
        _between(every),
        significant,
        _number(row.pooled),
        _number(equal and equal.tau),
        _between(equal),
        _chance(equal),
        _number(row.published),
    ]


def _number(tau: float | None) -> str:
    return "-" if tau is None else f"{round(tau, 2) + 0.0:.2f}"  # never "-0.00"


def _between(mean: Mean | None) -> str:
    return "-" if mean is None else f"{_number(mean.low)} to {_number(mean.high)}"


def _chance(mean: Mean | None) -> str:
    return "-" if mean is None else "<0.0001" if mean.p < 0.0001 else f"{mean.p:.2g}"
