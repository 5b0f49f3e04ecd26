"""All tables of the experiments, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raddle_lab.maptest import bug_tables, coverage_tables
from raddle_lab.maptest.section import Section
from raddle_lab.maptest.study import Study

MakeSection = Callable[[Study], Section]

# Maps research questions to their tables, by the names that docs/explanation-lab.md uses.
SECTIONS: Mapping[int, Mapping[str, MakeSection]] = {
    1: {
        "classes": bug_tables.classes,
        "times": bug_tables.times,
        "comparisons": bug_tables.comparisons,
        "published-comparisons": bug_tables.published_comparisons,
        "effort": bug_tables.effort,
        "observations": bug_tables.observations,
        "patterns": bug_tables.patterns,
        "irregularities": bug_tables.irregularities,
    },
    2: {"coverage": coverage_tables.coverage},
    3: {"correlation": coverage_tables.correlation, "criteria": coverage_tables.criteria},
}
TABLES: Mapping[str, MakeSection] = {name: make for sections in SECTIONS.values() for name, make in sections.items()}


def report(study: Study) -> str:
    """Return all tables as text."""
    return "\n\n".join(make(study).text() for question in study.plan.questions for make in SECTIONS[question].values())
