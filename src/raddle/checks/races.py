"""Data races: pairs of conflicting accesses that are not ordered by happens-before.

Every racing pair of sites is found, not only the first pair for each variable as in FastTrack (Flanagan and Freund,
2009). For each variable, it is enough to keep the time of each thread's last access at each site: if an earlier access
at the site is not ordered before a new access, neither is the last one. Two rules make most accesses cheap to check. If
a thread repeats an access within the same epoch, before it releases anything, the repetition adds no new race. While
the writes to a variable form a happens-before chain, an access that happens after the last write happens after all
writes (`_History.chained`).

Only the order in the observed execution counts. Two critical sections of the same lock are ordered by that lock,
although they could also have run in the opposite order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from raddle.analysis.happens_before import ORDERING, HappensBefore, ThreadClock
from raddle.entities import Entities
from raddle.operation import END, WRITE
from raddle.step import Step
from raddle.warning import DATA_RACE, ReportedWarning

READ, WRITTEN = "read", "written"

# A site and the kind of access there: the site number for a read, its bitwise complement (negative) for a write.
SignedSite = int


class Races:
    """Finds data races in all executions that it observes.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> races = Races()
    >>> races.begin(make_entities(variables=[AbstractVariable("m.py:C", "", "n")]))
    >>> races.feed([(0, "start", 1, 70001), (0, "read", 0, 70002), (1, "write", 0, 70003)])
    >>> races.warnings()
    [ReportedWarning(kind='data-race', subject='C.n', sites=(70002, 70003), note='read, written')]
    """

    gave_up = False

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, int], set[tuple[bool, bool]]] = {}
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        """Prepare for the steps of a new execution."""
        self._entities = entities
        self._order = HappensBefore()
        self._histories: dict[int, _History] = {}  # by variable number
        # Maps each thread to the accesses in its current epoch.
        self._epoch_accesses: dict[int, set[Step]] = defaultdict(set)

    def feed(self, steps: Iterable[Step]) -> None:
        """Process the next steps of the execution, in order."""
        order, histories, epoch_accesses = self._order, self._histories, self._epoch_accesses
        thread_clocks = order.thread_clocks
        for step in steps:
            thread, kind, target, site = step
            if kind == "read" or kind == WRITE:
                accesses = epoch_accesses[thread]
                if step in accesses:
                    continue
                accesses.add(step)
                thread_clock = thread_clocks.get(thread) or order.thread_clock(thread)
                history = histories.get(target)
                signed_site = site if kind == "read" else ~site
                if history is None:
                    histories[target] = _History(thread_clock, signed_site)
                elif history.owner == thread_clock.slot:
                    history.times[thread_clock.slot][signed_site] = thread_clock.time
                else:
                    for other in history.access(thread_clock, signed_site):
                        self._report(target, signed_site, other)
            elif kind in ORDERING:
                thread_clock = thread_clocks.get(thread) or order.thread_clock(thread)
                time = thread_clock.time
                order.step(thread, kind, target)
                if kind == END:
                    epoch_accesses.pop(thread, None)
                elif thread_clock.time != time:
                    epoch_accesses[thread].clear()

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Drop the state of variables and resources that no later step touches."""
        for variable in variables:
            self._histories.pop(variable, None)
        for thread, accesses in self._epoch_accesses.items():
            self._epoch_accesses[thread] = {step for step in accesses if step[2] not in variables}
        self._order.forget(resources)

    def warnings(self) -> list[ReportedWarning]:
        """Return the races found so far; each pair of sites is listed once per variable."""
        return [
            ReportedWarning(DATA_RACE, subject, (low, high), ", ".join(_verbs(self._found[subject, low, high])))
            for subject, low, high in sorted(self._found)
        ]

    def _report(self, variable: int, signed_site: SignedSite, other: SignedSite) -> None:
        subject = self._entities.variables[variable].declared
        (low, low_writes), (high, high_writes) = sorted((max(p, ~p), p < 0) for p in (signed_site, other))
        self._found.setdefault((subject, low, high), set()).add((low_writes, high_writes))


