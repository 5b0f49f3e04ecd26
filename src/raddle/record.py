"""A record: everything that one run adds to the data file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from raddle.caution import Caution
from raddle.facts import Facts
from raddle.model import Model
from raddle.site import Site
from raddle.tally import Tally


@dataclass(frozen=True, slots=True)
class Record:
    """What was measured, and what is needed to say it to people long after the run."""

    origin: str  # "explore log.py::scenario", "run app.py"
    mode: str  # "controlled" or "native"
    tally: Tally
    sites: Mapping[int, Site]  # all that the tally and the model name; `number >> 16` is a digest of the file's source
    paths: Mapping[str, str]  # file, as sites name it -> where it lies on this machine
    model: Model = field(default_factory=Model)
    facts: Facts = field(default_factory=Facts)
    exact: frozenset[str] = frozenset()  # criteria of which every requirement that can be covered was covered
    cautions: tuple[Caution, ...] = ()
    findings: tuple[dict[str, Any], ...] = ()  # as `Finding.as_json` gives them
    notes: tuple[str, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)  # criterion -> what `Criterion.extra` gave
