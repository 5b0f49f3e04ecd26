"""Tracking: learns from accesses which sites need a scheduling point."""

from __future__ import annotations

from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.points import KnownPoints, Sampling
from raddle.engine.variables import BY_A_TWIN, Variable, VariableTable
from raddle.operation import READ

INSIDE = "inside"  # an operation looks into an argument, which its access does not say
CONTENTS = "contents"  # what a twin keeps is looked at without asking the twin


class AccessTracker:
    """Notes which participants touch which variables where, and makes sites of conflicting accesses points."""

    __slots__ = ("_learned", "_sampling", "_variables")

    def __init__(self, known_points: KnownPoints, sampling: Sampling, variables: VariableTable) -> None:
        self._learned = known_points
        self._sampling = sampling
        self._variables = variables

    def track(self, me: Carrier, variable: Variable, access: tuple[int, int, int], writes: bool) -> None:
        """Learn from an access (participant, segment, site) that was not seen before in this execution."""
        site = access[2]
        if site != BY_A_TWIN:
            self._sampling.quiet.setdefault(site, type(variable.owner))
        if variable.sole_user == access[0] and variable.inherited is None:  # no other participant has touched it
            variable.accesses[access] = writes
            return
        others = variable.conflicts(access, me.clock, writes=writes)
        if variable.inherited is not None and not writes:
            others += variable.inherited.conflicts(access, me.clock, writes=False)
        if site == BY_A_TWIN:
            others = [other for other in others if other != BY_A_TWIN]  # twins order their own accesses
        if others:
            variable.conflicted = True
            for conflicting in (site, *others):
                self._make_point(conflicting)
        if variable.conflicted and READ in self._learned.kinds:
            self._make_points_of_reads(variable)

    def _make_points_of_reads(self, variable: Variable) -> None:
        """Make every access to a variable a point, also those that conflict with none, for criteria that order them."""
        for index, segment, site in variable.accesses:
            if (index or segment) and site >= 0:  # before the first participant started another one, it was alone
                self._make_point(site)

    def _make_point(self, site: int) -> None:
        known_points = self._learned
        if site == BY_A_TWIN:
            known_points.kind(CONTENTS)
        elif site not in known_points.sites:
            known_points.site(site if site >= 0 else ~site)
            if site < 0:  # an argument that is looked into
                known_points.kind(INSIDE)
                known_points.kind(f"{INSIDE} {~site}")

    def track_twin_access(self, me: Carrier, owner: Any, name: str, *, writes: bool = True) -> None:
        """Note that a twin changed, or looked at, what code with probes can reach by itself: `len(q.queue)`."""
        if self._sampling.tracking:
            access = (me.index, me.segment, BY_A_TWIN)
            variable = self._variables.variable(owner, name)
            if access not in variable.accesses or (writes and not variable.accesses[access]):
                self.track(me, variable, access, writes)
