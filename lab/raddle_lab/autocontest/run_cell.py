"""Runs one cell, in the process that `raddle_lab.cell_processes` starts for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raddle.generation.generation_options import DEFAULT_ORACLES, GenerationOptions
from raddle.generation.targets import find_targets
from raddle_lab.autocontest.cell import Approach, Cell, Part
from raddle_lab.autocontest.exploring_search import ExploringSearch, sharing_instructions
from raddle_lab.autocontest.generating_search import GeneratingSearch, Iteration
from raddle_lab.autocontest.given_sequences import GivenSequences
from raddle_lab.autocontest.subjects import COMPARING_RESULTS, subject_of
from raddle_lab.class_subject import ClassSubject
from raddle_lab.maptest.symptoms import CERTAIN_ORACLES, matches
from raddle_lab.result_log import Json

FINISHED = "finished"  # how a run ends whose process does not die


def run(description: Mapping[str, Any]) -> Json:
    """Run the cell with this description, and return its result as JSON data."""
    cell = Cell.of(description)
    subject = subject_of(cell.subject)
    (target,) = find_targets(subject.target)
    match cell.part:
        case Part.GIVEN:
            search = GivenSequences(target.cls, _options(cell))
            search.run()
            return {"end": FINISHED, **search.data}
        case Part.FAULTS:
            return _faults(cell, subject, target.cls)
        case _:
            return _generated(cell, target.cls)


def _options(cell: Cell) -> GenerationOptions:
    oracles = DEFAULT_ORACLES if cell.subject in COMPARING_RESULTS else CERTAIN_ORACLES
    return GenerationOptions(method=str(cell.approach), seconds=cell.seconds, seed=cell.seed, oracles=oracles)


def _faults(cell: Cell, subject: ClassSubject, cls: type) -> Json:
    search = ExploringSearch(cls, _options(cell), approach=Approach(cell.approach))
    result = search.run()
    record, progress = search.requirements, search.progress
    tested = {requirement for requirement, *_ in record.attempts}
    return {
        "end": FINISHED,
        "seconds": round(result.seconds, 3),
        "generation_seconds": None if search.generation_seconds is None else round(search.generation_seconds, 3),
        "explored": search.explored_tests,
        "assembled": progress.assembled,
        "confirmations": result.counts.tests,
        "executions": result.counts.executions,
        "restarts": result.counts.restarts,
        "calls_of_sequences": progress.calls_of_sequences,
        "calls_of_tests": progress.calls_of_tests,
        "predicted": len(record.predicted),
        "pruned": len(record.pruned),
        "tested": len(tested),
        "sharing_instructions": sharing_instructions(tested),
        "triggered": [[round(one.seconds, 3), one.key] for one in search.triggered],
        "faults": [
            {
                "seconds": round(fault.seconds, 3),
                "explored": fault.explored,
                "executions": fault.executions,
                "symptom": fault.symptom,
                "matches": matches(fault.symptom, fault.error, subject.symptoms),
                "calls": list(fault.calls),
            }
            for fault in search.faults
        ],
    }


def _generated(cell: Cell, cls: type) -> Json:
    search = GeneratingSearch(cls, _options(cell), pruning=cell.pruning, first_only=cell.part is Part.FIRST)
    search.run()
    generated = search.generated
    return {
        "end": FINISHED,
        "saturated": search.saturated,
        "first": _iteration(generated.iterations[0]) if generated.iterations else None,
        "last_returned": _iteration(generated.returned[-1]) if generated.returned else None,
        "iterations": len(generated.iterations),
        "returned": len(generated.returned),
        "limited": sum(not one.is_finished for one in generated.iterations),
        "traces": sum(len(one.result.gained) for one in generated.returned),
    }


def _iteration(iteration: Iteration) -> Json:
    result = iteration.result
    return {
        "seconds": round(iteration.seconds, 3),
        "at": round(iteration.at, 3),
        "gained": len(result.gained),
        "length": len(result.calls),
        "level": result.level,
        "nodes": result.nodes,
        "finished": iteration.is_finished,
        "ending": str(result.ending),
    }
