"""All tables of the experiment, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raddle_lab.maptest.section import Section
from raddle_lab.souza import cost_tables, defect_tables, element_tables
from raddle_lab.souza.study import Study


def irregularities(study: Study) -> Section:
    """Return the cells without a complete result."""
    remarks = [
        f"{run.cell.program}, {run.cell.part} {run.cell.number}: {run.result['end']} {run.result.get('error', '')}"
        for run in study.unfinished
    ]
    remarks += [
        f"{run.cell.program}, {run.result['text']}: {run.result['problem']}"
        for run in study.runs
        if "problem" in run.result
    ]
    return Section("Measurements that could not be completed", remarks=remarks or ["none"])


TABLES: Mapping[str, Callable[[Study], Section]] = {
    "1": element_tables.table_1,
    "2": element_tables.table_2,
    "3": element_tables.table_3,
    "4": cost_tables.table_4,
    "figure-4": cost_tables.figure_4,
    "5": cost_tables.table_5,
    "6": cost_tables.table_6,
    "7": defect_tables.table_7,
    "8": defect_tables.table_8,
    "figure-5": defect_tables.figure_5,
    "9": cost_tables.table_9,
    "10": cost_tables.table_10,
    "11": defect_tables.table_11,
    "12": defect_tables.table_12,
    "irregularities": irregularities,
}


def report(study: Study) -> str:
    """Return all tables as text."""
    return "\n\n".join(make(study).text() for make in TABLES.values())
