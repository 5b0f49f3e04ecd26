"""All tables of the experiments, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raddle_lab.autocontest import fault_tables, figure_one_tables, pruning_tables
from raddle_lab.autocontest.study import Study
from raddle_lab.maptest.section import Section

MakeSection = Callable[[Study], Section]


def irregularities(study: Study) -> Section:
    """Return the runs whose processes died or were killed."""
    remarks = [
        f"{run.cell.subject}, {run.cell.part}, {run.cell.approach}, {run.cell.pruning}, seed {run.cell.seed}: "
        f"{run.result['end']} {run.result.get('error', '')}".rstrip()
        for run in study.unfinished
    ]
    return Section("Runs whose process ended early", remarks=remarks or ["none"])


# Maps the parts of the experiment to their tables, by the names that docs/explanation-lab.md uses.
SECTIONS: Mapping[int, Mapping[str, MakeSection]] = {
    1: {"given": figure_one_tables.given, "generated": figure_one_tables.generated},
    2: {
        "faults": fault_tables.faults,
        "calls": fault_tables.calls,
        "fault-observations": fault_tables.observations,
        "coverage": fault_tables.coverage,
    },
    3: {
        "pruning": pruning_tables.pruning,
        "rules": pruning_tables.rules,
        "pruning-observations": pruning_tables.observations,
    },
}
TABLES: Mapping[str, MakeSection] = {
    **{name: make for sections in SECTIONS.values() for name, make in sections.items()},
    "irregularities": irregularities,
}


def report(study: Study) -> str:
    """Return all tables as text."""
    sections = [make(study).text() for part in study.plan.parts for make in SECTIONS[part].values()]
    return "\n\n".join([*sections, irregularities(study).text()])
