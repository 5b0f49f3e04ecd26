"""Reads contents from the tables of the data file."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from typing import Any

from raddle.corpus import CorpusEntry
from raddle.pcfg.graph import Pcfg
from raddle.pcfg.stored import from_json
from raddle.pruning_facts import PruningFacts
from raddle.replay_options import ReplayOptions
from raddle.site import Site, disambiguated
from raddle.static_model import Accesses, StaticModel
from raddle.store.connection import has_bases, has_graphs
from raddle.store.contents import Contents, Run
from raddle.tally import Covered, Key, Tally
from raddle.warning import ReportedWarning, deduplicated


def read_contents(connection: sqlite3.Connection) -> Contents:
    """Return the contents of all tables."""
    runs = _runs(connection)
    return Contents(
        runs=runs,
        tally=_tally(connection, runs),
        sites=_sites(connection),
        paths=dict(connection.execute("select label, path from file where path != '' order by number")),
        model=_model(connection),
        facts=read_facts(connection),
        warnings=_warnings(connection),
        findings=tuple(json.loads(value) for (value,) in connection.execute("select value from finding")),
        notes=tuple(note for (note,) in connection.execute("select text from note order by number")),
        corpus=_corpus(connection),
        extras=_extras(connection),
    )


def _corpus(connection: sqlite3.Connection) -> tuple[CorpusEntry, ...]:
    rows = "select origin, execution, brought, decisions, points, switches, text from schedule order by execution"
    found = []
    for origin, number, newly_covered, decisions, points, switches, schedule in connection.execute(rows):
        there = json.loads(points)
        sites, kinds = frozenset(there["sites"]), frozenset(there["kinds"])
        runs, replay_options = _tuples(json.loads(decisions)), ReplayOptions.from_json(there.get("options"))
        found.append(CorpusEntry(origin, number, newly_covered, runs, sites, kinds, switches, schedule, replay_options))
    return tuple(found)


def key_of(text: str) -> Key:
    """Parse the JSON text of a requirement's key.

    >>> key_of('[70000,["log.py:Appender","","th"],true]')
    (70000, ('log.py:Appender', '', 'th'), True)
    """
    key = _tuples(json.loads(text))
    if not isinstance(key, tuple):
        raise ValueError(f"{text!r} is not the key of a requirement")
    return key


def _tuples(value: Any) -> Any:
    return tuple([_tuples(part) for part in value]) if isinstance(value, list) else value


def _runs(connection: sqlite3.Connection) -> tuple[Run, ...]:
    criteria: dict[int, set[str]] = defaultdict(set)
    exact: dict[int, set[str]] = defaultdict(set)
    is_old = not has_bases(connection)
    for number, criterion, is_exact in connection.execute("select run, criterion, exact from run_criterion"):
        criteria[number].add(criterion)
        if is_exact and not (is_old and criterion == "map"):  # as `raddle.store.connection` does when writing
            exact[number].add(criterion)
    files: dict[int, set[tuple[str, int]]] = defaultdict(set)
    of_runs = "select run, label, digest from run_file join file on file.number = run_file.file"
    for number, label, digest in connection.execute(of_runs):
        files[number].add((label, digest))
    rows = "select number, identity, origin, mode, executions, before, added from run order by number"
    return tuple(
        Run(
            identity,
            origin,
            mode,
            executions,
            before,
            added,
            criteria=frozenset(criteria[number]),
            exact=frozenset(exact[number]),
            files=frozenset(files[number]),
        )
        for number, identity, origin, mode, executions, before, added in connection.execute(rows)
    )


def _tally(connection: sqlite3.Connection, runs: tuple[Run, ...]) -> Tally:
    names = sorted({name for run in runs for name in run.criteria})
    covered: dict[str, dict[Key, Covered]] = {name: {} for name in names}
    rows = "select criterion, key, executions, first from requirement order by criterion, key"
    for criterion, key, executions, first in connection.execute(rows):
        covered.setdefault(criterion, {})[key_of(key)] = Covered(executions, first)
    last = max((run.before + run.executions for run in runs), default=0)
    return Tally() + Tally(last, covered)  # the addition also computes how coverage grew over time


def _sites(connection: sqlite3.Connection) -> dict[int, Site]:
    rows = """
    select site.number, label, line, "column", kind, name, function, switchable
    from site join file on file.number = site.file order by site.number"""
    return disambiguated(
        {
            number: Site(file, line, column, kind, name, function, bool(switchable))
            for number, file, line, column, kind, name, function, switchable in connection.execute(rows)
        }
    )


def _model(connection: sqlite3.Connection) -> StaticModel:
    sites: dict[tuple[str, str], tuple[set[int], set[int], set[int]]] = {
        (owner, name): (set(), set(), set())
        for owner, name in connection.execute("select owner, name from variable order by owner, name")
    }
    rows = """
    select owner, name, site, reads, writes, guessed from access join variable on variable.number = access.variable"""
    for owner, name, site, *flags in connection.execute(rows):
        for some, flag in zip(sites[owner, name], flags, strict=True):
            if flag:
                some.add(site)
    methods: dict[str, dict[str, int]] = {}
    for owner, name, site in connection.execute("select class, name, site from method order by class, name"):
        methods.setdefault(owner, {})[name] = site
    bases: dict[str, set[str]] = defaultdict(set)
    if has_bases(connection):
        for cls, base in connection.execute("select class, base from base order by class, base"):
            bases[cls].add(base)
    graphs: tuple[Pcfg, ...] = ()
    if has_graphs(connection):
        rows = "select value from graph order by value"
        graphs = tuple(from_json(json.loads(value)) for (value,) in connection.execute(rows))
    # Adding drops guesses about sites whose variable is known.
    return StaticModel() + StaticModel(
        variables={name: Accesses(*map(frozenset, some)) for name, some in sites.items()},
        methods=methods,
        blocks=frozenset(site for (site,) in connection.execute("select site from block")),
        bases={cls: frozenset(some) for cls, some in bases.items()},
        graphs=graphs,
    )


def _extras(connection: sqlite3.Connection) -> dict[str, Any]:
    from raddle.criteria import NAMES, criterion_class  # imported here because the import is slow

    rows = connection.execute("select criterion, value from extra")
    return {name: criterion_class(name).read_extra(json.loads(value)) for name, value in rows if name in NAMES}


def read_facts(connection: sqlite3.Connection) -> PruningFacts:
    """Return the stored pruning facts; empty facts if there are none."""
    row = connection.execute("select value from facts").fetchone()
    return PruningFacts.from_json(json.loads(row[0])) if row is not None else PruningFacts()


def _warnings(connection: sqlite3.Connection) -> tuple[ReportedWarning, ...]:
    rows = connection.execute("select kind, subject, sites, note from caution")
    return deduplicated(
        ReportedWarning(kind, subject, tuple(json.loads(sites)), note) for kind, subject, sites, note in rows
    )
