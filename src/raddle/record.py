"""A record: everything that one run adds to the data file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from raddle.caution import Caution
from raddle.corpus import Kept
from raddle.facts import Facts
from raddle.model import Model
from raddle.site import Site
from raddle.tally import Tally


@dataclass(frozen=True, slots=True)
class Measures:
    """What was measured, and what is needed to say it to people long after."""

    tally: Tally = field(default_factory=Tally)
    sites: Mapping[int, Site] = field(default_factory=dict)  # all that the tally and the model name
    paths: Mapping[str, str] = field(default_factory=dict)  # file, as sites name it -> where it lies on this machine
    model: Model = field(default_factory=Model)
    facts: Facts = field(default_factory=Facts)
    cautions: tuple[Caution, ...] = ()
    findings: tuple[dict[str, Any], ...] = ()  # as `Finding.as_json` gives them
    notes: tuple[str, ...] = ()
    corpus: tuple[Kept, ...] = ()  # executions that covered something new
    extras: Mapping[str, Any] = field(default_factory=dict)  # criterion -> what its total is made from

    def shared(self) -> dict[str, Any]:
        """All of that by name, for another that has it in common.

        >>> Measures(notes=("hello",)).shared()["notes"]
        ('hello',)
        """
        return {part.name: getattr(self, part.name) for part in fields(Measures)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Measures):
    """What one run adds. `number >> 16` of its sites is a digest of the file's source."""

    origin: str  # "explore log.py::scenario", "run app.py"
    mode: str  # "controlled" or "native"
    exact: frozenset[str] = frozenset()  # criteria of which every requirement that can be covered was covered
