"""The table of the correlation experiment as text."""

from __future__ import annotations

from collections.abc import Sequence

from raddle_lab.correlation import Correlation, SubjectResult
from raddle_lab.tables import aligned


def correlation_table(correlations: Sequence[Correlation]) -> str:
    """Criteria, the highest τ first."""
    rows = [["criterion", "τ", "p", "significant", "τ, equal size", "p", "published τ"]]
    highest_first = sorted(correlations, key=lambda row: -2 if row.tau is None else row.tau, reverse=True)
    return aligned([*rows, *(_cells(row) for row in highest_first)])


def subject_table(results: Sequence[SubjectResult]) -> str:
    """What the experiment is made of."""
    rows = [["subject", "mutants", "that fail", "test sets"]]
    rows += [[r.subject, str(r.mutants), str(r.bugs), f"{len(r.points):,}"] for r in results]
    return aligned(rows)


def report(results: Sequence[SubjectResult], correlations: Sequence[Correlation]) -> str:
    """Everything."""
    return "\n\n".join(
        [
            "Subjects: programs of which each mutant lacks one lock",
            subject_table(results),
            "Kendall's τ between coverage and mutants found: mean over subjects; the subjects in which it is "
            "significant by itself (p < 0.05); mean among test sets of equal size; what was published for Java",
            correlation_table(correlations),
        ]
    )


def _cells(row: Correlation) -> list[str]:
    return [
        row.criterion,
        _number(row.tau),
        _chance(row.p),
        f"{row.significant} of {row.subjects}",
        _number(row.equal_size),
        _chance(row.equal_size_p),
        _number(row.published),
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _chance(p: float | None) -> str:
    return "-" if p is None else "<0.0001" if p < 0.0001 else f"{p:.2g}"
