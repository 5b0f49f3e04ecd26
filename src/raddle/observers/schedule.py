"""Records the schedule of an execution: where each thread stood when another one went on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.observer import Observer
from raddle.engine.points import KnownPoints
from raddle.event import Preemption
from raddle.observers.places import Places
from raddle.observers.recorded_points import RecordedPoints
from raddle.place import Place
from raddle.schedule import Schedule, Segment

_ARRIVED, _PASSED, _TIME = 0, 1, -1  # entries of the log; other numbers are sites that may turn out to be points


class ScheduleRecorder(Observer):
    """Makes the schedule of the execution just run, and its preemptions."""

    def __init__(self, places: Places, points: RecordedPoints, events: Callable[[], int]) -> None:
        self._places = places
        self._points = points
        self._events = events  # how many have been recorded so far

    def begin(self, engine: Engine) -> None:
        self._learned: KnownPoints = engine.known_points
        self._first = engine.queue.carriers[0]
        self._carriers = engine.queue.carriers
        self._log: list[tuple[Carrier, int]] = []
        self._outcomes: dict[int, str] = {}  # by place in the log: the alternative taken, unless it is the first
        self._same: dict[Any, Any] = {}  # equal entries are kept once: an execution can have a million steps
        self._arrivals: dict[int, list[tuple[str, int, bool]]] = {}  # place, as in the log but for 0, blocked
        self.standing: dict[int, str] = {}  # by thread: where it stands, as a schedule names it
        self._lines: dict[int, Place] = {}  # and the line
        self._stops: list[tuple[Preemption, tuple[tuple[int, bool], ...]]] = []

    # -- arrivals -----------------------------------------------------------------------------------

    def arrived(self, me: Carrier, *, point: bool, blocked: bool) -> None:
        self._lines[me.index], place = self._places.of_operation(me)
        self.standing[me.index] = place
        matters = _PASSED if point else me.site if me.kind.is_access else _ARRIVED
        arrival = (place, matters, blocked)
        self._arrivals.setdefault(me.index, []).append(self._same.setdefault(arrival, arrival))
        if blocked and me.timer:  # its time runs from here on, so it has to have come here
            self._add(me, _PASSED)
        self._add(me, _ARRIVED)

    def passed(self, me: Carrier, *, point: bool) -> None:
        if me.alternatives is not None and me.taken is not None and me.taken.label != me.alternatives()[0].label:
            self._outcomes[len(self._log)] = me.taken.label
        self._add(me, _PASSED if point or not me.kind.is_access else me.site)

    def preempted(self, me: Carrier) -> None:
        before = tuple(self._points.passed_sites.get(me.index, ())) if me.kind.is_access else ()
        self._stops.append((Preemption(self._events(), me.label, self.standing[me.index]), before))

    def reopened(self, me: Carrier, site: int) -> None:
        self._points.passed_sites.setdefault(me.index, []).append((site, True))

    def time_passed(self, waiting: Sequence[Carrier]) -> None:
        self._add(self._first, _TIME)

    def _add(self, carrier: Carrier, what: int) -> None:
        entry = (carrier, what)
        self._log.append(self._same.setdefault(entry, entry))

    def place(self, carrier: Carrier) -> Place | None:
        return self._lines.get(carrier.index)

    # -- results ------------------------------------------------------------------------------------

    @property
    def preemptions(self) -> tuple[Preemption, ...]:
        """The places where threads were stopped, and whether CPython with the GIL could have stopped them there.

        It could if it drops the GIL anywhere between the thread's last access to something shared and the place; what
        is shared is known only when the execution is over.
        """
        return tuple(replace(stop, with_gil=not before or self._lets_go(before)) for stop, before in self._stops)

    def _lets_go(self, passed: tuple[tuple[int, bool], ...]) -> bool:
        for number, (site, switchable) in enumerate(reversed(passed)):
            shared = number and site in self._learned.sites
            # A method is looked up before its arguments are, and accesses its object after them.
            if shared and not self._places.is_call(site):
                return False
            if switchable:
                return True
            if shared:
                return False
        return True

    def schedule(self, *, closely: bool = False) -> Schedule:
        """The schedule of the execution just run, as segments; see `raddle.schedule`.

        A thread's segment begins when it passes a point and ends before its next point at which another thread went
        first. What it does in between concerns no other thread. If that is not so, as where threads meet in code
        without probes, `closely` gives every switch, with what a thread does on the way to its first point.
        """
        runs: list[tuple[Carrier, list[int], str]] = [(self._carriers[0], [], "")]
        arrived = dict.fromkeys(range(len(self._carriers)), 0)
        waited = False  # every thread did, so the next one begins a segment
        for number, (carrier, what) in enumerate(self._log):
            waited |= what == -1
            if not what:
                arrived[carrier.index] += 1
            if not (closely and what >= 0) and not self._matters(what):
                continue
            if waited or carrier is not runs[-1][0] or number in self._outcomes:
                runs.append((carrier, [], self._outcomes.get(number, "")))
                waited = False
            if what:
                runs[-1][1].append(arrived[carrier.index])
        segments = []
        stopped: dict[int, int] = {}  # where each thread stood when it was last left: number of arrivals by then
        passed: dict[int, int] = {}
        for carrier, passes, outcome in runs:
            first = stopped.get(carrier.index, 0)
            last = passed[carrier.index] = passes[-1] if passes else passed.get(carrier.index, 0)
            segment, stopped[carrier.index] = self._segment(carrier, first, last, closely)
            segments.append(replace(segment, alternative=outcome))
        return Schedule(tuple(segments))

    def _matters(self, what: int) -> bool:
        """Return whether it is a point, by what is known at the end of the execution."""
        return what == _PASSED or what in self._learned.sites

    def _segment(self, carrier: Carrier, first: int, last: int, closely: bool) -> tuple[Segment, int]:
        arrivals = self._arrivals.get(carrier.index, [])
        for index in range(last, len(arrivals)):
            place, what, blocked = arrivals[index]
            if closely or self._matters(what):
                if blocked:
                    return Segment(carrier.label), index + 1
                count = sum(1 for p, _, _ in arrivals[first : index + 1] if p == place)
                return Segment(carrier.label, place, count), index + 1
        return Segment(carrier.label), len(arrivals)
