"""Measures access patterns on native threads, with the watch that `raddle run` uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from raddle.entities import Entities
from raddle.generation.binding import add_sites
from raddle.generation.raw_patterns import RawPattern, patterns_in
from raddle.instrument import Selection
from raddle.instrument.labels import naming_root
from raddle.native.watch import Watch
from raddle.operation import ACCESSES
from raddle.site import SiteTable
from raddle.step import Step


class PatternSink:
    """Receives the steps of one native run, and finds its raw patterns when the run ends."""

    def __init__(self) -> None:
        self.patterns: frozenset[RawPattern] = frozenset()
        self._steps: list[Step] = []
        self._entities: Entities | None = None
        self.early: frozenset[int] = frozenset()  # sites that run before a variable is shared

    @property
    def observed(self) -> tuple[tuple[Step, ...], Entities] | None:
        """The steps and entities of the run; None if nothing was recorded."""
        return None if self._entities is None else (tuple(self._steps), self._entities)

    def begin(self, entities: Entities) -> None:
        """Begin an execution."""
        self._entities = entities

    def feed(self, steps: Sequence[Step]) -> None:
        """Keep the next steps."""
        self._steps += steps

    def end(self) -> None:
        """Find the patterns."""
        if self._entities is None:
            return
        steps = [step for step in self._steps if step[1] not in ACCESSES or step[3] not in self.early]
        self.patterns = patterns_in(steps, self._entities)


def site_table(selection: Selection) -> SiteTable:
    """Return a table for the sites of the selected modules, which all repetitions in one process share.

    Modules are instrumented only once, so a later repetition meets the probes of the first one.
    """
    table = SiteTable(naming_root(selection.root))
    add_sites(table)
    return table


@contextmanager
def watching(selection: Selection, table: SiteTable, sink: PatternSink) -> Iterator[None]:
    """Record the accesses inside the `with` block."""
    watch = Watch(selection, lambda names: sink, table=table)
    watch.start()
    try:
        yield
    finally:
        sink.early = watch.names.model().early
        watch.stop()
