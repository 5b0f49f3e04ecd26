"""Merges data files, including those from other machines."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from raddle.errors import UsageError
from raddle.store import connection
from raddle.store.changed import digests_now, same_file
from raddle.store.contents import Contents
from raddle.store.file import read
from raddle.store.reading import read_contents
from raddle.store.writing import add_contents


@dataclass(frozen=True, slots=True)
class Combined:
    """The result of combining data files."""

    added: tuple[str, ...]  # files whose runs were added to the target
    skipped: tuple[str, ...]  # files whose runs were already in the target
    runs: int  # number of runs in the target
    executions: int  # number of executions in the target


def combine(target: str | os.PathLike[str], sources: Sequence[str | os.PathLike[str]]) -> Combined:
    """Add the contents of other data files to the target, completely or not at all. The other files do not change."""
    where = Path(target)
    itself = [os.fspath(source) for source in sources if same_file(where, source)]
    named = [(os.fspath(source), _read(source)) for source in sources if os.fspath(source) not in itself]
    _new_among(named, known=set())  # checked before the target is opened, so that a failure leaves no empty file behind
    _check_same_sources(named)

    def change(file: sqlite3.Connection) -> Combined:
        present = read_contents(file)
        _check_same_sources([(os.fspath(target), present), *named])
        new = _new_among(named, known={run.identity for run in present.runs})
        for _, contents in new:
            add_contents(file, contents, keep_paths=True)
        added = [name for name, _ in new]
        runs, executions = file.execute("select count(*), coalesce(sum(executions), 0) from run").fetchone()
        skipped = [*itself, *(name for name, _ in named if name not in added)]
        return Combined(tuple(added), tuple(skipped), runs, executions)

    return connection.write(where, change)


def _read(source: str | os.PathLike[str]) -> Contents:
    try:
        return read(source)
    except connection.NoDataError:
        why = "it contains no data" if os.path.exists(source) else "there is no such file"
        raise UsageError(
            "no-data",
            f"{os.fspath(source)} cannot be combined: {why}; nothing was changed. Specify files written by "
            "`raddle run` or `raddle explore --criteria`",
        ) from None


def _new_among(named: Sequence[tuple[str, Contents]], *, known: set[str]) -> list[tuple[str, Contents]]:
    """Return the files with new runs; raise an error if a file has both known and new runs."""
    new, known = [], set(known)
    for name, contents in named:
        runs = {run.identity for run in contents.runs}
        if runs <= known:
            continue
        if runs & known:
            raise _overlap(name, contents, known)
        known |= runs
        new.append((name, contents))
    return new


def _check_same_sources(named: Sequence[tuple[str, Contents]]) -> None:
    for (one_name, one), (other_name, other) in combinations(named, 2):
        label = _differing(one, other)
        if label is not None:
            raise UsageError(
                "different-source",
                f"{label} is not the same in {one_name} and {other_name}: measurements of different sources "
                "cannot be combined. Nothing was changed; measure the same source with the same command for both files",
            )


def _differing(one: Contents, other: Contents) -> str | None:
    """Return the label of a source file that differs between two data files; None if there is none.

    A source file does not differ if one data file has only some of the instrumented forms that the other has.
    """
    mine, theirs = _digests(one), _digests(other)
    for label in sorted(mine.keys() & theirs.keys()):
        if mine[label] <= theirs[label] or theirs[label] <= mine[label]:
            continue
        paths = {contents.paths.get(label, "") for contents in (one, other)} - {""}
        if not any(mine[label] | theirs[label] <= digests_now(label, path) for path in paths):
            return label
    return None


def _digests(contents: Contents) -> dict[str, set[int]]:
    digests: dict[str, set[int]] = {}
    for label, digest in contents.files:
        if digest:
            digests.setdefault(label, set()).add(digest)
    return digests


def _overlap(name: str, contents: Contents, known: set[str]) -> UsageError:
    run = next(run for run in contents.runs if run.identity in known)
    return UsageError(
        "overlapping-data",
        f"some but not all runs of {name} are already in the target or in an earlier file ({run.origin}, {run.added}): "
        "these runs would be counted twice. Nothing was changed; combine files that do not overlap into a new file",
    )
