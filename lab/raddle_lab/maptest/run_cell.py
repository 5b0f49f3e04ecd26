"""Runs one cell, in the process that `raddle_lab.cell_processes` starts for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from raddle.criteria import THREADS as NAMES
from raddle.generation.bug import Bug
from raddle.generation.class_search import ClassSearch
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.targets import find_targets
from raddle_lab.class_subject import ClassSubject
from raddle_lab.class_subjects import SUBJECTS
from raddle_lab.maptest.cell import Cell, Part
from raddle_lab.maptest.no_locks import NoLock, load_without_locks
from raddle_lab.maptest.recording_search import RecordingSearch
from raddle_lab.maptest.symptoms import CERTAIN_ORACLES, matches, symptom_of
from raddle_lab.result_log import Json

FOUND, FINISHED = "bug", "budget"  # how a search ends


def run(description: Mapping[str, Any]) -> Json:
    """Run the cell with this description, and return its result as JSON data."""
    cell = Cell.of(description)
    subject = next(one for one in SUBJECTS if one.id == cell.subject)
    if cell.part is Part.BUGS:
        return _until_known_bug(cell, subject)
    return _recorded(cell, subject)


def _options(cell: Cell) -> GenerationOptions:
    return GenerationOptions(
        method=cell.method,
        seconds=cell.seconds,
        seed=cell.seed,
        oracles=CERTAIN_ORACLES,
        max_tests=cell.max_tests,
    )


def _until_known_bug(cell: Cell, subject: ClassSubject) -> Json:
    """Search until a bug has one of the subject's symptoms. If none has, the result is about the first bug."""
    (target,) = find_targets(subject.target)
    known: list[Bug] = []

    def add(bug: Bug) -> None:
        if matches(symptom_of(bug.violation), bug.failure.error, subject.symptoms):
            known.append(bug)

    search = ClassSearch(target.cls, _options(cell), on_bug=add, is_stopping=lambda: bool(known))
    result = search.run()
    found = [*known, *result.bugs]
    if not found:
        counts = {"tests": result.counts.tests, "executions": result.counts.executions}
        return {"end": FINISHED, "seconds": round(result.seconds, 3), **counts}
    bug = found[0]
    return {
        "end": FOUND,
        "seconds": round(bug.seconds, 3),
        "tests": bug.tests,
        "executions": bug.executions,
        "symptom": symptom_of(bug.violation),
        "matches": bool(known),
        "sentence": bug.sentence,
        "aimed_at": bug.aimed_at,
        "explained_by": bug.explained_by,
    }


def _recorded(cell: Cell, subject: ClassSubject) -> Json:
    without_locks = cell.part in (Part.CORRELATION, Part.CORRELATION_TOTAL)
    cls = load_without_locks(subject.target) if without_locks else find_targets(subject.target)[0].cls
    NoLock.made = 0
    search = RecordingSearch(
        cls,
        _options(cell),
        samples=cell.samples,
        criteria=NAMES if cell.part is Part.CORRELATION and cell.method == "maptest" else (),
        facts=cell.part is Part.COVERAGE_TOTAL,
    )
    result = search.run()
    return {
        "end": FINISHED,
        "seconds": round(result.seconds, 3),
        "tests": result.counts.tests,
        "executions": result.counts.executions,
        "samples": [asdict(sample) for sample in search.finish()],
        "totals": search.totals(),
        "pairs": len(search.surface.methods) * (len(search.surface.methods) + 1) // 2,
        "has_locks": NoLock.made > 0,
    }
