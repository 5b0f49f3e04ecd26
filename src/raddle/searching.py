"""Executes a search plan, in this process or with workers, and adds the result to the data file.

In every world, all entry points (the library, the commands and the pytest plugin) create a plan and call `search`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from raddle.corpus import CorpusEntry
from raddle.exploring.measure_sampling import sampling_note
from raddle.exploring.progress import ProgressCallback
from raddle.exploring.stop_rules import Budget
from raddle.exploring.units import SearchPlan
from raddle.exploring.workbench import Workbench
from raddle.guide.policies import is_guided
from raddle.result import Result
from raddle.warning import deduplicated
from raddle.wording import count

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from raddle.record import Record

DataFile = str | os.PathLike[str]


def search(
    plan: SearchPlan,
    budget: Budget,
    *,
    data_file: DataFile | None = None,
    corpus: bool = True,
    workers: int | Executor | None = None,
    progress: ProgressCallback | None = None,
) -> Result:
    """Run a search and return its result. With `corpus`, start with the schedules stored by earlier runs."""
    data_file, why_not_stored = usable(data_file) if plan.criteria else (None, "")
    stored_corpus = _read_corpus(data_file) if corpus and is_guided(plan.scheduler) else ()
    plan = replace(plan, keep=data_file is not None)
    if workers is None:
        with Workbench(plan.domain) as workbench:
            result, unfit = workbench.search(plan, budget, corpus=stored_corpus, progress=progress)
    else:
        from raddle.distribute import rounds

        result, unfit = rounds.search(plan, budget, stored_corpus, workers=workers, progress=progress)
    if result.record is not None:
        result = stored(result, result.record, plan.criteria, data_file, unfit)
    return replace(result, not_stored=why_not_stored) if why_not_stored else result


def usable(data_file: DataFile | None) -> tuple[DataFile | None, str]:
    """Check the data file before the search; return the file and "", or None and the reason why it cannot be used."""
    if data_file is None:
        return None, ""
    from raddle.store import UnusableError
    from raddle.store import check as check_data_file

    try:
        check_data_file(data_file)
    except UnusableError as error:  # search anyway: findings matter more than storing them
        return None, f"nothing was stored: {error}"
    return data_file, ""


def _read_corpus(data_file: DataFile | None) -> tuple[CorpusEntry, ...]:
    from raddle.store import NoDataError, UnusableError, read

    try:
        return read(data_file).corpus if data_file is not None else ()
    except (NoDataError, UnusableError):  # an unusable file is reported when the result is stored
        return ()


def stored(
    result: Result,
    record: Record,
    criteria: Sequence[str],
    data_file: DataFile | None,
    unfit: Sequence[CorpusEntry],
) -> Result:
    """Add the record to the data file, delete the `unfit` schedules there, and return the completed result."""
    record = replace(record, warnings=deduplicated(record.warnings))  # workers may word the same warning differently
    from raddle.checks.warning_texts import warning_sentence
    from raddle.report.coverage import as_json, contents_of, rows

    notes: tuple[str, ...] = (sampling_note(record.tally.executions, result.executions),) if result.left_out else ()
    why_not_stored = ""
    if data_file is not None:
        from raddle.store import try_to_add

        added = try_to_add(data_file, record, unfit=unfit)
        why_not_stored = added.error
        if unfit and not why_not_stored:
            notes += (f"dropped {count(len(unfit), 'stored schedule')} because the code has changed",)
        notes += added.notes
    covered = rows(contents_of(record), names=criteria)
    return replace(
        result,
        record=record,
        criteria={row.name: as_json(row) for row in covered},
        warnings=tuple(
            {**warning.as_json(), "sentence": warning_sentence(warning, record.sites)} for warning in record.warnings
        ),
        notes=result.notes + notes,
        not_stored=why_not_stored,
    )
