"""Data races: pairs of conflicting accesses that nothing orders, by happens-before.

Every pair of sites is found, not only the first of a variable as in FastTrack (Flanagan and Freund, 2009). For that
it is enough to keep, for each variable, the last time that each thread was at each site: if an earlier time is
unordered with an access, so is the last. Two rules keep most accesses cheap. What a thread does again before it
has given anything to anybody (in the same epoch) brings nothing new. And while the writes of a variable form a
chain, knowing the last of them is knowing all (`_History.chained`).

Only the order of the execution that was seen counts: two critical sections of one lock are ordered by it, although
they could have come the other way round.
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

# A place is a site and what is done there: the site's number if it reads, its complement (a negative number)
# if it writes.
Place = int


class Races:
    """Watches executions, and remembers what it found in all of them.

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
        """An execution begins."""
        self._cast = entities
        self._order = HappensBefore()
        self._histories: dict[int, _History] = {}  # by variable
        self._done: dict[int, set[Step]] = defaultdict(set)  # by thread: its accesses in its epoch

    def feed(self, steps: Iterable[Step]) -> None:
        """These steps happened, in this order."""
        order, histories, done = self._order, self._histories, self._done
        thread_clocks = order.thread_clocks
        for step in steps:
            thread, kind, target, site = step
            if kind == "read" or kind == WRITE:
                again = done[thread]
                if step in again:
                    continue
                again.add(step)
                thread_clock = thread_clocks.get(thread) or order.thread_clock(thread)
                history = histories.get(target)
                place = site if kind == "read" else ~site
                if history is None:
                    histories[target] = _History(thread_clock, place)
                elif history.owner == thread_clock.slot:
                    history.times[thread_clock.slot][place] = thread_clock.time
                else:
                    for other in history.access(thread_clock, place):
                        self._report(target, place, other)
            elif kind in ORDERING:
                thread_clock = thread_clocks.get(thread) or order.thread_clock(thread)
                time = thread_clock.time
                order.step(thread, kind, target)
                if kind == END:
                    done.pop(thread, None)
                elif thread_clock.time != time:
                    done[thread].clear()

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """There will be no more steps about these."""
        for variable in variables:
            self._histories.pop(variable, None)
        for thread, again in self._done.items():
            self._done[thread] = {step for step in again if step[2] not in variables}
        self._order.forget(resources)

    def warnings(self) -> list[ReportedWarning]:
        """All races of all executions so far, each pair of sites once for each variable."""
        return [
            ReportedWarning(DATA_RACE, subject, (low, high), ", ".join(_verbs(self._found[subject, low, high])))
            for subject, low, high in sorted(self._found)
        ]

    def _report(self, variable: int, place: Place, other: Place) -> None:
        subject = self._cast.variables[variable].declared
        (low, low_writes), (high, high_writes) = sorted((max(p, ~p), p < 0) for p in (place, other))
        self._found.setdefault((subject, low, high), set()).add((low_writes, high_writes))


def _verbs(found: set[tuple[bool, bool]]) -> list[str]:
    """What is done at each of the two sites; a site that can do both is said to write."""
    return [WRITTEN if any(pair[side] for pair in found) else READ for side in (0, 1)]


class _History:
    """The accesses to one variable that a later one can race with.

    Until a second thread comes, only their times are kept.
    """

    __slots__ = ("chained", "last", "owner", "partners", "places", "reads", "recent", "times", "writes")

    writes: dict[int, int]  # by slot: when it wrote last, anywhere
    reads: dict[int, int]
    chained: bool  # are the writes a chain: does `last` know all others, and all reads but those in `recent`?
    last: tuple[int, int]
    recent: dict[int, int]
    places: set[Place]
    partners: dict[Place, set[Place]]  # by place: those that it is known to race with

    def __init__(self, thread_clock: ThreadClock, place: Place) -> None:
        self.owner = thread_clock.slot  # -1 once there are two
        self.times: dict[int, dict[Place, int]] = {thread_clock.slot: {place: thread_clock.time}}

    def access(self, thread_clock: ThreadClock, place: Place) -> list[Place]:
        """A thread was there; the places that it races with, as far as they were not named before."""
        if self.owner >= 0:
            self._share()
        slot, time = thread_clock.slot, thread_clock.time
        self.times.setdefault(slot, {})[place] = time
        self.places.add(place)
        if place >= 0:
            self.reads[slot] = time
            races = [] if self.chained and thread_clock.knows(*self.last) else self._races(thread_clock, place)
            if self.chained:
                self.recent[slot] = time
            return races
        if self.chained and thread_clock.knows(*self.last) and _knows_all(thread_clock, self.recent):
            races = []
        else:
            self.chained = _knows_all(thread_clock, self.writes) and _knows_all(thread_clock, self.reads)
            races = [] if self.chained else self._races(thread_clock, place)
        if self.chained:
            self.last = (slot, time)
            self.recent.clear()
        self.writes[slot] = time
        return races

    def _share(self) -> None:
        """A second thread comes."""
        (places,) = self.times.values()
        owner, self.owner = self.owner, -1
        written = max((time for place, time in places.items() if place < 0), default=0)
        read = max((time for place, time in places.items() if place >= 0), default=0)
        self.writes = {owner: written} if written else {}
        self.reads = {owner: read} if read else {}
        self.chained = True
        self.last = (owner, written)
        self.recent = dict(self.reads)
        self.places = set(places)
        self.partners = {}

    def _races(self, thread_clock: ThreadClock, place: Place) -> list[Place]:
        named = self.partners.setdefault(place, set())
        open_ = {other for other in self.places if (other < 0 or place < 0) and other not in named}
        if not open_:
            return []
        found = set()
        for slot, times in self.times.items():
            until = thread_clock.clock.get(slot, 0)
            if slot != thread_clock.slot:
                found |= {other for other, time in times.items() if time > until and other in open_}
        for other in found:
            named.add(other)
            self.partners.setdefault(other, set()).add(place)
        return sorted(found)


def _knows_all(thread_clock: ThreadClock, times: dict[int, int]) -> bool:
    clock, own = thread_clock.clock, thread_clock.slot
    return all(clock.get(slot, 0) >= time or slot == own for slot, time in times.items())
