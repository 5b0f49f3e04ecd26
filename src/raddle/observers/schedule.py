"""The schedule recorder: records where each thread was when another thread continued."""

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

_ARRIVED, _PASSED, _TIME = 0, 1, -1  # kinds of log entries; other numbers are sites that may become scheduling points


class ScheduleRecorder(Observer):
    """Records the schedule and the preemptions of an execution."""

    def __init__(self, places: Places, points: RecordedPoints, events: Callable[[], int]) -> None:
        self._places = places
        self._points = points
        self._events = events  # returns the number of events recorded so far

    def begin(self, engine: Engine) -> None:
        self._known_points: KnownPoints = engine.known_points
        self._first = engine.queue.carriers[0]
        self._carriers = engine.queue.carriers
        self._log: list[tuple[Carrier, int]] = []
        # By index in the log: label of the alternative taken, unless it was the first.
        self._outcomes: dict[int, str] = {}
        # Stores equal entries only once, because an execution can have a million steps.
        self._interned: dict[Any, Any] = {}
        self._arrivals: dict[int, list[tuple[str, int, bool]]] = {}  # by thread: (place, kind of entry, blocked)
        self.positions: dict[int, str] = {}  # by thread: the place it has reached, in the form used in schedules
        self._lines: dict[int, Place] = {}  # by thread: the line it has reached
        # Preemptions, each with the sites that the thread had passed before it (see `RecordedPoints.passed_sites`).
        self._stops: list[tuple[Preemption, tuple[tuple[int, bool], ...]]] = []

    # -- arrivals -----------------------------------------------------------------------------------

    def arrived(self, me: Carrier, *, point: bool, blocked: bool) -> None:
        self._lines[me.index], place = self._places.of_operation(me)
        self.positions[me.index] = place
        entry = _PASSED if point else me.site if me.kind.is_access else _ARRIVED
        arrival = (place, entry, blocked)
        self._arrivals.setdefault(me.index, []).append(self._interned.setdefault(arrival, arrival))
        if blocked and me.timer:  # the timer starts here, so the schedule must let the thread reach this point
            self._add(me, _PASSED)
        self._add(me, _ARRIVED)

    def passed(self, me: Carrier, *, point: bool) -> None:
        if me.alternatives is not None and me.taken is not None and me.taken.label != me.alternatives()[0].label:
            self._outcomes[len(self._log)] = me.taken.label
        self._add(me, _PASSED if point or not me.kind.is_access else me.site)

    def preempted(self, me: Carrier) -> None:
        before = tuple(self._points.passed_sites.get(me.index, ())) if me.kind.is_access else ()
        self._stops.append((Preemption(self._events(), me.label, self.positions[me.index]), before))

    def gil_switch_allowed(self, me: Carrier, site: int) -> None:
        self._points.passed_sites.setdefault(me.index, []).append((site, True))

    def time_passed(self, waiting: Sequence[Carrier]) -> None:
        self._add(self._first, _TIME)

    def _add(self, carrier: Carrier, what: int) -> None:
        entry = (carrier, what)
        self._log.append(self._interned.setdefault(entry, entry))

    def place(self, carrier: Carrier) -> Place | None:
        return self._lines.get(carrier.index)

    # -- results ------------------------------------------------------------------------------------

    @property
    def preemptions(self) -> tuple[Preemption, ...]:
        """The places where threads were preempted, and whether CPython with the GIL could have preempted them there.

        CPython could have preempted a thread at a place if it can drop the GIL anywhere between the thread's last
        access to shared data and that place. Which data is shared is known only after the execution.
        """
        return tuple(replace(stop, with_gil=not before or self._can_switch(before)) for stop, before in self._stops)

    def _can_switch(self, passed: tuple[tuple[int, bool], ...]) -> bool:
        """Return whether CPython with the GIL can switch threads after the last access to shared data."""
        for number, (site, switchable) in enumerate(reversed(passed)):
            shared = number and site in self._known_points.sites
            # A method is looked up before its arguments are evaluated, and accesses its object afterwards.
            if shared and not self._places.is_call(site):
                return False
            if switchable:
                return True
            if shared:
                return False
        return True

    def schedule(self, *, every_switch: bool = False) -> Schedule:
        """Return the schedule of the last execution, as segments; see `raddle.schedule`.

        A segment begins when its thread passes a scheduling point. It ends before the thread's next scheduling point at
        which another thread runs first. The thread's operations in between commute with those of other threads, unless
        threads interact in code without probes. For that case, `every_switch` includes all switches, even those before
        a thread's first point.
        """
        runs: list[tuple[Carrier, list[int], str]] = [(self._carriers[0], [], "")]
        arrived = dict.fromkeys(range(len(self._carriers)), 0)
        waited = False  # True if all threads waited for a timer, so that the next thread begins a segment
        for number, (carrier, what) in enumerate(self._log):
            waited |= what == -1
            if not what:
                arrived[carrier.index] += 1
            if not (every_switch and what >= 0) and not self._is_point(what):
                continue
            if waited or carrier is not runs[-1][0] or number in self._outcomes:
                runs.append((carrier, [], self._outcomes.get(number, "")))
                waited = False
            if what:
                runs[-1][1].append(arrived[carrier.index])
        segments = []
        stopped: dict[int, int] = {}  # by thread: number of its arrivals when it was last switched out
        passed: dict[int, int] = {}  # by thread: number of its arrivals when it last passed a point
        for carrier, passes, outcome in runs:
            first = stopped.get(carrier.index, 0)
            last = passed[carrier.index] = passes[-1] if passes else passed.get(carrier.index, 0)
            segment, stopped[carrier.index] = self._segment(carrier, first, last, every_switch)
            segments.append(replace(segment, alternative=outcome))
        return Schedule(tuple(segments))

    def _is_point(self, what: int) -> bool:
        """Return whether a log entry is a scheduling point, according to the points known after the execution."""
        return what == _PASSED or what in self._known_points.sites

    def _segment(self, carrier: Carrier, first: int, last: int, every_switch: bool) -> tuple[Segment, int]:
        """Return a segment of a thread, and the thread's number of arrivals up to the end of the segment.

        The segment begins after arrival number `first` and ends at the first point after arrival number `last`.
        """
        arrivals = self._arrivals.get(carrier.index, [])
        for index in range(last, len(arrivals)):
            place, what, blocked = arrivals[index]
            if every_switch or self._is_point(what):
                if blocked:
                    return Segment(carrier.label), index + 1
                count = sum(1 for p, _, _ in arrivals[first : index + 1] if p == place)
                return Segment(carrier.label, place, count), index + 1
        return Segment(carrier.label), len(arrivals)
