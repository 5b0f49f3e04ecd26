"""All tables of the experiments, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from raddle_lab.autocontest import example_tables, fault_tables, generator_tables
from raddle_lab.autocontest.cell import Part
from raddle_lab.autocontest.study import Study
from raddle_lab.maptest.section import Section

MakeSection = Callable[[Study], Section]

# Maps the parts to their tables, by the names that docs/explanation-lab.md uses.
SECTIONS: Mapping[Part, Mapping[str, MakeSection]] = {
    Part.FIGURE_1: {"traces": example_tables.traces, "interleavings": example_tables.interleavings},
    Part.GENERATED: {"generated": example_tables.generated},
    Part.FAULTS: {
        "faults": fault_tables.faults,
        "published-faults": fault_tables.published_faults,
        "all-seeds": fault_tables.all_seeds,
        "fault-observations": fault_tables.observations,
        "coverage": fault_tables.coverage,
    },
    Part.GENERATOR: {
        "sequences": generator_tables.sequences,
        "published-sequences": generator_tables.published_sequences,
        "rules": generator_tables.rules,
        "sequence-observations": generator_tables.observations,
    },
}


def irregularities(study: Study) -> Section:
    """Return remarks about processes that were killed or died."""
    found = [
        f"{run.cell.subject}, {run.cell.method}, {run.cell.part}, seed {run.cell.seed}: process {run.result['end']} "
        f"{run.result['error']}"
        for run in study.runs
        if "error" in run.result
    ]
    return Section("Irregular runs", remarks=found or ["none"])


TABLES: Mapping[str, MakeSection] = {
    **{name: make for sections in SECTIONS.values() for name, make in sections.items()},
    "irregularities": irregularities,
}


def report(study: Study) -> str:
    """Return all tables as text."""
    return "\n\n".join(section.text() for section in _sections(study))


def _sections(study: Study) -> Iterator[Section]:
    for part, sections in SECTIONS.items():
        if part in study.plan.parts:
            for make in sections.values():
                yield make(study)
    yield irregularities(study)
