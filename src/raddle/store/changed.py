"""Drops measurements of source files that have changed since they were measured."""

from __future__ import annotations

import json
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from raddle.finding import Finding
from raddle.instrument.rewrite import site_base
from raddle.instrument.running_source import SITE_BASE_OPTIONS
from raddle.pcfg.stored import from_json
from raddle.pruning_facts import PruningFacts
from raddle.requirement import Requirement
from raddle.site import INDEX_BITS, path_from
from raddle.store.contents import Contents
from raddle.store.reading import key_of, read_facts
from raddle.store.writing import DROPPED, json_text, text


@dataclass(frozen=True, slots=True)
class _Outdated:
    """Versions of source files whose measurements are dropped."""

    labels: frozenset[str]  # file names used in sites
    digests: frozenset[int]  # digests of the files' contents

    def has(self, site: int) -> bool:
        """Return whether the site is in one of these versions."""
        return site >> INDEX_BITS in self.digests

    def named_by(self, text: str) -> bool:
        """Return whether the text names one of these files, or a class, line or function in such a file."""
        return text in self.labels or text.partition(":")[0] in self.labels

    def concerns(self, requirement: Requirement) -> bool:
        """Return whether the requirement refers to anything in these versions."""
        return any(map(self.has, requirement.sites)) or any(map(self.named_by, requirement.texts))


def digests_now(label: str, path: str) -> frozenset[int]:
    """Return the digests of the current source, one for each form of instrumentation; empty if the file cannot be read.

    >>> digests_now("nowhere.py", "/nowhere.py")
    frozenset()
    """
    try:
        source = Path(path).read_bytes()
        return frozenset(site_base(label, source, *form) >> INDEX_BITS for form in SITE_BASE_OPTIONS)
    except (OSError, ValueError, SyntaxError):  # the file does not exist, is not text, or has an unknown encoding
        return frozenset()


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Return whether both paths refer to the same file."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def drop_changed(connection: sqlite3.Connection, contents: Contents) -> tuple[str, ...]:
    """Drop stored data about files that have a different source in `contents`; return notes for the user.

    Two different files outside the project, for example in installed packages, may have the same label. The data of
    both files is then kept. But if only the new file is in the folder of the data file, the project is assumed to have
    been copied, and the new file is treated as a changed version of the old one. The data of a file that is
    instrumented differently or has a new label is dropped too. Otherwise one place would have two site numbers
    and be counted twice.
    """
    folder = os.path.dirname(connection.execute("pragma database_list").fetchone()[2])
    new_digests: dict[str, set[int]] = {}
    for label, digest in contents.files:
        if digest:
            new_digests.setdefault(text(label), set()).add(digest)
    paths = {text(label): text(path) for label, path in contents.paths.items()}
    outdated, notes = [], set()
    for number, label, digest, path in connection.execute("select number, label, digest, path from file where digest"):
        if digest in new_digests.get(label, ()):
            continue
        renamed = next((new for new in new_digests if new != label and path and paths.get(new) == path), None)
        if renamed is not None:
            outdated.append((number, label, digest))
            notes.add(f"{label} is now called {renamed}: coverage measured under the old name{DROPPED}")
            continue
        if label not in new_digests:
            continue
        is_unchanged = digest in digests_now(label, path)
        now = paths.get(label, "")
        is_same = same_file(path, now)
        if is_unchanged and not is_same and not (path_from(folder, now) and not path_from(folder, path)):
            continue
        outdated.append((number, label, digest))
        by_pytest = "is now instrumented differently (only one of the runs used pytest's assertion rewriting)"
        how = by_pytest if is_unchanged and is_same else "has changed"
        notes.add(f"{label} {how}: its earlier coverage{DROPPED}")
    if outdated:
        _drop(connection, outdated, contents)
    return tuple(sorted(notes))


def _drop(connection: sqlite3.Connection, outdated: list[tuple[int, str, int]], contents: Contents) -> None:
    sources = _Outdated(frozenset(label for _, label, _ in outdated), frozenset(digest for *_, digest in outdated))
    _drop_requirements(connection, sources)
    _drop_facts(connection, sources)
    _invalidate_runs(connection, [number for number, _, _ in outdated], contents)
    for number, label, digest in outdated:
        _drop_file(connection, number, label, digest)
    _drop_findings(connection, sources)
    connection.execute("delete from extra")  # extras describe all files together; later runs add them again


