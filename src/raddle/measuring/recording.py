"""Converts a measurement to a record, which holds everything that is stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from raddle.corpus import CorpusEntry
from raddle.instrument.model.survey import observed
from raddle.measuring.measurement import Measurement
from raddle.record import Record
from raddle.site import INDEX_BITS, Site, SiteTable, disambiguated
from raddle.static_model import StaticModel

CONTROLLED, NATIVE = "controlled", "native"  # modes of execution


def make_record(
    measurement: Measurement,
    table: SiteTable,
    model: StaticModel,
    *,
    origin: str,
    mode: str,
    exhausted: bool = False,
    notes: Sequence[str] = (),
    corpus: Sequence[CorpusEntry] = (),
) -> Record:
    """Return the record of a measurement; `exhausted` is true if all possible executions were run."""
    if mode == CONTROLLED:  # leave out the parts of the project that the scenario does not reach
        model = model.of_modules(measurement.modules)
    sites = disambiguated(_sites_of_files(table, measurement, model))
    return Record(
        origin=origin,
        mode=mode,
        tally=measurement.tally(),
        sites=sites,
        paths={file: table.path(file) for file in sorted({site.file for site in sites.values()})},
        model=(model + observed(measurement.observed(), measurement.inherited())).with_needed_bases(),
        facts=measurement.facts(),
        exact=frozenset(c.name for c in measurement.criteria) - measurement.incomplete if exhausted else frozenset(),
        warnings=measurement.warnings(),
        notes=tuple(notes),
        corpus=tuple(replace(entry, origin=origin) for entry in corpus),
        extras=measurement.extras(),
    )


def _sites_of_files(table: SiteTable, measurement: Measurement, model: StaticModel) -> dict[int, Site]:
    """Return all sites of the modules that the measurement or the model refers to."""
    named: set[int] = {site for site, *_ in measurement.observed()}
    for accesses in model.variables.values():
        named |= accesses.reads | accesses.writes
    for methods in model.methods.values():
        named |= set(methods.values())
    named |= model.blocks
    for keys in measurement.tally().covered.values():
        for key in keys:
            named |= set(_numbers(key))
    for warning in measurement.warnings():  # a warning may refer to a module in which only constructors ran
        named |= set(warning.sites)
    modules = {number >> INDEX_BITS for number in named}
    return {number: table[number] for number in table if number >> INDEX_BITS in modules}


def _numbers(key: Iterable[object]) -> Iterable[int]:
    for part in key:
        if isinstance(part, tuple):
            yield from _numbers(part)
        elif isinstance(part, int):
            yield part
