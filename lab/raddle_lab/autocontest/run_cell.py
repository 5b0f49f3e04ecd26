"""Runs one cell, in the process that `raddle_lab.cell_processes` starts for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raddle.generation.generation_options import DEFAULT_ORACLES, GenerationOptions
from raddle.generation.targets import find_targets
from raddle_lab.autocontest.cell import NATIVE_CONTEGE, RULES, Cell, Part
from raddle_lab.autocontest.experiment import CLASSES
from raddle_lab.autocontest.fault_search import FaultSearch
from raddle_lab.autocontest.figure_1 import given
from raddle_lab.autocontest.generator_run import GeneratorRun
from raddle_lab.class_subject import ClassSubject
from raddle_lab.maptest.symptoms import CERTAIN_ORACLES, WRONG_RESULT
from raddle_lab.result_log import Json

FINISHED = "finished"  # how a run ends, unless its process is killed or dies


def run(description: Mapping[str, Any]) -> Json:
    """Run the cell with this description, and return its result as JSON data."""
    cell = Cell.of(description)
    subject = CLASSES[cell.subject]
    match cell.part:
        case Part.FIGURE_1:
            return {"end": FINISHED, **given()}
        case Part.GENERATOR:
            generator = GeneratorRun(
                _class(subject), _options(cell, subject), RULES[cell.method], max_iterations=cell.max_tests
            )
            generator.run()
            return {"end": FINISHED, **generator.as_json()}
        case _:
            search = FaultSearch(_class(subject), _options(cell, subject), subject, method=cell.method)
            search.run()
            return {"end": FINISHED, **search.as_json()}


def _class(subject: ClassSubject) -> type:
    (target,) = find_targets(subject.target)
    return target.cls


def _options(cell: Cell, subject: ClassSubject) -> GenerationOptions:
    """Return the options of a search.

    The paper's oracle notices crashes and hangs. A fault that shows only in results needs an oracle that compares them.
    """
    shows_in_results = WRONG_RESULT in subject.symptoms
    return GenerationOptions(
        method=NATIVE_CONTEGE if cell.method == NATIVE_CONTEGE else "autocontest",
        seconds=cell.seconds,
        seed=cell.seed,
        oracles=DEFAULT_ORACLES if shows_in_results else CERTAIN_ORACLES,
        max_tests=cell.max_tests,
    )