def _drop_requirements(connection: sqlite3.Connection, outdated: _Outdated) -> None:
    from raddle.criteria import shape_of  # imported here because it is slow

    stale = [
        (criterion, key)
        for criterion, key in connection.execute("select criterion, key from requirement")
        if outdated.concerns(Requirement(shape_of(criterion), key_of(key)))
    ]
    connection.executemany("delete from requirement where criterion = ? and key = ?", stale)
    doubtful = [
        row
        for row in connection.execute("select kind, subject, sites, note from caution")
        if any(map(outdated.has, json.loads(row[2])))
    ]
    connection.executemany("delete from caution where kind = ? and subject = ? and sites = ? and note = ?", doubtful)


def _drop_facts(connection: sqlite3.Connection, outdated: _Outdated) -> None:
    """Drop all facts about an owner if any fact concerns outdated source, because the facts depend on each other."""
    kept = {
        owner: facts
        for owner, facts in read_facts(connection).owners.items()
        if not outdated.named_by(owner)
        and not any(outdated.has(site) or outdated.named_by(name) for name, site in facts.accesses)
    }
    connection.execute("update facts set value = ?", (json_text(PruningFacts(kept).as_json()),))


def _invalidate_runs(connection: sqlite3.Connection, files: list[int], contents: Contents) -> None:
    """Mark runs of the old code as not exact, because they say nothing about the new code.

    There is one exception: for each criterion that the new run measures, old runs with the same origin are marked as
    exact, so that only the new run determines whether the criterion is exact. Runs without remaining coverage are
    deleted.
    """
    runs = f"select run from run_file where file in ({', '.join(map(str, files))})"
    connection.execute(f"update run_criterion set exact = 0 where run in ({runs})")
    connection.executemany(
        f"""
        update run_criterion set exact = 1
        where run in ({runs}) and run in (select number from run where origin = ?) and criterion = ?""",
        [(text(run.origin), criterion) for run in contents.runs for criterion in run.criteria],
    )
    connection.execute(
        f"delete from run_criterion where run in ({runs}) and criterion not in (select criterion from requirement)"
    )
    connection.execute(f"delete from run where number in ({runs}) and number not in (select run from run_criterion)")
    connection.execute("delete from run_file where run not in (select number from run)")


def _drop_file(connection: sqlite3.Connection, number: int, label: str, digest: int) -> None:
    first, last = digest << INDEX_BITS, ((digest + 1) << INDEX_BITS) - 1
    for table, column in (("site", "number"), ("access", "site"), ("method", "site"), ("block", "site")):
        connection.execute(f"delete from {table} where {column} between ? and ?", (first, last))
    connection.execute(
        """
        delete from variable where (owner = ? or substr(owner, 1, length(?) + 1) = ? || ':')
        and number not in (select variable from access)""",
        (label, label, label),
    )
    for column in ("class", "base"):
        connection.execute(f"delete from base where substr({column}, 1, length(?) + 1) = ? || ':'", (label, label))
    _drop_graphs(connection, first)
    connection.execute("delete from run_file where file = ?", (number,))
    connection.execute("delete from file where number = ?", (number,))


def _drop_graphs(connection: sqlite3.Connection, base: int) -> None:
    """Delete the graphs of programs to which a file belongs, given the number of the file's first statement."""
    values = [value for (value,) in connection.execute("select value from graph")]
    stale = [(value,) for value in values if base in from_json(json.loads(value)).modules]
    connection.executemany("delete from graph where value = ?", stale)


def _drop_findings(connection: sqlite3.Connection, outdated: _Outdated) -> None:
    stale = [
        (identity,)
        for identity, value in connection.execute("select identity, value from finding")
        if any(event.file in outdated.labels for event in Finding.from_json(json.loads(value)).trace)
    ]
    connection.executemany("delete from finding where identity = ?", stale)
