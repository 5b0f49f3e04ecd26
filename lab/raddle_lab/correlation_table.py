"""Formats the tables of the correlation experiment."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from raddle.wording import count
from raddle_lab.correlation import COMPARED, Correlation, Mean, SubjectResult, compare
from raddle_lab.published import KENDALL, TABLE_4
from raddle_lab.tables import aligned, paragraph


def correlation_table(correlations: Sequence[Correlation]) -> str:
    """Return one row per criterion, highest τ first."""
    rows = [["criterion", "τ", "95 %", "significant", "pooled", "τ, equal size", "95 %", "p", "published τ"]]
    highest_first = sorted(correlations, key=lambda row: row.all_sizes.tau if row.all_sizes else -2, reverse=True)
    return aligned([*rows, *(_cells(row) for row in highest_first)])


def subject_table(results: Sequence[SubjectResult]) -> str:
    """Return one row per subject: the numbers of its mutants and test sets, and the outcomes of its executions."""
    kinds = sorted({kind for result in results for kind in result.outcomes} - {"passed"})
    rows = [["subject", "mutants", "that fail", "test sets", "executions", "passed", *kinds]]
    for result in results:
        counts = [result.mutants, result.bugs, len(result.points), sum(result.outcomes.values())]
        counts += [result.outcomes.get(kind, 0) for kind in ("passed", *kinds)]
        rows.append([result.subject, *(f"{count:,}" for count in counts)])
    return aligned(rows)


def report(results: Sequence[SubjectResult], correlations: Sequence[Correlation]) -> str:
    """Return the full report."""
    mutants, bugs = sum(result.mutants for result in results), sum(result.bugs for result in results)
    parts = [
        f"Subjects: {count(len(results), 'program')}. Each mutant lacks one lock; {bugs} of {mutants} mutants fail. "
        "The columns on the right count the outcomes of the failing mutants' executions.",
        subject_table(results),
        f"Kendall's τ between coverage and mutants found ({bugs} in {count(len(results), 'subject')}): mean over "
        "subjects, with confidence interval; subjects whose own τ is significant (p < 0.05); τ over all subjects' sets "
        "together; mean τ among test sets of equal size, with confidence interval and p; published τ for Java",
        correlation_table(correlations),
    ]
    lead = compare(correlations)
    if lead is not None:
        one, other = COMPARED
        parts.append(
            f"τ of {one} minus τ of {other}, mean over the subjects for which both are defined ({lead.subjects}): "
            f"{number(lead.tau)} ({between(lead)}, p {chance(lead)})"
        )
    parts.append(
        "Published τ (the table's last row, and the mean of the rows above): "
        + "; ".join(f"{name} {KENDALL[name]:.2f} and {fmean(rows):.2f}" for name, rows in TABLE_4.items())
    )
    return "\n\n".join(part if "\n" in part else paragraph(part) for part in parts)


def _cells(row: Correlation) -> list[str]:
    every, equal = row.all_sizes, row.equal_size
    significant = f"{row.significant} of {every.subjects}" if every else "-"
    return [
        row.criterion,
        number(every and every.tau),
        between(every),
        significant,
        number(row.pooled),
        number(equal and equal.tau),
        between(equal),
        chance(equal),
        number(row.published),
    ]


def number(tau: float | None) -> str:
    """Format τ for a table."""
    return "-" if tau is None else f"{round(tau, 2) + 0.0:.2f}"  # avoids "-0.00"


def between(mean: Mean | None) -> str:
    """Format the confidence interval of a mean."""
    return "-" if mean is None else f"{number(mean.low)} to {number(mean.high)}"


def chance(mean: Mean | None) -> str:
    """Format the p-value of a mean."""
    return "-" if mean is None else "<0.0001" if mean.p < 0.0001 else f"{mean.p:.2g}"
