"""Adds contents to the tables of the data file. The result equals the sum that `Contents.__add__` defines."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from raddle.corpus import CorpusEntry
from raddle.pcfg.stored import as_json
from raddle.pruning_facts import PruningFacts
from raddle.record import finding_identity
from raddle.replay_options import DEFAULT_REPLAY_OPTIONS
from raddle.site import INDEX_BITS
from raddle.static_model import StaticModel
from raddle.store.contents import Contents
from raddle.store.reading import read_facts
from raddle.tally import Tally

# If an earlier run has covered the requirement, add up the numbers of executions.
_REQUIREMENT = """
insert into requirement values (?, ?, ?, ?) on conflict do update
set executions = executions + excluded.executions, first = min(first, excluded.first)"""
# Like `Accesses.__add__`: a row remains a guess only if it is a guess in every run.
_ACCESS = """
insert into access values ((select number from variable where owner = ? and name = ?), ?, ?, ?, ?) on conflict do
update set reads = max(reads, excluded.reads), writes = max(writes, excluded.writes),
guessed = min(guessed, excluded.guessed)"""
_SITE = """
insert or ignore into site values (?, (select number from file where label = ? and digest = ?), ?, ?, ?, ?, ?, ?)"""


DROPPED = " is dropped"  # the ending by which `drop_notes` recognizes notes about dropped data

_ENCODER = json.JSONEncoder(separators=(",", ":"), sort_keys=True)


def json_text(value: Any) -> str:
    """Return a value as JSON in canonical form: equal values have equal texts.

    >>> json_text((70000, ("log.py:Appender", "", "th"), True))
    '[70000,["log.py:Appender","","th"],true]'
    """
    return _ENCODER.encode(value)


def add_contents(connection: sqlite3.Connection, contents: Contents, *, keep_paths: bool) -> None:
    """Add the contents to the tables. The executions are renumbered to follow the stored ones.

    With `keep_paths`, the stored path of a file has priority over the path in `contents`.
    """
    (before,) = connection.execute("select coalesce(max(before + executions), 0) from run").fetchone()
    _add_files(connection, contents, keep_paths=keep_paths)
    _add_runs(connection, contents, before)
    connection.executemany(_REQUIREMENT, _requirements(contents.tally, before))
    _add_model(connection, contents.model)
    _add_facts(connection, contents.facts)
    for criterion, extra in sorted(contents.extras.items()):
        _add_extra(connection, criterion, extra)
    connection.executemany(
        "insert or ignore into caution values (?, ?, ?, ?)",
        [(c.kind, text(c.subject), json_text(c.sites), text(c.note)) for c in contents.warnings],
    )
    connection.executemany(
        "insert or ignore into finding values (?, ?)",
        [(json_text(finding_identity(finding)), json_text(finding)) for finding in contents.findings],
    )
    connection.executemany(
        "insert or ignore into schedule values (?, ?, ?, ?, ?, ?, ?)",
        [_schedule(entry, before) for entry in contents.corpus],
    )
    add_notes(connection, contents.notes)


def _schedule(entry: CorpusEntry, before: int) -> tuple[str | int, ...]:
    return (
        *schedule_identity(entry),
        before + entry.number,
        entry.newly_covered,
        text(entry.schedule),
    )


def schedule_identity(entry: CorpusEntry) -> tuple[str, str, str, str]:
    """Return the values of the columns that identify a schedule."""
    points: dict[str, Any] = {"kinds": sorted(entry.kinds), "sites": sorted(entry.sites)}
    if entry.replay_options != DEFAULT_REPLAY_OPTIONS:
        points["options"] = entry.replay_options.as_json()
    return text(entry.origin), entry.switches, json_text(entry.runs), json_text(points)


def add_notes(connection: sqlite3.Connection, notes: tuple[str, ...]) -> None:
    """Add the notes that are not stored yet."""
    connection.executemany("insert or ignore into note (text) values (?)", [(text(note),) for note in notes])


def drop_notes(connection: sqlite3.Connection) -> None:
    """Delete the notes about dropped data."""
    connection.execute("delete from note where text like ?", (f"%{DROPPED}",))


def text(given: str) -> str:
    """Escape characters that SQLite cannot store, such as the lone surrogates in file names that are not valid Unicode.

    >>> text("caf\\udce9.py")
    'caf\\\\udce9.py'
    """
    return given.encode("utf-8", "backslashreplace").decode("utf-8")


def _add_files(connection: sqlite3.Connection, contents: Contents, *, keep_paths: bool) -> None:
    path = "path" if keep_paths else "excluded.path"
    connection.executemany(
        f"insert into file (label, digest, path) values (?, ?, ?) on conflict do update set path = {path}",
        [(text(label), digest, text(contents.paths.get(label, ""))) for label, digest in sorted(contents.files)],
    )
    connection.executemany(
        _SITE,
        [
            (
                number,
                text(site.file),
                number >> INDEX_BITS,
                site.line,
                site.column,
                site.kind,
                text(site.name),
                text(site.function),
                site.switchable,
            )
            for number, site in sorted(contents.sites.items())
        ],
    )


def _add_runs(connection: sqlite3.Connection, contents: Contents, before: int) -> None:
    for run in contents.runs:
        number = connection.execute(
            "insert into run (identity, origin, mode, before, executions, added) values (?, ?, ?, ?, ?, ?)",
            (run.identity, text(run.origin), run.mode, before + run.before, run.executions, run.added),
        ).lastrowid
        connection.executemany(
            "insert into run_criterion values (?, ?, ?)",
            [(number, criterion, criterion in run.exact) for criterion in sorted(run.criteria)],
        )
        connection.executemany(
            "insert or ignore into run_file select ?, number from file where label = ? and digest = ?",
            [(number, text(label), digest) for label, digest in sorted(run.files)],
        )


def _requirements(tally: Tally, before: int) -> Iterator[tuple[str, str, int, int]]:
    for criterion, covered in tally.covered.items():
        rows = ((json_text(key), seen) for key, seen in covered.items())
        for key, seen in sorted(rows, key=itemgetter(0)):  # in the order of the table's primary key
            yield criterion, key, seen.executions, before + seen.first


def _add_model(connection: sqlite3.Connection, model: StaticModel) -> None:
    connection.executemany(
        "insert or ignore into variable (owner, name) values (?, ?)",
        [(text(owner), text(name)) for owner, name in sorted(model.variables)],
    )
    connection.executemany(
        _ACCESS,
        [
            (text(owner), text(name), site, site in at.reads, site in at.writes, site in at.guessed)
            for (owner, name), at in sorted(model.variables.items(), key=lambda item: item[0])
            for site in sorted(at.reads | at.writes | at.guessed)
        ],
    )
    connection.executemany(
        "insert or ignore into base values (?, ?)",
        [(text(cls), text(base)) for cls, bases in sorted(model.bases.items()) for base in sorted(bases)],
    )
    connection.executemany(
        "insert into method values (?, ?, ?) on conflict do update set site = max(site, excluded.site)",
        [
            (text(owner), text(name), site)
            for owner, methods in sorted(model.methods.items())
            for name, site in sorted(methods.items())
        ],
    )
    connection.executemany("insert or ignore into block values (?)", [(site,) for site in sorted(model.blocks)])
    connection.executemany(
        "insert or ignore into graph values (?)", [(json_text(as_json(graph)),) for graph in model.graphs]
    )


def _add_facts(connection: sqlite3.Connection, facts: PruningFacts) -> None:
    merged = read_facts(connection) + facts
    connection.execute("insert or replace into facts values (1, ?)", (json_text(merged.as_json()),))


def _add_extra(connection: sqlite3.Connection, criterion: str, extra: Any) -> None:
    from raddle.criteria import NAMES, criterion_class  # imported here because the import is slow

    row = connection.execute("select value from extra where criterion = ?", (criterion,)).fetchone()
    if row is not None and criterion in NAMES:
        extra = criterion_class(criterion).read_extra(json.loads(row[0])) + extra
    connection.execute("insert or replace into extra values (?, ?)", (criterion, json_text(extra.as_json())))
