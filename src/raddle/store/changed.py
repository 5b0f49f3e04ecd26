"""Sources that changed: what was measured in code that is no longer there is dropped."""

from __future__ import annotations

import json
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from raddle.finding import Finding
from raddle.instrument.rewrite import site_base
from raddle.instrument.running_source import SITE_BASE_OPTIONS
from raddle.pruning_facts import PruningFacts
from raddle.requirement import Requirement
from raddle.site import INDEX_BITS, path_from
from raddle.store.contents import Contents
from raddle.store.reading import key_of, read_facts
from raddle.store.writing import DROPPED, json_text, text


@dataclass(frozen=True, slots=True)
class _Gone:
    """Sources that are no longer there."""

    labels: frozenset[str]
    digests: frozenset[int]

    def has(self, site: int) -> bool:
        """Whether the site is in one of them."""
        return site >> INDEX_BITS in self.digests

    def named_by(self, text: str) -> bool:
        """Whether the text names one of them, or a class, a line or a function of it."""
        return text in self.labels or text.partition(":")[0] in self.labels

    def concerns(self, requirement: Requirement) -> bool:
        """Whether the requirement names anything in one of them."""
        return any(map(self.has, requirement.sites)) or any(map(self.named_by, requirement.texts))


def digests_now(label: str, path: str) -> frozenset[int]:
    """Of the source as it lies there now, in each of its forms; none where it cannot be read.

    >>> digests_now("nowhere.py", "/nowhere.py")
    frozenset()
    """
    try:
        source = Path(path).read_bytes()
        return frozenset(site_base(label, source, *form) >> INDEX_BITS for form in SITE_BASE_OPTIONS)
    except (OSError, ValueError, SyntaxError):  # not there, not text, of no encoding that Python knows
        return frozenset()


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Do both paths lead to one file?"""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def drop_changed(connection: sqlite3.Connection, contents: Contents) -> tuple[str, ...]:
    """Drop what is stored about files of which the contents have another source; the notes that say so.

    Two files may have one label, as installed ones outside the project: both stay. But if the data file's folder has
    one of them and not the other, that is the same file in a copy of the project: it has changed. A file in another
    form than before, or under another label, goes too: one place with two numbers would be counted twice.
    """
    folder = os.path.dirname(connection.execute("pragma database_list").fetchone()[2])
    coming: dict[str, set[int]] = {}
    for label, digest in contents.files:
        if digest:
            coming.setdefault(text(label), set()).add(digest)
    paths = {text(label): text(path) for label, path in contents.paths.items()}
    gone, notes = [], set()
    for number, label, digest, path in connection.execute("select number, label, digest, path from file where digest"):
        if digest in coming.get(label, ()):
            continue
        renamed = next((new for new in coming if new != label and path and paths.get(new) == path), None)
        if renamed is not None:
            gone.append((number, label, digest))
            notes.add(f"{label} is called {renamed} now: what was measured under the former name{DROPPED}")
            continue
        if label not in coming:
            continue
        is_there = digest in digests_now(label, path)
        now = paths.get(label, "")
        is_same = same_file(path, now)
        if is_there and not is_same and not (path_from(folder, now) and not path_from(folder, path)):
            continue
        gone.append((number, label, digest))
        how = "is instrumented in another form (by pytest)" if is_there and is_same else "was changed"
        notes.add(f"{label} {how}: what was measured in it before{DROPPED}")
    if gone:
        _drop(connection, gone, contents)
    return tuple(sorted(notes))


def _drop(connection: sqlite3.Connection, gone: list[tuple[int, str, int]], contents: Contents) -> None:
    sources = _Gone(frozenset(label for _, label, _ in gone), frozenset(digest for *_, digest in gone))
    _drop_requirements(connection, sources)
    _drop_facts(connection, sources)
    _doubt_runs(connection, [number for number, _, _ in gone], contents)
    for number, label, digest in gone:
        _drop_file(connection, number, label, digest)
    _drop_findings(connection, sources)
    connection.execute("delete from extra")  # they are about all files at once, and come again with the next runs


def _drop_requirements(connection: sqlite3.Connection, gone: _Gone) -> None:
    from raddle.criteria import shape_of  # takes long to import

    stale = [
        (criterion, key)
        for criterion, key in connection.execute("select criterion, key from requirement")
        if gone.concerns(Requirement(shape_of(criterion), key_of(key)))
    ]
    connection.executemany("delete from requirement where criterion = ? and key = ?", stale)
    doubtful = [
        row
        for row in connection.execute("select kind, subject, sites, note from caution")
        if any(map(gone.has, json.loads(row[2])))
    ]
    connection.executemany("delete from caution where kind = ? and subject = ? and sites = ? and note = ?", doubtful)


def _drop_facts(connection: sqlite3.Connection, gone: _Gone) -> None:
    """Drop all facts of an owner if any of them is about a source that is gone, because they depend on each other."""
    kept = {
        owner: facts
        for owner, facts in read_facts(connection).owners.items()
        if not gone.named_by(owner) and not any(gone.has(site) for _, site in facts.accesses)
    }
    connection.execute("update facts set value = ?", (json_text(PruningFacts(kept).as_json()),))


def _doubt_runs(connection: sqlite3.Connection, files: list[int], contents: Contents) -> None:
    """What a run of the former code exhausted says nothing about this code.

    Where the same is run again now, by the same criteria, the former run leaves nothing open that the new one
    does not. A run of which nothing is left is forgotten.
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
    connection.execute("delete from run_file where file = ?", (number,))
    connection.execute("delete from file where number = ?", (number,))


def _drop_findings(connection: sqlite3.Connection, gone: _Gone) -> None:
    stale = [
        (identity,)
        for identity, value in connection.execute("select identity, value from finding")
        if any(event.file in gone.labels for event in Finding.from_json(json.loads(value)).trace)
    ]
    connection.executemany("delete from finding where identity = ?", stale)
