"""Prepares an access: passes its scheduling point, and records which thread touches which variable."""

from __future__ import annotations

from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.points import Points
from raddle.engine.variables import Variable
from raddle.operation import CONTENT, CREATED, READ, Kind
from raddle.threads.data_model.creation_rules import CreationRules
from raddle.threads.data_model.variables import container_base, is_in_python
from raddle.threads.patches import NAMES
from raddle.threads.probes.variables import Variables


class Accesses:
    """State that all probes of one engine share. The engine changes the collections in place.

    `policy` decides whether a site is a scheduling point. If it is None, the sites in `points` are scheduling points.

    Frequent calls are written as method calls, because CPython specializes those, but not calls to callables stored in
    slots.
    """

    __slots__ = (
        "_allow_gil_switch", "cold", "creation_rules", "engine", "hot", "measuring", "observing", "points", "policy",
        "reached_sites", "report", "sampling", "tracker", "variables",
    )  # fmt: skip

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.variables = Variables(engine.variables)
        self.tracker = engine.tracker
        self.points = engine.points.sites
        self.policy: Points | None = engine.points if engine.points.follows_sites else None
        self.sampling = engine.sampling
        self.cold, self.hot = engine.sampling.cold, engine.sampling.hot
        self.reached_sites = engine.sampling.reached_sites
        self.observing = bool(engine.observers.accessed)
        self.measuring = engine.measuring
        self.creation_rules = CreationRules()
        self.report = engine.accessed
        self._allow_gil_switch = engine.allow_gil_switch

    def step(self, me: Carrier, variable: Variable, kind: Kind, site: int) -> None:
        """Pass the scheduling point of an access, if it has one, and track the access."""
        policy = self.policy
        if policy is not None and variable.name == CONTENT and _calls_python(type(variable.owner)):
            self._allow_gil_switch(me, site)  # CPython can switch threads inside the container's Python methods
        if site in self.points if policy is None else policy.arrive(me, site):
            me.kind = kind
            me.target = variable.owner
            me.name = variable.name
            me.site = site
            self.engine.reach(me)
        if self.sampling.tracking:
            access = (me.index, me.segment, site)
            if access not in variable.accesses:
                self.tracker.track(me, variable, access, kind is not READ)

    def arrive(self, me: Carrier, container: Any, kind: Kind, site: int) -> None:
        """Pass the scheduling point before an access to a container's content, without tracking the access."""
        me.kind = kind
        me.target = container
        me.name = CONTENT
        me.site = site
        self.engine.reach(me)

    def note_nested_read(self, me: Carrier, variable: Variable, site: int) -> None:
        """Track a read that is part of another access's step at the same site."""
        access = (me.index, me.segment, ~site)  # the inverted site distinguishes this read from the site's own access
        if access not in variable.accesses:
            self.tracker.track(me, variable, access, False)

    def report_created(self, me: Carrier, obj: Any, site: int) -> None:
        """Notify criteria that code without probes created an object here. Call this only if `measuring` is true."""
        if self.creation_rules.has_creation_site(obj):
            self.engine.noted(me, CREATED, obj)
            if self.sampling.wanted is not None:
                self.sampling.wanted.add(site)

    def replace_real(self, real: Any, site: int) -> Any:
        """Return the twin of a function, such as a clock, that the program stored before the twins were installed."""
        self.reached_sites[site] = None
        return NAMES[real]


def _calls_python(cls: type) -> bool:
    base = container_base(cls)
    return base is not None and is_in_python(base)
