"""Access tracking: records the accesses of executions to find the sites that need a scheduling point."""

from __future__ import annotations

from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.points import KnownPoints, Sampling
from raddle.engine.variables import BY_A_TWIN, Variable, VariableTable
from raddle.operation import READ

# Kinds in `KnownPoints.kinds`.
INSIDE = "inside"  # an operation reads data inside an argument, in addition to its recorded access
CONTENTS = "contents"  # instrumented code accesses the content of a twin directly, as `len(q.queue)` does


class AccessTracker:
    """Records which participants access which variables, and turns the sites of conflicts into scheduling points."""

    __slots__ = ("_known_points", "_sampling", "_variables")

    def __init__(self, known_points: KnownPoints, sampling: Sampling, variables: VariableTable) -> None:
        self._known_points = known_points
        self._sampling = sampling
        self._variables = variables

    def track(self, me: Carrier, variable: Variable, access: tuple[int, int, int], writes: bool) -> None:
        """Record an access (participant, segment, site) that is new in this execution, and find its conflicts."""
        site = access[2]
        if site != BY_A_TWIN:
            self._sampling.reached_sites.setdefault(site, type(variable.owner))
        if (
            variable.sole_user == access[0] and variable.inherited is None
        ):  # no other participant has touched the variable
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
        if variable.conflicted and READ in self._known_points.kinds:
            self._make_points_of_reads(variable)

    def _make_points_of_reads(self, variable: Variable) -> None:
        """Turn the sites of all accesses to a variable into scheduling points, even without a conflict.

        Criteria that distinguish the order of reads need this.
        """
        for index, segment, site in variable.accesses:
            if (index or segment) and site >= 0:  # in its first segment, the first participant is alone
                self._make_point(site)

    def _make_point(self, site: int) -> None:
        known_points = self._known_points
        if site == BY_A_TWIN:
            known_points.add_kind(CONTENTS)
        elif site not in known_points.sites:
            known_points.add_site(site if site >= 0 else ~site)
            if site < 0:  # a read of data inside an argument
                known_points.add_kind(INSIDE)
                known_points.add_kind(f"{INSIDE} {~site}")

    def track_twin_access(self, me: Carrier, owner: Any, name: str, *, writes: bool = True) -> None:
        """Record that a twin accesses data that instrumented code can also access directly, as in `len(q.queue)`."""
        if self._sampling.tracking:
            access = (me.index, me.segment, BY_A_TWIN)
            variable = self._variables.variable(owner, name)
            if access not in variable.accesses or (writes and not variable.accesses[access]):
                self.track(me, variable, access, writes)
