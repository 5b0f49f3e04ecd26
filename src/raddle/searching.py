"""Carries out a plan, in this process or with workers, and adds what came of it to the data file.

Every front door makes a plan and comes here, whatever the world of its scenarios is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from raddle.corpus import CorpusEntry
from raddle.exploring.measure_sampling import told
from raddle.exploring.progress import ProgressCallback
from raddle.exploring.stop_rules import Budget
from raddle.exploring.units import Plan
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
    plan: Plan,
    budget: Budget,
    *,
    data_file: DataFile | None = None,
    corpus: bool = True,
    workers: int | Executor | None = None,
    progress: ProgressCallback | None = None,
) -> Result:
    """Return the result of a search; with `corpus`, it begins with the schedules that earlier runs kept in the file."""
    data_file, trouble = _usable(data_file) if plan.criteria else (None, "")
    kept = _read_corpus(data_file) if corpus and is_guided(plan.scheduler) else ()
    plan = replace(plan, keep=data_file is not None)
    if workers is None:
        with Workbench(plan.domain) as workbench:
            result, unfit = workbench.search(plan, budget, corpus=kept, progress=progress)
    else:
        from raddle.distribute import rounds

        result, unfit = rounds.search(plan, budget, kept, workers=workers, progress=progress)
    if result.record is not None:
        result = _stored(result, result.record, plan.criteria, data_file, unfit)
    return replace(result, not_stored=trouble) if trouble else result


def _usable(data_file: DataFile | None) -> tuple[DataFile | None, str]:
    """Check the data file before any work is done; return None and why if it cannot be used."""
    if data_file is None:
        return None, ""
    from raddle.store import UnusableError
    from raddle.store import check as check_data_file

    try:
        check_data_file(data_file)
    except UnusableError as error:  # findings are worth more than the place where they are stored
        return None, f"nothing was stored: {error}"
    return data_file, ""


def _read_corpus(data_file: DataFile | None) -> tuple[CorpusEntry, ...]:
    """Return the schedules that earlier runs kept."""
    from raddle.store import NoDataError, UnusableError, read

    try:
        return read(data_file).corpus if data_file is not None else ()
    except (NoDataError, UnusableError):  # the latter is said when something is to be stored
        return ()


def _stored(
    result: Result,
    record: Record,
    criteria: Sequence[str],
    data_file: DataFile | None,
    unfit: Sequence[CorpusEntry],
) -> Result:
    """Return the result with its record, which is also added to the data file; what no longer fits is dropped there."""
    record = replace(record, warnings=deduplicated(record.warnings))  # several processes say one thing in other words
    from raddle.checks.warning_texts import say
    from raddle.report.coverage import as_json, contents_of, rows

    notes: tuple[str, ...] = (told(record.tally.executions, result.executions),) if result.left_out else ()
    trouble = ""
    if data_file is not None:
        from raddle.store import try_to_add

        added = try_to_add(data_file, record, unfit=unfit)
        trouble = added.trouble
        if unfit and not trouble:
            notes += (f"{count(len(unfit), 'kept schedule')} no longer fit the code: dropped",)
        notes += added.notes
    covered = rows(contents_of(record), names=criteria)
    return replace(
        result,
        record=record,
        criteria={row.name: as_json(row) for row in covered},
        warnings=tuple({**warning.as_json(), "sentence": say(warning, record.sites)} for warning in record.warnings),
        notes=result.notes + notes,
        not_stored=trouble,
    )
