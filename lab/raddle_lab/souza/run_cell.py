"""Runs one cell, in the process that `raddle_lab.cell_processes` starts for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raddle_lab.messages.programs import FIGURE_3, PROGRAMS
from raddle_lab.result_log import Json
from raddle_lab.souza.cell import Cell, Part
from raddle_lab.souza.costs import costs, figure_3
from raddle_lab.souza.defect_search import defect
from raddle_lab.souza.random_inputs import random_inputs

FINISHED = "finished"  # how a run ends whose process does not die


def run(description: Mapping[str, Any]) -> Json:
    """Run the cell with this description, and return its result as JSON data."""
    cell = Cell.of(description)
    if cell.part is Part.FIGURE_3:
        return {"end": FINISHED, **figure_3(FIGURE_3)}
    program = PROGRAMS[cell.program]
    if cell.part is Part.DEFECT:
        return {"end": FINISHED, **defect(program, cell)}
    pool = random_inputs(program.name, cell.inputs, seed=cell.seed)
    found = costs(program, pool, executions=cell.executions, random_runs=cell.random_runs, seed=cell.seed)
    return {"end": FINISHED, **found}
