"""What comes before an access: its scheduling point, and the note of who touched what."""

from __future__ import annotations

from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.points import Points
from raddle.engine.variables import Variable
from raddle.operation import CONTENT, CREATED, READ, Kind
from raddle.threads.data_model.making import CreationRules
from raddle.threads.data_model.variables import container_base, is_in_python
from raddle.threads.patches import NAMES
from raddle.threads.probes.variables import Variables


class Accesses:
    """What all probes of one engine share. Collections are changed in place by the engine.

    `policy` decides at each site whether it is a scheduling point; None: the sites in `points` are.

    What is called often is called as a method of its object: Python specializes such calls, but not those of callables
    that are kept in a slot.
    """

    __slots__ = (
        "_allow_gil_switch", "cold", "engine", "hot", "makers", "measuring", "observing", "points", "policy", "quiet",
        "sampling", "tell", "tracker", "variables",
    )  # fmt: skip

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.variables = Variables(engine.variables)
        self.tracker = engine.tracker
        self.points = engine.points.sites
        self.policy: Points | None = engine.points if engine.points.follows_sites else None
        self.sampling = engine.sampling
        self.cold, self.hot, self.quiet = engine.sampling.cold, engine.sampling.hot, engine.sampling.quiet
        self.observing = bool(engine.observers.accessed)
        self.measuring = engine.measuring
        self.makers = CreationRules()
        self.tell = engine.accessed
        self._allow_gil_switch = engine.allow_gil_switch

    def step(self, me: Carrier, variable: Variable, kind: Kind, site: int) -> None:
        """Do everything that comes before an access."""
        policy = self.policy
        if policy is not None and variable.name == CONTENT and _calls_python(type(variable.owner)):
            self._allow_gil_switch(me, site)  # in the calls of its methods
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
        """Pass the scheduling point before an access to a container's content, in an execution without tracking."""
        me.kind = kind
        me.target = container
        me.name = CONTENT
        me.site = site
        self.engine.reach(me)

    def note_inside(self, me: Carrier, variable: Variable, site: int) -> None:
        """Note that something at a site reads a variable, too. Its step is that of another access."""
        access = (me.index, me.segment, ~site)  # not to be taken for what the site itself does to the variable
        if access not in variable.accesses:
            self.tracker.track(me, variable, access, False)

    def made(self, me: Carrier, obj: Any, site: int) -> None:
        """Inform criteria that code without probes has made an object at this site (only if `measuring`)."""
        if self.makers.has_creation_site(obj):
            self.engine.noted(me, CREATED, obj)
            if self.sampling.wanted is not None:
                self.sampling.wanted.add(site)

    def instead_of(self, real: Any, site: int) -> Any:
        """Return the twin of something that the program kept before the twins were in place: a clock, say."""
        self.quiet[site] = None
        return NAMES[real]


def _calls_python(cls: type) -> bool:
    base = container_base(cls)
    return base is not None and is_in_python(base)