def _verbs(found: set[tuple[bool, bool]]) -> list[str]:
    """Return the kind of access at each of the two sites; a site that both reads and writes counts as a write."""
    return [WRITTEN if any(pair[side] for pair in found) else READ for side in (0, 1)]


class _History:
    """The accesses to one variable with which a later access can race.

    Until a second thread accesses the variable, only the times of the accesses are kept.
    """

    __slots__ = ("chained", "last", "owner", "racing_sites", "reads", "recent", "signed_sites", "times", "writes")

    writes: dict[int, int]  # maps each slot to the time of its last write at any site
    reads: dict[int, int]  # maps each slot to the time of its last read at any site
    chained: bool  # True if `last` happens after all other writes, and after all reads not in `recent`
    last: tuple[int, int]  # slot and time of the last write of the chain
    recent: dict[int, int]  # maps each slot to the time of its last read since `last`
    signed_sites: set[SignedSite]
    racing_sites: dict[SignedSite, set[SignedSite]]  # maps each access to those already reported as racing with it

    def __init__(self, thread_clock: ThreadClock, signed_site: SignedSite) -> None:
        self.owner = thread_clock.slot  # slot of the only thread so far; -1 once there are two
        self.times: dict[int, dict[SignedSite, int]] = {thread_clock.slot: {signed_site: thread_clock.time}}

    def access(self, thread_clock: ThreadClock, signed_site: SignedSite) -> list[SignedSite]:
        """Record an access, and return the racing accesses that have not been returned before."""
        if self.owner >= 0:
            self._share()
        slot, time = thread_clock.slot, thread_clock.time
        self.times.setdefault(slot, {})[signed_site] = time
        self.signed_sites.add(signed_site)
        if signed_site >= 0:
            self.reads[slot] = time
            races = [] if self.chained and thread_clock.knows(*self.last) else self._races(thread_clock, signed_site)
            if self.chained:
                self.recent[slot] = time
            return races
        if self.chained and thread_clock.knows(*self.last) and _knows_all(thread_clock, self.recent):
            races = []
        else:
            self.chained = _knows_all(thread_clock, self.writes) and _knows_all(thread_clock, self.reads)
            races = [] if self.chained else self._races(thread_clock, signed_site)
        if self.chained:
            self.last = (slot, time)
            self.recent.clear()
        self.writes[slot] = time
        return races

    def _share(self) -> None:
        """Set the fields that are needed once a second thread accesses the variable."""
        (signed_sites,) = self.times.values()
        owner, self.owner = self.owner, -1
        written = max((time for signed_site, time in signed_sites.items() if signed_site < 0), default=0)
        read = max((time for signed_site, time in signed_sites.items() if signed_site >= 0), default=0)
        self.writes = {owner: written} if written else {}
        self.reads = {owner: read} if read else {}
        self.chained = True
        self.last = (owner, written)
        self.recent = dict(self.reads)
        self.signed_sites = set(signed_sites)
        self.racing_sites = {}

    def _races(self, thread_clock: ThreadClock, signed_site: SignedSite) -> list[SignedSite]:
        reported = self.racing_sites.setdefault(signed_site, set())
        candidates = {other for other in self.signed_sites if (other < 0 or signed_site < 0) and other not in reported}
        if not candidates:
            return []
        found = set()
        for slot, times in self.times.items():
            until = thread_clock.clock.get(slot, 0)
            if slot != thread_clock.slot:
                found |= {other for other, time in times.items() if time > until and other in candidates}
        for other in found:
            reported.add(other)
            self.racing_sites.setdefault(other, set()).add(signed_site)
        return sorted(found)


def _knows_all(thread_clock: ThreadClock, times: dict[int, int]) -> bool:
    clock, own = thread_clock.clock, thread_clock.slot
    return all(clock.get(slot, 0) >= time or slot == own for slot, time in times.items())
