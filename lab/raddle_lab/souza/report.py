"""All tables of the experiment, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from raddle.report.pcfg_drawing import Drawing
from raddle_lab.maptest.section import Section
from raddle_lab.messages.programs import FIGURE_3
from raddle_lab.souza import cost_tables, defect_tables, element_tables
from raddle_lab.souza.costs import graph_of
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


def draw_figure_2(folder: Path) -> Path:
    """Draw Fig. 2, the parallel control flow graph of the program in Fig. 3; return the path of the file."""
    path = folder / "figure2.svg"
    path.write_text(Drawing(graph_of(FIGURE_3)).svg(), encoding="utf-8")
    return path
